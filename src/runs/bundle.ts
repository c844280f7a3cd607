// logs --bundle: everything that is needed to diagnose a node, in one file. The host is only read.
import {posix, win32} from 'node:path'
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
import {inTime, orAborted, orGivenUp, within} from '../host/wait.js'
import type {Clock} from '../machine/clock.js'
import {FileError, type Files} from '../machine/files.js'
import {readOnlyMachine} from '../machine/intercept.js'
import type {Machine} from '../machine/machine.js'
import {parseProxy} from '../machine/proxy.js'
import {redactAll} from '../output/text/redact.js'
import {toUserError} from '../pipeline/run/to-user-error.js'
import {opinionCollectors} from './bundle-opinions.js'
import {type KnownNode, type NodeRequest, readDefaults, readKnownNode} from './known-node.js'
import type {Session} from './run.js'

export interface BundleRun extends NodeRequest, Pick<Session, 'assets' | 'redactor'> {
  /** Of all members together, before they are packed. */
  readonly limitBytes?: number
  /** The target may be there already. */
  readonly replace: boolean
  /** Where the bundle goes, and whose files these are: the machine's, or with --simulate those of this machine. */
  readonly target: BundleTarget
  /** A simulated machine's record of all that was asked of it. */
  readonly transcript?: string
  readonly version: string
}

export interface BundleTarget {
  readonly files: Files
  /** On a drive of the machine's Windows: then no other user can read the bundle. On a share its server decides who can. */
  readonly onDrive?: boolean
  readonly path: string
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
const FIRST_LOOK_MS = 4000
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
  const startedAt = clock.now()
  const {
    target: {path},
    transcript,
  } = run
  await orAborted(demandTarget(run, clock), run.signal)
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
  const shared = {durationMs: at - startedAt, limitBytes, schemaVersion: 1, simulated} as const
  const {manifest, members} = membersOf(summary, rendered, {...facts, ...shared}, hide)
  const archive = await zip(members, at)
  run.signal.throwIfAborted()
  await run.target.files
    .write(path, archive, run.target.onDrive ? {sddl: await listFor(machine)} : {})
    .catch((error: unknown) => {
      throw error instanceof FileError ? bundleNotWritten({path, reason: reasonOf(error)}, {cause: error}) : error
    })
  return {bytes: archive.length, manifest, path}
}

/** Administrators and, where the bundle is made without their rights, its maker. */
async function listFor({clock, win32: {accountSid, isAdministrator}}: Machine): Promise<string> {
  const account = async (): Promise<string> => ((await isAdministrator()) ? '' : `(A;;FA;;;${await accountSid()})`)
  return `D:P(A;;FA;;;SY)(A;;FA;;;BA)${(await orGivenUp(clock, FIRST_LOOK_MS, account())) ?? ''}`
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
  const secrets = orGivenUp(clock, FIRST_LOOK_MS, secretsOfNode(trustedFilesOf(machine), config.baseDir))
  try {
    const node = await inTime(clock, FIRST_LOOK_MS, [signal], () => readKnownNode(request))
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

/** Before anything is collected: half a minute of work is not done for a name with a typing error. */
async function demandTarget({replace, target: {files, path}}: BundleRun, clock: Clock): Promise<void> {
  const unusable = (reason: string): Error => bundleTargetUnusable({path, reason})
  if (path.trim() === '' || path.includes('\0')) throw unusable('It is not a valid file name.')
  const {dirname} = /^[a-z]:|\\/i.test(path) ? win32 : posix
  const look = async (): Promise<void> => {
    const folder = await files.status(dirname(path))
    if (!folder) throw unusable(`Folder not found: ${dirname(path)}.`)
    if (folder.kind === 'file') throw unusable(`${dirname(path)} is not a folder.`)
    const there = await files.status(path)
    if (there?.kind === 'directory') throw unusable('It is a folder.')
    if (!there) return
    if (there.kind === 'other') throw unusable('It is not a file.')
    // A typing error must not cost a kubeconfig or a file of Windows.
    const old = await files.readRange(path, 0, ZIP_HEADER_BYTES)
    if (old && old.size > 0 && !isZip(old.bytes))
      throw unusable('A file with this name exists that is not a zip file; only zip files are overwritten.')
    if (!replace) throw bundleExists({path})
  }
  await within(clock, FIRST_LOOK_MS, look()).catch((error: unknown) => {
    throw error instanceof FileError ? unusable(`It cannot be read (${error.code}).`) : error
  })
}
