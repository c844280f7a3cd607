// logs: what the daemons and this program wrote on the node. Reads only.
import {secretsOfNode} from '../../bundle/kubeconfigs.js'
import {hasOwnContainerd} from '../../config/daemons.js'
import {layoutOf} from '../../config/layout.js'
import type {Decided} from '../../config/model.js'
import {noNode} from '../../errors/logs.js'
import {logFileOf} from '../../host/containerd/present.js'
import {openTrust, trustedFiles} from '../../host/security/trust.js'
import {trustedLogs} from '../../host/services/daemon-log.js'
import {openServices} from '../../host/services/services.js'
import {type Component, daemonLogs, type LogFolder, logFolders} from '../../logs/components.js'
import type {LogEntry} from '../../logs/entry.js'
import {wantedOf} from '../../logs/filter.js'
import {Follower} from '../../logs/follow.js'
import type {LogFile, LogReader} from '../../logs/log-file.js'
import {readLogs, wholeFiles} from '../../logs/read-logs.js'
import {openLogFiles} from '../../logs/open-files.js'
import {type Part, previousRun} from '../../logs/previous-run.js'
import type {Zone} from '../../logs/zone.js'
import type {Clock} from '../../machine/clock.js'
import type {Redactor} from '../../output/text/redact.js'
import {type NodeRequest, readKnownNode, whyNotSetUp} from '../known-node.js'
import type {LogsRequest} from './logs-request.js'

export interface LogsRun extends NodeRequest {
  /** Of the user who follows, in real time. */
  readonly clock: Clock
  /** Shows entries of these components in their order. False if the reader is gone. */
  readonly emit: (entries: readonly LogEntry[], components: readonly Component[]) => Promise<boolean>
  /** Something to know of, beside the lines. */
  readonly note: (text: string) => void
  readonly redactor: Redactor
  readonly request: LogsRequest
  /** Of the host whose logs they are. */
  readonly zone: Zone
}

const POLL_MS = 125
const INTERRUPTED = 130

/** Returns the exit code. */
export async function runLogs(run: LogsRun): Promise<number> {
  const {machine, request, signal} = run
  const {follow} = request
  const note = once(run.note)
  const trust = openTrust(machine.win32)
  const reader: LogReader = {
    files: trustedLogs(machine.files, trust, note),
    note,
    traces: request.verbose,
    zone: run.zone,
  }
  const known = await readKnownNode(run)
  const {config, distrust, problem, state} = known
  const {baseDir} = config
  for (const secret of await secretsOfNode(trustedFiles(machine.files, trust), baseDir)) run.redactor.register(secret)
  const asked = request.components ?? daemonLogs(config)
  const all = logFolders(layoutOf(baseDir).logs, asked)
  const files = await openLogFiles(reader, all, {wholeLines: follow})
  // Logs of a former node with containerd are shown.
  const isOther = (one: Component): boolean =>
    one === 'containerd' && !hasOwnContainerd(config) && !files.some(({component}) => component === one)
  const components = state === 'absent' ? asked : asked.filter((one) => !isOther(one))
  const folders = all.filter(({component}) => components.includes(component))
  if (components.length < asked.length) run.note(await whyNoContainerd(machine, config))
  if (components.length === 0) return 0
  let exitCode = 0
  if (state === 'absent') {
    const missing = await whyNotSetUp(run, known)
    if (files.length === 0) throw missing
    exitCode = missing.exitCode
    run.note(
      noNode.is(missing) ? `No node is set up in ${baseDir}; these are logs of a former node.` : `${missing.message}.`,
    )
  }
  if (distrust) run.note(`${distrust.message}: ${distrust.reason}`)
  if (problem) run.note(`What the last setup stored in ${baseDir} cannot be used: ${problem.message}`)

  const shown = await show(run, reader, {components, files, folders})
  if (signal.aborted) return INTERRUPTED
  if (!shown || !follow) return exitCode
  return (await followOn(run, new Follower(reader, folders, files), components)) ? INTERRUPTED : exitCode
}

