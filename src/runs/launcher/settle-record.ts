// The record of a run under a launcher: written when the run begins, so that one that is killed is not taken for a finished
// one, and settled at its end.
import type {Launcher} from '../../config/launchers.js'
import {interrupted} from '../../errors/health.js'
import {restartLoop} from '../../errors/restart.js'
import {isTransient} from '../../errors/catalogue.js'
import {resetUnfinished, setupUnfinished} from '../../errors/unhealthy-node.js'
import {upgradeUnfinished} from '../../errors/upgrade.js'
import {
  isSameRun,
  type LauncherRecord,
  readLauncherRecord,
  removeRecord,
  writeRecord,
} from '../../host/launcher/record.js'
import type {Machine} from '../../machine/machine.js'
import type {RunResultDocument} from '../../pipeline/run/events.js'
import {documentOf} from '../../pipeline/run/to-user-error.js'
import type {EndedRun, LockedRun} from '../run.js'
import {isRunActive} from '../run-lock.js'
import {launcherEnd, type LauncherEnd} from './exit-code.js'
import {startsOnce} from './restart-windows.js'

/** A run that has written its record of being unfinished, or has tried to. */
export interface BegunRun {
  /** The record as it was before. */
  readonly before: LauncherRecord | undefined
  readonly unfinished: LauncherRecord
}

const UNFINISHED: Readonly<Record<string, string>> = {
  reset: resetUnfinished.id,
  setup: setupUnfinished.id,
  upgrade: upgradeUnfinished.id,
}

/**
 * Only while the lock is held: the record of another run is not overwritten. A run that never reports its end counts as a
 * try, as one that is interrupted does. Without a launcher there is nothing to record.
 */
export async function beginRecord(machine: Machine, launcher: Launcher, run: LockedRun): Promise<BegunRun | undefined> {
  if (launcher === 'none') return undefined
  const before = await readLauncherRecord(machine)
  const unfinished: LauncherRecord = {
    at: new Date(machine.clock.now()).toISOString(),
    attempts: attemptsOf(before, run) + 1,
    baseDir: run.baseDir,
    command: run.command,
    error: UNFINISHED[run.command] ?? '',
    exitCode: interrupted.exitCode,
    launcher,
    outcome: 'unfinished',
    restarts: before?.restarts ?? 0,
    schemaVersion: 1,
  }
  await writeRecord(machine, unfinished)
  return {before, unfinished}
}

export interface Settled {
  /** True too where nothing was to be recorded. */
  readonly isRecorded: boolean
  readonly planned: LauncherEnd
}

export interface EndedUnder {
  readonly launcher: Launcher
  readonly restartsWindows: boolean
  readonly result: RunResultDocument
}

export interface Settling extends EndedUnder {
  readonly begun: BegunRun | undefined
  readonly end: EndedRun
  readonly machine: Machine
}

export async function settleRecord({begun, end, machine, ...run}: Settling): Promise<Settled> {
  const before = begun ? begun.before : await readLauncherRecord(machine)
  const planned = planEnd(run, before, end)
  const {command, outcome} = run.result
  const restore = async (): Promise<void> => {
    if (begun && before) await writeRecord(machine, before)
    else if (begun) await removeRecord(machine)
  }
  if (outcome === 'detached' && startsOnce(run.launcher)) {
    // It has not finished yet. The service begins the same try.
    if (begun) await writeRecord(machine, {...begun.unfinished, attempts: begun.unfinished.attempts - 1})
    return {isRecorded: true, planned}
  }

  // The service has no other launcher: nothing would settle the record of the session's.
  if (planned.record === 'keep' || outcome === 'detached') {
    await restore()
    return {isRecorded: true, planned}
  }

  // The run that holds the lock has its own end to record.
  if (!end.holdsLock && (await isRunActive(machine))) return {isRecorded: false, planned}
  if (planned.record === 'write') {
    return {isRecorded: await writeRecord(machine, recordOf(run, planned, end, machine.clock.now())), planned}
  }

  // A record of another command, or of another node, is about something that is still open. reset ends all of it.
  // A setup that succeeds is the other way out of a killed reset or upgrade.
  const ended = command === 'setup' && before?.outcome === 'unfinished' ? before.command : command
  const isOver = before && (command === 'reset' || isSameRun(before, {baseDir: end.baseDir, command: ended}))
  if (isOver === true && !end.isCancelled) await removeRecord(machine)
  else await restore()
  return {isRecorded: true, planned}
}

const attemptsOf = (before: LauncherRecord | undefined, run: LockedRun): number =>
  before && isSameRun(before, run) ? before.attempts : 0

/** What the launcher gets, and what becomes of the record. */
export function planEnd(
  {launcher, restartsWindows, result}: EndedUnder,
  before: LauncherRecord | undefined,
  {baseDir}: EndedRun,
): LauncherEnd {
  const {command, continuesAfterRestart: continues = false, exitCode} = result
  const counts = {attempts: attemptsOf(before, {baseDir, command}), restarts: before?.restarts ?? 0}
  return launcherEnd(launcher, {continues, exitCode, isTransient: isTransient(idsOf(result)), restartsWindows}, counts)
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

/** What required the restart stays, as the second error. Nothing continues it any more. */
export function withLoop(result: RunResultDocument, restarts: number): RunResultDocument {
  const loop = restartLoop({restarts: String(restarts)})
  const error = documentOf(loop)
  const before = result.errors ?? (result.error ? [result.error] : [])
  const {continuesAfterRestart: _, ...ended} = result
  return {...ended, error, errors: [error, ...before], exitCode: loop.exitCode, outcome: 'failed'}
}
