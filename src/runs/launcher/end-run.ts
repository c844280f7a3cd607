// The end of a run for whoever started it: the record of tries and restarts, and the exit code that the launcher understands.
import type {Launcher} from '../../config/launchers.js'
import {restartLoop, restartRequired} from '../../errors/restart.js'
import {isTransient} from '../../errors/transient.js'
import {originOf} from '../../host/launcher/detect.js'
import {isSameRun, type LauncherRecord, readRecord, removeRecord, writeRecord} from '../../host/launcher/record.js'
import {orGivenUp} from '../../host/wait.js'
import type {Machine} from '../../machine/machine.js'
import type {EventBus, RunResultDocument} from '../../pipeline/run/events.js'
import {documentOf} from '../../pipeline/run/to-user-error.js'
import {type EndedRun, type OnEnd, RECORDS_MS} from '../run-lifecycle.js'
import {isLockHeld} from '../run-lock.js'
import {launcherEnd, type LauncherEnd} from './exit-code.js'
import {RESTART_SECONDS, restartsWindowsUnder} from './restart-windows.js'
import {reportEnd} from './windows-event.js'

export interface LaunchedRun {
  readonly bus: EventBus
  /** Of --launcher; undefined where it is to be detected. */
  readonly launcher: Launcher | undefined
  readonly machine: Machine
}

/** Called before the run begins: the program that started it may have ended by its end. */
export function launcherEnding({bus, launcher: given, machine}: LaunchedRun): OnEnd {
  const detected = given ?? originOf(machine.win32).then(({launcher}) => launcher)
  // A rejection is handled where it is waited for.
  if (typeof detected !== 'string') detected.catch(() => {})
  const handedOver = async (result: RunResultDocument, end: EndedRun): Promise<RunResultDocument> => {
    const launcher = (await orGivenUp(machine.clock, RECORDS_MS, Promise.resolve(detected))) ?? 'none'
    const restartsWindows =
      end.allowsRestart && restartRequired.exitCode === result.exitCode && restartsWindowsUnder(launcher)
    const run = {launcher, restartsWindows, result}
    const settled = await orGivenUp(machine.clock, RECORDS_MS, settle({...run, end, machine}))
    const {isRecorded, planned} = settled ?? {isRecorded: false, planned: planOf(run, undefined, end)}
    const code = isRecorded ? planned.code : planned.codeIfNotRecorded
    if (planned.code !== code) bus.emit({level: 'warn', message: NOT_COUNTED, type: 'log'})
    if (restartsWindows && !isRecorded) bus.emit({level: 'warn', message: NOT_RESTARTED, type: 'log'})
    const announced = restartsWindows && isRecorded ? {...result, restartsIn: RESTART_SECONDS} : result
    const ended = planned.tooManyRestarts ? withLoop(result, planned.counts.restarts) : announced
    if (launcher === 'none') return ended
    const {counted} = planned
    const tries = isRecorded && counted ? {attempt: counted.nth, attempts: counted.most} : {}
    return {...ended, launcher: {...tries, exitCode: code, name: launcher}}
  }

  return async (result, end) => {
    const ended = await handedOver(result, end)
    if (!end.isCancelled) await orGivenUp(machine.clock, RECORDS_MS, reportEnd(machine, ended))
    return ended
  }
}

const NOT_COUNTED =
  'this run could not be recorded in %ProgramData%\\k8s-win\\launcher.json, so the launcher is not asked to run it again'

/** Without a count, Windows could be restarted again and again. */
const NOT_RESTARTED =
  'this run could not be recorded in %ProgramData%\\k8s-win\\launcher.json, so k8s-win does not restart Windows'

interface Settled {
  /** True too where nothing was to be recorded. */
  readonly isRecorded: boolean
  readonly planned: LauncherEnd
}

interface Settling {
  readonly end: EndedRun
  readonly launcher: Launcher
  readonly machine: Machine
  readonly restartsWindows: boolean
  readonly result: RunResultDocument
}

async function settle({end, machine, ...run}: Settling): Promise<Settled> {
  const before = await readRecord(machine)
  const planned = planOf(run, before, end)
  const {command} = run.result
  if (planned.record === 'keep') return {isRecorded: true, planned}
  // The run that holds the lock has its own end to record.
  if (!end.holdsLock && (await isLockHeld(machine))) return {isRecorded: false, planned}
  if (planned.record === 'write') {
    return {isRecorded: await writeRecord(machine, recordOf(run, planned, end, machine.clock.now())), planned}
  }

  // A record of another command, or of another node, is about something that is still open. reset ends all of it.
  const isOver = before && (command === 'reset' || isSameRun(before, {baseDir: end.baseDir, command}))
  if (isOver === true && !end.isCancelled) await removeRecord(machine)
  return {isRecorded: true, planned}
}

type EndedUnder = Omit<Settling, 'end' | 'machine'>

function planOf(
  {launcher, restartsWindows, result}: EndedUnder,
  before: LauncherRecord | undefined,
  {baseDir}: EndedRun,
): LauncherEnd {
  const {command, exitCode} = result
  const attempts = before && isSameRun(before, {baseDir, command}) ? before.attempts : 0
  const counts = {attempts, restarts: before?.restarts ?? 0}
  return launcherEnd(launcher, {exitCode, isTransient: isTransient(idsOf(result)), restartsWindows}, counts)
}

const idsOf = ({error, errors}: RunResultDocument): string[] => (errors ?? (error ? [error] : [])).map(({id}) => id)

function recordOf(
  {launcher, result}: EndedUnder,
  {counts, tooManyRestarts}: LauncherEnd,
  {baseDir}: EndedRun,
  now: number,
): LauncherRecord {
  const {command, error, exitCode, outcome} = tooManyRestarts ? withLoop(result, counts.restarts) : result
  return {
    ...counts,
    at: new Date(now).toISOString(),
    baseDir,
    command,
    error: error?.id ?? '',
    exitCode,
    launcher,
    outcome: outcome === 'interrupted' || outcome === 'restart-required' ? outcome : 'failed',
    schemaVersion: 1,
  }
}

/** What required the restart stays, as the second error. */
function withLoop(result: RunResultDocument, restarts: number): RunResultDocument {
  const loop = restartLoop({restarts: String(restarts)})
  const error = documentOf(loop)
  const before = result.errors ?? (result.error ? [result.error] : [])
  return {...result, error, errors: [error, ...before], exitCode: loop.exitCode, outcome: 'failed'}
}
