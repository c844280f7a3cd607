// pause and resume: the service k8s-win repairs nothing for a while, on patch days for example. A record says since and until
// when. "k8s-win stop" pauses it too, with a record of its own, until "k8s-win start".
import {type DaemonService, WATCH} from '../../config/daemons.js'
import {layoutOf} from '../../config/layout.js'
import {daemonsStopped} from '../../errors/daemons.js'
import {pasted} from '../../errors/define.js'
import {notAdministrator} from '../../errors/host.js'
import {textAt} from '../../host/document.js'
import {openTrust, trustedFilesOf} from '../../host/security/trust.js'
import {waitFor} from '../../host/wait.js'
import type {Machine} from '../../machine/machine.js'
import {type PauseDocument, pauseLine} from '../../output/text/pause-text.js'
import {readOwnRecord, writeRecord} from '../../pipeline/run/last-run.js'
import type {PauseStatus} from '../../pipeline/run/status-report.js'
import {readStopped, stoppedBy} from '../daemons/stopped.js'
import {type NodeRequest, readKnownNode, whyNotSetUp} from '../known-node.js'
import {reportPause} from '../launcher/windows-event.js'
import {isYielding, YIELD_MS} from '../run-lock.js'
import {expiry} from '../../machine/clock.js'

const POLL_MS = 250

/** Without `forMs` until `resume`. Resolves when no repair is in progress any more. */
export async function pauseWatch({forMs, ...request}: NodeRequest & {readonly forMs?: number}): Promise<PauseDocument> {
  const {machine, signal} = request
  const baseDir = await demandNode(request)
  const since = machine.clock.now()
  const pause = {since, ...(forMs !== undefined && {until: expiry(machine.clock, forMs)})}
  await writePause(machine, baseDir, pause)
  const document = await reported(machine, {baseDir, changed: true, command: 'pause', paused: pauseStatus(pause)})
  // A repair that runs finds the record within a second, and stops at its next safe point.
  const wait = {deadlineMs: YIELD_MS, everyMs: POLL_MS, signal}
  const hasStopped = await waitFor(machine.clock, wait, async () => ((await isYielding(machine)) ? undefined : true))
  const late = 'a repair that was in progress has not stopped within 60 seconds; "k8s-win attach" shows it'
  return hasStopped ? document : {...document, warnings: [...document.warnings, late]}
}

export async function resumeWatch(request: NodeRequest): Promise<PauseDocument> {
  const {machine} = request
  const baseDir = await demandNode(request)
  const {stopped} = (await readStop(machine, baseDir)) ?? {}
  if (stopped) throw daemonsStopped({services: stopped.join(', ')})
  const changed = (await readOwnPause(machine, baseDir).catch(() => 'unknown')) !== undefined
  // Also one that has ended.
  await machine.files.remove(layoutOf(baseDir).pause)
  return reported(machine, {baseDir, changed, command: 'resume', paused: null})
}

/** Its base directory. Its stored options may be damaged: none of them is needed. */
async function demandNode(request: NodeRequest): Promise<string> {
  const {win32} = request.machine
  if (!(await win32.isAdministrator())) throw notAdministrator({})
  const known = await readKnownNode(request)
  const {baseDir} = known.config
  if (known.state === 'absent') throw await whyNotSetUp(request, known)
  await openTrust(win32).demand(layoutOf(baseDir).state, 'folder')
  return baseDir
}

type Change = Pick<PauseDocument, 'baseDir' | 'changed' | 'command' | 'paused'>

async function reported(machine: Machine, change: Change): Promise<PauseDocument> {
  // The record counts, not the event.
  if (change.changed) await reportPause(machine, pauseLine(change)).catch(() => {})
  const {state = 'absent'} = (await machine.win32.queryServiceStatus(WATCH.service)) ?? {}
  const found =
    state === 'absent'
      ? [`there is no service ${WATCH.service} on this host`, 'k8s-win setup --watch', 'installs']
      : [`the service ${WATCH.service} is ${state}`, `sc.exe start ${pasted(WATCH.service)}`, 'starts']
  const unwatched = `${found[0]}, so nothing watches this node ("${found[1]}" ${found[2]} it)`
  return {...change, schemaVersion: 1, simulated: machine.simulated, warnings: state === 'running' ? [] : [unwatched]}
}

export interface Pause {
  readonly since: number
  /** By "k8s-win stop": it lasts until "k8s-win start". */
  readonly stopped?: readonly DaemonService[]
  /** Without one it lasts until `resume`. */
  readonly until?: number
}

type Calls = Pick<Machine, 'clock' | 'files' | 'win32'>

/** Undefined also for one that has ended. Rejects where it cannot be read: there may be one. */
export const readPause = async (machine: Calls, baseDir: string): Promise<Pause | undefined> =>
  (await readStop(machine, baseDir)) ?? readOwnPause(machine, baseDir)

async function readStop(machine: Calls, baseDir: string): Promise<Pause | undefined> {
  const record = await readStopped(trustedFilesOf(machine), baseDir, machine.clock.now())
  const stopped = stoppedBy(record, 'stop')
  return record && stopped.length > 0 ? {since: record.since, stopped} : undefined
}

/** Only administrators may pause: what other accounts could have written is none. */
const readOwnPause = (machine: Calls, baseDir: string, now = machine.clock.now()): Promise<Pause | undefined> =>
  readOwnRecord(trustedFilesOf(machine), layoutOf(baseDir).pause, (record) => pauseIn(record, now))

/** The clock was set back, from `last` or while nothing watched, to `now`: what is left of the pause stays the same. */
export async function movePause(machine: Machine, baseDir: string, last: number, now: number): Promise<void> {
  const {since, until} = (await readOwnPause(machine, baseDir, last)) ?? {}
  if (since === undefined || until === undefined) return
  const back = Math.max(last, since) - now
  if (back > 0) await writePause(machine, baseDir, {since: since - back, until: until - back})
}

/** A user has asked for a pause whose record is damaged: until `resume` it counts as one without an end. */
export function pauseIn(record: unknown, now: number): Pause | undefined {
  const [since, until] = [Date.parse(textAt(record, 'since')), Date.parse(textAt(record, 'until'))]
  if (Number.isNaN(since)) return {since: now}
  if (Number.isNaN(until)) return {since}
  return now < until ? {since, until} : undefined
}

export const writePause = ({files}: Pick<Machine, 'files'>, baseDir: string, pause: Pause): Promise<void> =>
  writeRecord(files, layoutOf(baseDir).pause, {schemaVersion: 1, ...pauseStatus(pause)})

export const pauseStatus = ({since, stopped, until}: Pause): PauseStatus => ({
  since: new Date(since).toISOString(),
  ...(stopped && {stopped}),
  until: until === undefined ? null : new Date(until).toISOString(),
})
