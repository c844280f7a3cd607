// The record of a launcher, for status: a run with a pending restart, or one that failed or was killed.
import {type LauncherRecord, MOST_ATTEMPTS, MOST_RESTARTS} from '../../host/launcher/record.js'
import {isTransient} from '../../errors/catalogue.js'
import type {OpenRun} from '../../pipeline/run/status-report.js'

/** Undefined for a run in another base directory. `active`: a run holds the lock. */
export function openRun(record: LauncherRecord, baseDir: string, active: boolean): OpenRun | undefined {
  const {at, attempts, command, error, exitCode, launcher, outcome, restarts} = record
  if (record.baseDir !== '' && record.baseDir.toLowerCase() !== baseDir.toLowerCase()) return undefined
  const isRepeated = launcher === 'cloudbase-init' && outcome !== 'restart-required' && isTransient([error])
  return {
    active,
    at,
    attempts,
    attemptsLeft: isRepeated ? Math.max(0, MOST_ATTEMPTS - attempts) : 0,
    command,
    error,
    exitCode,
    name: launcher,
    outcome,
    restarts,
    restartsLeft: Math.max(0, MOST_RESTARTS - restarts),
  }
}
