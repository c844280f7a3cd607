// logs --bundle: everything that is needed to diagnose a node, in one file. The host is only read.
import {type BundleManifest, membersOf, renderEntries} from '../bundle/assemble.js'
import {type Collector, collectorOf, reasonOf, runCollectors} from '../bundle/collector.js'
import {secretsOfNode} from '../bundle/kubeconfigs.js'
import {asLines, file} from '../bundle/readers.js'
import {summaryText} from '../bundle/summary.js'
import {COLLECTORS} from '../bundle/table.js'
import {isZip, zip, ZIP_HEADER_BYTES} from '../bundle/zip.js'
import {bundleExists, bundleNotWritten, bundleTargetUnusable} from '../errors/logs.js'
import {hostOptions, openHost} from '../host/host.js'
import {trustedFilesOf} from '../host/security/trust.js'
import {inTime, orAborted, orGivenUp} from '../host/wait.js'
import {FileError} from '../machine/files.js'
import {readOnlyMachine} from '../machine/intercept.js'
import {parseProxy} from '../machine/proxy.js'
import {redactAll} from '../output/text/redact.js'
import {toUserError} from '../pipeline/run/to-user-error.js'
import {opinionCollectors} from './bundle-opinions.js'
import {type KnownNode, type NodeRequest, readDefaults, readKnownNode} from './known-node.js'
import type {Session} from './run.js'
import {demandTarget, type TargetFile, writeTarget} from './target-file.js'

export interface BundleRun extends NodeRequest, Pick<Session, 'assets' | 'redactor'> {
  /** Of all members together, before they are packed. */
  readonly limitBytes?: number
  /** The target may be there already. */
  readonly replace: boolean
  readonly target: TargetFile
  /** A simulated machine's record of all that was asked of it. */
  readonly transcript?: string
  readonly version: string
}

export interface BundleReport {
  /** Of the archive. */
  readonly bytes: number
  readonly manifest: BundleManifest
  readonly path: string
}

const LIMIT_BYTES = 25 * 1024 ** 2
/** For all that is not a log. */
const RESERVED_BYTES = 5 * 1024 ** 2
/** A few small files, before the collectors begin. */
const FIRST_READ_MS = 4000
const PROXIES = /^(?:https?|all)_proxy$/i

/** Rejects for a target that cannot be used and on Ctrl-C. Problems of the host are in the report. */
export async function runBundle(run: BundleRun): Promise<BundleReport> {
  try {
    return await makeBundle(run)
  } catch (error) {
    throw toUserError(error, 'Make the bundle') ?? error
  }
}

async function makeBundle(run: BundleRun): Promise<BundleReport> {
  const {clock} = run.machine
  const began = clock.elapsed()
  const {
    target: {path},
    transcript,
  } = run
  const demanded = demandTarget(run.target, clock, {
    exists: run.replace ? undefined : bundleExists({path}),
    isOurs: (beginning) => isZip(beginning.subarray(0, ZIP_HEADER_BYTES)),
    name: 'zip file',
    unusable: (reason) => bundleTargetUnusable({path, reason}),
  })
  await orAborted(demanded, run.signal)
  const machine = readOnlyMachine(run.machine)
  const {node, warnings} = await firstLook({...run, machine})
  const {config, state} = node
  const limitBytes = run.limitBytes ?? LIMIT_BYTES
  for (const [name, value] of Object.entries(run.environment)) {
    if (PROXIES.test(name)) parseProxy(value ?? '').secrets.forEach(run.redactor.register)
  }

  const host = openHost(machine, hostOptions(run.assets, config))
  const opinions = opinionCollectors({...run, machine})
  const collectors: readonly Collector[] = [
    ...opinions.collectors,
    ...(transcript === undefined
      ? []
      : [
          collectorOf(
            'simulator/transcript.ndjson',
            file(asLines, () => ({files: machine.files, path: transcript})),
          ),
        ]),
    ...COLLECTORS,
  ]
  const {collected, failures} = await runCollectors(collectors, {
    config,
    environment: run.environment,
    host,
    logBytes: Math.max(0, limitBytes - RESERVED_BYTES),
    machine,
    register: run.redactor.register,
    signal: run.signal,
  })

  const {redact} = run.redactor
  const hide = {document: (value: unknown) => redactAll(value, redact), text: redact}
  const entries = collected.flatMap((part) => part.entries)
  const {leftOut, rendered} = await renderEntries(entries, hide, limitBytes, () => clock.sleep(0, run.signal))
  const at = clock.now()
  const facts = {
    at: new Date(at).toISOString(),
    baseDir: config.baseDir,
    failed: failures,
    leftOut: [...collected.flatMap((part) => part.leftOut ?? []), ...leftOut],
    madeBy: `k8s-win ${run.version}`,
    node: state,
    warnings,
  }
  const summary = summaryText({...facts, opinions: opinions.finished(), rendered})
  const {simulated} = machine
  const shared = {durationMs: Math.round(clock.elapsed() - began), limitBytes, schemaVersion: 1, simulated} as const
  const {manifest, members} = membersOf(summary, rendered, {...facts, ...shared}, hide)
  const archive = await zip(members, at)
  run.signal.throwIfAborted()
  await writeTarget(run.target, machine, archive).catch((error: unknown) => {
    throw error instanceof FileError ? bundleNotWritten({path, reason: reasonOf(error)}, {cause: error}) : error
  })
  return {bytes: archive.length, manifest, path}
}

/** What is known of the node, and its secrets. On a host whose disk hangs the defaults have to do. */
async function firstLook(request: BundleRun): Promise<{
  node: Pick<KnownNode, 'config'> & {state: BundleManifest['node']}
  warnings: string[]
}> {
  const {machine, redactor, signal} = request
  const {clock} = machine
  // A problem of the given base directory is reported before anything is read.
  const config = await readDefaults({...request, dockerHost: undefined})
  const secrets = orGivenUp(clock, FIRST_READ_MS, secretsOfNode(trustedFilesOf(machine), config.baseDir))
  try {
    const node = await inTime(clock, FIRST_READ_MS, [signal], () => readKnownNode(request))
    const warnings = [
      ...(node.problem ? [node.problem.message] : []),
      ...(node.distrust ? [`${node.distrust.message}: ${node.distrust.reason}`] : []),
      ...(node.journal.damage?.message === undefined ? [] : [node.journal.damage.message]),
      ...(node.state === 'absent' ? [`No node is set up in ${node.config.baseDir}.`] : []),
    ]
    return {node, warnings}
  } catch (error) {
    signal.throwIfAborted()
    const warning = `What the last setup stored in ${config.baseDir} could not be read: ${reasonOf(error)}.`
    return {node: {config, state: 'unknown'}, warnings: [warning]}
  } finally {
    for (const secret of (await secrets) ?? []) redactor.register(secret)
  }
}
