// A run for whoever started it: the record of tries and restarts, and the exit code that the launcher understands.
import type {Launcher} from '../../config/launchers.js'
import {restartRequired} from '../../errors/restart.js'
import {originOf} from '../../host/launcher/detect.js'
import {recordProblem} from '../../host/launcher/record.js'
import {orGivenUp} from '../../host/wait.js'
import type {RunResultDocument} from '../../pipeline/run/events.js'
import {endService} from '../detach/end-service.js'
import {type EndedRun, RECORDS_MS, type RunHooks, type Session} from '../run.js'
import {withRestartAdvice} from './restart-advice.js'
import {RESTART_SECONDS, restartsWindowsUnder} from './restart-windows.js'
import {beginRecord, type BegunRun, planEnd, type Settled, settleRecord, withLoop} from './settle-record.js'
import {reportEnd} from './windows-event.js'

export interface LaunchedRun extends Pick<Session, 'bus' | 'machine'> {
  /** Of --launcher; undefined where it is to be detected. */
  readonly launcher: Launcher | undefined
}

export interface LauncherHooks extends Required<RunHooks> {
  readonly launcherOf: () => Promise<Launcher>
}

/** Called before the run begins: the program that started it may have ended by its end. */
export function launcherHooks({bus, launcher: given, machine}: LaunchedRun): LauncherHooks {
  const {clock} = machine
  const detected = given ?? originOf(machine.win32).then(({launcher}) => launcher)
  // A rejection is handled where it is waited for.
  if (typeof detected !== 'string') detected.catch(() => {})
  const launcherOf = async (): Promise<Launcher> =>
    (await orGivenUp(clock, RECORDS_MS, Promise.resolve(detected))) ?? 'none'
  let beginning: Promise<BegunRun | undefined> | undefined

  const endForLauncher = async (result: RunResultDocument, end: EndedRun): Promise<RunResultDocument> => {
    const launcher = await launcherOf()
    const restartsWindows =
      end.allowsRestart && restartRequired.exitCode === result.exitCode && restartsWindowsUnder(launcher)
    const run = {launcher, restartsWindows, result}
    // A record whose writing took long at the beginning must not appear after the end.
    const settle = async (): Promise<Settled> =>
      settleRecord({...run, begun: await beginning?.catch(() => undefined), end, machine})
    const settled = await orGivenUp(clock, RECORDS_MS, settle())
    const {isRecorded, planned} = settled ?? {isRecorded: false, planned: planEnd(run, undefined, end)}
    const code = isRecorded ? planned.code : planned.codeIfNotRecorded
    if (planned.code !== code) bus.warn(NOT_COUNTED)
    if (restartsWindows && !isRecorded) bus.warn(NOT_RESTARTED)
    const announced = restartsWindows && isRecorded ? {...result, restartsIn: RESTART_SECONDS} : result
    const restarter = restartsWindowsUnder(launcher) || code === result.exitCode ? undefined : launcher
    const ended = planned.tooManyRestarts
      ? withLoop(result, planned.counts.restarts)
      : withRestartAdvice(announced, restarter)
    if (launcher === 'none') return ended
    const {counted} = planned
    const tries = isRecorded && counted ? {attempt: counted.nth, attempts: counted.most} : {}
    return {...ended, launcher: {...tries, exitCode: code, name: launcher}}
  }

  return {
    launcherOf,
    async onEnd(result, end) {
      const ended = await endForLauncher(result, end)
      if (end.isCancelled) return ended
      await orGivenUp(clock, RECORDS_MS, reportEnd(machine, ended))
      // Best effort: what stays is removed by the next run.
      const endsService = async (): Promise<void> => endService(machine, ended, end.baseDir).catch(() => {})
      if (end.holdsLock) await orGivenUp(clock, RECORDS_MS, endsService())
      return ended
    },
    async onLocked(run) {
      // A reset leaves nothing to be continued, and is a way out.
      const isCounted = run.command !== 'reset' && (await launcherOf()) !== 'none'
      const problem = isCounted && (await orGivenUp(clock, RECORDS_MS, recordProblem(machine)))
      if (problem) throw problem
      beginning = launcherOf().then((launcher) => beginRecord(machine, launcher, run))
      // A disk that does not respond must not hold up the run.
      await orGivenUp(clock, RECORDS_MS, beginning)
    },
  }
}

const NOT_COUNTED =
  'this run could not be recorded in %ProgramData%\\k8s-win\\launcher.json, so the launcher is not asked to run it again'

/** Without a count, Windows could be restarted again and again. */
const NOT_RESTARTED =
  'this run could not be recorded in %ProgramData%\\k8s-win\\launcher.json, so k8s-win does not restart Windows'
