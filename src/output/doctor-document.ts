// What doctor found, from which every view of it is made.
import type {CheckResult} from '../pipeline/events.js'

/** What of ours is in the base directory; unknown where its records cannot be read. */
export type NodeState = 'absent' | 'begun' | 'leaving' | 'set-up' | 'unknown'

/** With why, where a problem was found. */
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
  readonly finishedAt: string
  readonly groups: readonly DoctorGroup[]
  readonly node: NodeState
  readonly recap: DoctorRecap
  readonly schemaVersion: 1
  readonly simulated: boolean
  readonly startedAt: string
  readonly verdict: 'failed' | 'passed' | 'warned'
}

export interface DoctorRecap {
  readonly failed: number
  readonly notLookedAt: number
  readonly passed: number
  readonly warned: number
}

export interface DoctorEnding {
  readonly baseDir: string
  readonly finishedAt: number
  readonly groups: readonly DoctorGroup[]
  readonly node: NodeState
  readonly simulated: boolean
  readonly startedAt: number
}

export function doctorDocument({
  baseDir,
  finishedAt,
  groups,
  node,
  simulated,
  startedAt,
}: DoctorEnding): DoctorDocument {
  const all = groups.flatMap(({checks}) => checks)
  const count = (isCounted: (check: CheckResult) => boolean): number => all.filter(isCounted).length
  const failed = count(({result}) => result === 'fail')
  const warned = count(({result}) => result === 'warn')
  const notLookedAt = count(({looked}) => looked === false)
  return {
    baseDir,
    command: 'doctor',
    durationMs: finishedAt - startedAt,
    exitCode: failed > 0 ? 3 : 0,
    finishedAt: new Date(finishedAt).toISOString(),
    groups,
    node,
    recap: {failed, notLookedAt, passed: all.length - failed - warned - notLookedAt, warned},
    schemaVersion: 1,
    simulated,
    startedAt: new Date(startedAt).toISOString(),
    verdict: failed > 0 ? 'failed' : warned > 0 ? 'warned' : 'passed',
  }
}
