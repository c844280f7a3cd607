// verify: the smoke test of a node that is set up, on demand. A list of phases.
import type {Node} from '../../config/model.js'
import {kubeconfigMissing} from '../../errors/cluster.js'
import {notAdministrator} from '../../errors/host.js'
import {type K8sWinError, ProblemsError} from '../../errors/k8s-win-error.js'
import {kubeconfigAt} from '../../host/cluster/kubeconfig-file.js'
import type {Kubeconfig} from '../../host/cluster/kubeconfig.js'
import {type Host, hostOptions, openHost} from '../../host/host.js'
import {readersOf} from '../../host/security/readers.js'
import {orAborted} from '../../host/wait.js'
import {nodeKubeconfig} from '../../pipeline/desired/cluster/node-cluster.js'
import type {RunResultDocument} from '../../pipeline/run/events.js'
import {Facts} from '../../preflight/facts.js'
import {resolveNode} from '../../preflight/node-config.js'
import {type KnownNode, readKnownNode, whyNotSetUp} from '../known-node.js'
import {
  limitTime,
  openRecords,
  type Phase,
  RECORDS_MS,
  type Run,
  type RunInput,
  runPhases,
  takeRunLock,
} from '../run.js'
import {runWithRecords} from '../run-lifecycle.js'
import {registerKubeconfig, registerSecrets} from '../register-secrets.js'
import {demandFinished} from '../status/unfinished-run.js'
import {smokeTest} from './smoke-test.js'

export interface VerifyInput extends RunInput {
  /** Of --base-dir. */
  readonly baseDir?: string | undefined
  /** Of --kubeconfig: read once, and stored nowhere. */
  readonly kubeconfig?: string | undefined
  readonly timeoutMs: number
}

/** Each value is set by the phase that finds it. */
interface VerifyRun extends Run<VerifyInput> {
  host: Host
  known: KnownNode
  kubeconfig: Kubeconfig
  node: Node
}

const COMMAND = 'verify'

async function readNode(run: VerifyRun): Promise<void> {
  const {assets, environment, input, machine, signal} = run
  run.known = await readKnownNode({...input, environment, machine, signal})
  const {config, distrust, problem, state} = run.known
  if (distrust) throw distrust
  await demandFinished(machine, run.known)
  if (problem) throw problem
  if (state !== 'set-up') throw await whyNotSetUp({machine}, run.known)
  limitTime(run, input.timeoutMs)
  run.host = openHost(run.limited.machine, hostOptions(assets, config))
}

async function takeLock(run: VerifyRun): Promise<void> {
  if (!(await orAborted(run.host.os.isAdministrator(), run.signal))) throw notAdministrator({})
  await takeRunLock(run, run.known.config.baseDir)
}

async function openLog(run: VerifyRun): Promise<void> {
  await openRecords(run, run.known.config.baseDir)
  run.bus.emit({command: COMMAND, steps: [], type: 'run-started'})
}

async function askNode(run: VerifyRun): Promise<void> {
  const {host, known, redactor} = run
  const facts = new Facts(known.config, host, known.journal)
  await registerSecrets(facts, redactor, RECORDS_MS)
  run.node = await resolveNode(facts).catch(ifMissing(NODE_CANNOT_WORK))
  run.kubeconfig = await identityOf(run, {config: run.node, host})
}

async function runSmokeTest({bus, host, kubeconfig, node: config, report, signal}: VerifyRun): Promise<void> {
  const {checks, lacksChecks, problems} = await smokeTest({bus, config, host, kubeconfig, signal})
  Object.assign(report, {checks, lacksChecks})
  if (problems.length > 0) throw new ProblemsError(problems)
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
  {bus, input: {kubeconfig: path}, redactor}: VerifyRun,
  node: Parameters<typeof nodeKubeconfig>[0],
): Promise<Kubeconfig> {
  if (path === undefined) return nodeKubeconfig(node)
  const kubeconfig = await kubeconfigAt(node.host, path).catch(ifMissing(NO_SUCH_FILE))
  const readers = await readersOf(node.host.security, path)
  if (readers !== '') {
    const message = `${readers} can read ${path}, and with it act as its identity in the cluster. Move it to a folder that only administrators can read, such as ${String.raw`C:\Users\Administrator\.kube`}`
    bus.warn(message)
  }
  registerKubeconfig(kubeconfig, redactor)
  return kubeconfig
}

const VERIFY: readonly Phase<VerifyRun>[] = [
  // From here on the time limit applies.
  {run: readNode, title: 'Read the configuration'},
  {endsItself: true, run: takeLock, title: 'Acquire the lock'},
  {run: openLog, title: 'Open the log'},
  // And as whom the test creates its pod.
  {run: askNode, title: 'Query the node'},
  {endsItself: true, run: runSmokeTest, title: 'Run the smoke test'},
]

/** Rejects only for a bug: the document reports every other failure. */
export function runVerify(input: VerifyInput): Promise<RunResultDocument> {
  return runWithRecords<VerifyRun>(COMMAND, input, (run) => runPhases(VERIFY, run))
}
