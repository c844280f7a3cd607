// What a launcher gets for an exit code of k8s-win: the table of docs/launchers.md. Each launcher reads a number in its own
// way, and what one takes for "restart and run again" another takes for "done".
import {AWS_RESTART, CLOUDBASE_AGAIN, CLOUDBASE_RESTART, type Launcher} from '../../config/launchers.js'
import {MOST_ATTEMPTS, MOST_RESTARTS} from '../../host/launcher/record.js'

const DONE = 0
const INVALID = 2
/** RESTART_LOOP. */
const FAILED = 5
const RESTART_REQUIRED = 10
const LOCK_HELD = 11

/** The launchers that restart Windows by themselves, and what they want for it. */
const RESTART_CODES: Readonly<Partial<Record<Launcher, number>>> = {
  'cloudbase-init': CLOUDBASE_RESTART,
  ec2launch: AWS_RESTART,
  ssm: AWS_RESTART,
}

export interface RunEnd {
  /** The run continues by itself after the restart. */
  readonly continues: boolean
  /** Of docs/exit-codes.md. */
  readonly exitCode: number
  readonly isTransient: boolean
  /** k8s-win itself restarts Windows, where that is needed. */
  readonly restartsWindows: boolean
}

export interface Counts {
  readonly attempts: number
  readonly restarts: number
}

export interface LauncherEnd {
  /** What the process ends with. */
  readonly code: number
  /** The same, if the record could not be written: without a count nothing may be asked of the launcher. */
  readonly codeIfNotRecorded: number
  /** As they are after this run. */
  readonly counts: Counts
  /** Which try or restart this was, of how many; undefined where nothing was counted. */
  readonly counted?: {readonly most: number; readonly nth: number}
  /** `keep`: another run's record, or none, stays as it is. */
  readonly record: 'keep' | 'remove' | 'write'
  /** One restart more than there may be. */
  readonly tooManyRestarts: boolean
}

export function launcherEnd(launcher: Launcher, end: RunEnd, counts: Counts): LauncherEnd {
  const {exitCode, isTransient} = end
  const plain = {code: exitCode, codeIfNotRecorded: exitCode, counts, tooManyRestarts: false}
  if (exitCode === DONE) return {...plain, record: 'remove'}
  // Exit code 2 means that the host was not even checked. The run that holds the lock writes the record, and its end decides:
  // nothing is asked of the launcher meanwhile, because a restart of Windows would end that run.
  if (exitCode === INVALID || exitCode === LOCK_HELD) return {...plain, record: 'keep'}
  if (exitCode === RESTART_REQUIRED) return restartEnd(launcher, end, counts)
  if (launcher === 'none') return {...plain, record: 'keep'}
  if (!isTransient) return {...plain, record: 'write'}
  const attempts = counts.attempts + 1
  const isAgain = launcher === 'cloudbase-init' && attempts < MOST_ATTEMPTS
  return {
    ...plain,
    code: isAgain ? CLOUDBASE_AGAIN : exitCode,
    ...(launcher === 'cloudbase-init' && {counted: {most: MOST_ATTEMPTS, nth: Math.min(attempts, MOST_ATTEMPTS)}}),
    counts: {...counts, attempts},
    record: 'write',
  }
}

function restartEnd(launcher: Launcher, {continues, restartsWindows}: RunEnd, counts: Counts): LauncherEnd {
  const own = RESTART_CODES[launcher]
  const isCounted = own !== undefined || restartsWindows
  const isRecorded = isCounted || launcher !== 'none'
  if (isCounted && counts.restarts >= MOST_RESTARTS) {
    return {code: FAILED, codeIfNotRecorded: FAILED, counts, record: 'write', tooManyRestarts: true}
  }

  const restarts = counts.restarts + (isCounted ? 1 : 0)
  return {
    // Azure's extension takes every other number for a failure, and does not run the command again. That is the truth where
    // nothing continues the run; where the service does, status has the result.
    code: launcher === 'azure-cse' && continues ? DONE : (own ?? RESTART_REQUIRED),
    codeIfNotRecorded: RESTART_REQUIRED,
    ...(isCounted && {counted: {most: MOST_RESTARTS, nth: restarts}}),
    counts: {...counts, restarts},
    record: isRecorded ? 'write' : 'keep',
    tooManyRestarts: false,
  }
}
