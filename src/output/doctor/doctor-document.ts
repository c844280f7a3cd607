// The findings of doctor, from which every view is made.
import type {CheckResult, Count, Timestamp} from '../../pipeline/run/events.js'
import type {StatusProblem, StatusVerdict, NotChecked} from '../../pipeline/run/status-report.js'

/** What k8s-win has in the base directory; unknown if its records cannot be read. */
export type NodeState = 'absent' | 'begun' | 'leaving' | 'set-up' | 'unknown'

/** `cause`: of a problem. */
export type DoctorCheck = CheckResult & {readonly cause?: string}

export interface DoctorGroup {
  readonly checks: readonly DoctorCheck[]
  readonly id: string
  readonly title: string
}

/** The document of `doctor --output json`: schemas/doctor.schema.json. */
export interface DoctorDocument {
  readonly baseDir: string
  readonly command: 'doctor'
  readonly durationMs: number
  readonly exitCode: 0 | 3
  readonly finishedAt: Timestamp
  readonly groups: readonly DoctorGroup[]
  /** The verdict of status for the same node. */
  readonly health: StatusVerdict
  readonly node: NodeState
  /** As in status: the root cause first, what it explains after it. */
  readonly problems: readonly StatusProblem[]
  readonly recap: DoctorRecap
  readonly schemaVersion: 1
  readonly simulated: boolean
  readonly startedAt: Timestamp
  readonly notChecked: readonly NotChecked[]
  readonly verdict: 'failed' | 'passed' | 'warned'
}

export interface DoctorRecap {
  readonly failed: Count
  readonly notChecked: Count
  readonly passed: Count
  readonly warned: Count
}

export interface DoctorEnding extends Pick<
  DoctorDocument,
  'baseDir' | 'durationMs' | 'groups' | 'health' | 'node' | 'notChecked' | 'problems' | 'simulated'
> {
  readonly finishedAt: number
  readonly startedAt: number
}

export function doctorDocument(ending: DoctorEnding): DoctorDocument {
  const {finishedAt, groups, health, problems, startedAt} = ending
  const all = groups.flatMap(({checks}) => checks)
  const count = (isCounted: (check: CheckResult) => boolean): number => all.filter(isCounted).length
  const failed = count(({result}) => result === 'fail')
  const warned = count(({result}) => result === 'warn')
  const notChecked = count(({result}) => result === 'not-checked')
  // Status fails for degraded and unknown, so doctor does too.
  const isFailed = failed > 0 || problems.length > 0 || health === 'degraded' || health === 'unknown'
  return {
    ...ending,
    command: 'doctor',
    exitCode: isFailed ? 3 : 0,
    finishedAt: new Date(finishedAt).toISOString(),
    recap: {failed, notChecked, passed: all.length - failed - warned - notChecked, warned},
    schemaVersion: 1,
    startedAt: new Date(startedAt).toISOString(),
    verdict: isFailed ? 'failed' : warned > 0 ? 'warned' : 'passed',
  }
}
