// verify: the smoke test of a node that is set up, on demand.
import {win32} from 'node:path'
import {layoutOf} from '../../config/layout.js'
import {kubeconfigMissing} from '../../errors/cluster.js'
import {notAdministrator} from '../../errors/host.js'
import {type K8sWinError, ProblemsError} from '../../errors/k8s-win-error.js'
import {noNode} from '../../errors/logs.js'
import {kubeconfigAt} from '../../host/cluster/kubeconfig-file.js'
import type {Kubeconfig} from '../../host/cluster/kubeconfig.js'
import {hostOptions, openHost} from '../../host/host.js'
import {readersOf} from '../../host/security/readers.js'
import {openTrust} from '../../host/security/trust.js'
import {orAborted, orGivenUp} from '../../host/wait.js'
import type {Assets} from '../../machine/machine.js'
import {nodeKubeconfig} from '../../pipeline/desired/cluster/node-cluster.js'
import type {RunResultDocument} from '../../pipeline/run/events.js'
import {HostFacts} from '../../preflight/facts.js'
import {resolveNode} from '../../preflight/node-config.js'
import {readKnownNode} from '../known-node.js'
import {type Frame, hasFolder, type RecordedRun, RECORDS_MS, runWithRecords, withinTime} from '../run-lifecycle.js'
import {holdLock, type LockHolder} from '../run-lock.js'
import {registerSecrets} from '../setup/preflight-with-retry.js'
import {reportedSmokeTest} from './reported-smoke-test.js'

export interface VerifyRun extends RecordedRun {
  readonly assets: Assets
  /** Of --base-dir. */
  readonly baseDir?: string | undefined
  readonly dockerHost?: string | undefined
  /** Where K8S_WIN_BASE_DIR is looked for. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** For others who would like to run meanwhile. */
  readonly holder?: LockHolder
  /** Of --kubeconfig: read once, and stored nowhere. */
  readonly kubeconfig?: string | undefined
  readonly timeoutMs: number
}

const COMMAND = 'verify'

/** Rejects only for a bug: the document reports every other failure. */
export function runVerify(asked: VerifyRun): Promise<RunResultDocument> {
  return runWithRecords(COMMAND, asked, async (run, frame) => {
    const {bus, machine} = run
    const {story} = frame
    const known = await readKnownNode(run)
    const {config} = known
    const failure = known.distrust ?? known.problem
    if (failure) throw failure
    if (known.state !== 'set-up') throw noNode({baseDir: config.baseDir})
    await withinTime(run, run.timeoutMs, frame, async (runMachine, signal) => {
      const host = openHost(runMachine.machine, hostOptions(run.assets, config))
      story.phase = 'Acquire the lock'
      if (!(await orAborted(host.os.isAdministrator(), signal))) throw notAdministrator({})
      story.lock = await holdLock(machine, layoutOf(config.baseDir).lock, signal)
      story.phase = 'Open the log'
      await orGivenUp(machine.clock, RECORDS_MS, beginRecords(run, config.baseDir, frame))
      bus.emit({command: COMMAND, steps: [], type: 'run-started'})
      story.phase = 'Query the node'
      const facts = new HostFacts(config, host, known.journal)
      await orGivenUp(host.clock, RECORDS_MS, registerSecrets(facts, run.redactor))
      const node = await orAborted(resolveNode(facts), signal).catch(ifMissing(NODE_CANNOT_WORK))
      const kubeconfig = await orAborted(identityOf(run, {config: node, host}), signal)
      story.phase = 'Run the smoke test'
      const {checks, problems} = await reportedSmokeTest({bus, config: node, host, kubeconfig, signal})
      story.checks = checks
      if (problems.length > 0) throw new ProblemsError(problems)
    })
  })
}

const NODE_CANNOT_WORK =
  'Run "k8s-win setup --kubeconfig <file>" with a kubeconfig for this node: its kubelet needs it.'
const NO_SUCH_FILE =
  'Check the path that was passed to --kubeconfig: it must be a kubeconfig of an identity that may create pods.'

/** The catalogue's fix is that of setup. */
const ifMissing =
  (fix: string) =>
  (error: unknown): never => {
    throw kubeconfigMissing.is(error) ? (error as K8sWinError).with({fix}) : error
  }

async function identityOf(
  {bus, kubeconfig: path, redactor}: VerifyRun,
  node: Parameters<typeof nodeKubeconfig>[0],
): Promise<Kubeconfig> {
  if (path === undefined) return nodeKubeconfig(node)
  const kubeconfig = await kubeconfigAt(node.host, path).catch(ifMissing(NO_SUCH_FILE))
  const readers = await readersOf(node.host.security, path)
  if (readers !== '') {
    const message = `${readers} can read ${path}, and with it act as its identity in the cluster. Move it to a folder that only administrators can read, such as ${String.raw`C:\Users\Administrator\.kube`}`
    bus.emit({level: 'warn', message, type: 'log'})
  }
  for (const secret of [kubeconfig.token, kubeconfig.tls.key]) if (secret !== undefined) redactor.register(secret)
  return kubeconfig
}

/** The log and the record of who holds the lock. */
async function beginRecords(run: VerifyRun, baseDir: string, {log, story}: Frame): Promise<void> {
  if (!(await hasFolder(run.machine, baseDir))) return
  story.baseDir = baseDir
  const folder = win32.join(layoutOf(baseDir).logs, 'k8s-win')
  if (!(await openTrust(run.machine.win32).problem(folder))) await log.openIn(folder).catch(() => {})
  if (run.holder) await story.lock?.sign({...run.holder, log: log.path})
}
