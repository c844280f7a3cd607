// pause and resume: the service k8s-win repairs nothing for a while, on patch days for example.
import {WATCH} from '../../config/daemons.js'
import {layoutOf} from '../../config/layout.js'
import {notAdministrator} from '../../errors/host.js'
import {noNode} from '../../errors/logs.js'
import {openTrust} from '../../host/security/trust.js'
import {waitFor} from '../../host/wait.js'
import type {Machine} from '../../machine/machine.js'
import {type PauseDocument, pauseLine} from '../../output/text/pause-text.js'
import {type NodeRequest, readKnownNode} from '../known-node.js'
import {reportPause} from '../launcher/windows-event.js'
import {isYielding, YIELD_MS} from '../run-lock.js'
import {pauseStatus, readPause, writePause} from './pause-record.js'

const LOOK_EVERY_MS = 250

/** Without `forMs` until `resume`. Resolves when no repair is in progress any more. */
export async function pauseWatch({forMs, ...request}: NodeRequest & {readonly forMs?: number}): Promise<PauseDocument> {
  const {machine, signal} = request
  const baseDir = await demandNode(request)
  const [before, since] = [await readPause(machine, baseDir), machine.clock.now()]
  const isSame = before !== undefined && before.until === undefined && forMs === undefined
  const pause = isSame ? before : {since, ...(forMs !== undefined && {until: since + forMs})}
  if (!isSame) await writePause(machine, baseDir, pause)
  const document = await reported(machine, {baseDir, changed: !isSame, command: 'pause', paused: pauseStatus(pause)})
  // A repair that runs finds the record within a second, and stops at its next safe point.
  const wait = {deadlineMs: YIELD_MS, everyMs: LOOK_EVERY_MS, signal}
  const hasStopped = await waitFor(machine.clock, wait, async () => ((await isYielding(machine)) ? undefined : true))
  const late = 'a repair that was in progress has not stopped within 60 seconds; "k8s-win attach" shows it'
  return hasStopped ? document : {...document, warnings: [...document.warnings, late]}
}

export async function resumeWatch(request: NodeRequest): Promise<PauseDocument> {
  const {machine} = request
  const baseDir = await demandNode(request)
  const changed = (await readPause(machine, baseDir)) !== undefined
  // Also one that has ended.
  await machine.files.remove(layoutOf(baseDir).pause)
  return reported(machine, {baseDir, changed, command: 'resume', paused: null})
}

/** Its base directory. Its stored options may be damaged: none of them is needed. */
async function demandNode(request: NodeRequest): Promise<string> {
  const {win32} = request.machine
  if (!(await win32.isAdministrator())) throw notAdministrator({})
  const {config, state} = await readKnownNode(request)
  const {baseDir} = config
  if (state === 'absent') throw noNode({baseDir})
  await openTrust(win32).demand(layoutOf(baseDir).state, 'folder')
  return baseDir
}

type Change = Pick<PauseDocument, 'baseDir' | 'changed' | 'command' | 'paused'>

async function reported(machine: Machine, change: Change): Promise<PauseDocument> {
  // The record counts, not the event.
  if (change.changed) await reportPause(machine, pauseLine(change)).catch(() => {})
  const isWatched = (await machine.win32.queryServiceConfig(WATCH.service)) !== undefined
  const unwatched = `there is no service ${WATCH.service} on this host, so nothing watches this node ("k8s-win setup --watch" installs it)`
  return {...change, schemaVersion: 1, simulated: machine.simulated, warnings: isWatched ? [] : [unwatched]}
}