/** One that was there before writes its log where whoever installed it has decided. */
async function whyNoContainerd({clock, win32}: LogsRun['machine'], config: Decided): Promise<string> {
  if (config.runtime === 'docker') return 'There are no logs of containerd: this node uses Docker.'
  const file = await logFileOf(openServices(win32, clock), config.containerd.service).catch(() => undefined)
  const where = file ? `it writes its log to ${file}` : 'its service names no log file'
  return `There are no logs of containerd in ${layoutOf(config.baseDir).logs}: it was not installed by k8s-win, and ${where}.`
}

/** The folders, those of others only where they are there. */
export async function logPaths(run: NodeRequest & Pick<LogsRun, 'request'>): Promise<LogFolder[]> {
  const known = await readKnownNode(run)
  const {config, state} = known
  if (state === 'absent') throw await whyNotSetUp(run, known)
  const components = run.request.components ?? daemonLogs(config)
  const folders = logFolders(layoutOf(config.baseDir).logs, components)
  const isOwn = ({component, own}: LogFolder): boolean =>
    own && (component !== 'containerd' || hasOwnContainerd(config))
  const isThere = await Promise.all(
    folders.map(async (one) => isOwn(one) || (await run.machine.files.status(one.path))?.kind === 'directory'),
  )
  return folders.filter((_, index) => isThere[index])
}

interface Found {
  readonly components: readonly Component[]
  readonly files: readonly LogFile[]
  readonly folders: readonly LogFolder[]
}

/** False if the reader is gone. */
async function show(run: LogsRun, reader: LogReader, {components, files, folders}: Found): Promise<boolean> {
  const {emit, machine, note, request, signal} = run
  const {follow, previous, tail} = request
  const wanted = request.wanted(machine.clock.now())
  const parts = previous ? await previousParts(run, reader, files) : wholeFiles(files)
  let count = 0
  for await (const entries of readLogs(reader, parts, {...(tail !== undefined && {tail}), wanted})) {
    if (signal.aborted || !(await emit(entries, components))) return false
    count += entries.length
  }
  if (count > 0) return true
  const of = components.join(', ')
  if (files.length === 0) {
    const own = components.includes('k8s-win') ? '' : ' "k8s-win logs k8s-win" shows what setup did.'
    note(
      `There are no logs of ${of} yet in ${folders[0]?.path ?? ''}${folders.length > 1 ? ' and beside it' : ''}.${own}`,
    )
  } else if (parts.length > 0 && !follow) note(`No entries in the logs of ${of} match these flags.`)
  return true
}

async function previousParts({note}: LogsRun, reader: LogReader, files: readonly LogFile[]): Promise<Part[]> {
  const parts: Part[] = []
  for (const component of new Set<Component>(files.map((file) => file.component))) {
    const own = files.filter((file) => file.component === component)
    const before = await previousRun(reader, own)
    if (before.length === 0) note(`There was no run of ${component} before the last one.`)
    parts.push(...before)
  }
  return parts
}

/** Until it is interrupted, or the reader is gone (false). */
async function followOn(
  {clock, emit, request, signal}: LogsRun,
  follower: Follower,
  components: readonly Component[],
): Promise<boolean> {
  // Times ago were of the beginning: what is written from here on is wanted.
  const {since: _, ...wanted} = request.wanted(0)
  while (!signal.aborted) {
    const entries = wantedOf(await follower.next(), wanted)
    if (entries.length > 0 && !(await emit(entries, components))) return false
    await clock.sleep(POLL_MS, signal).catch(() => {})
  }
  await emit(wantedOf(follower.end(), wanted), components)
  return true
}

function once(show: (text: string) => void): (text: string) => void {
  const shown = new Set<string>()
  return (text) => {
    if (!shown.has(text)) show(text)
    shown.add(text)
  }
}
