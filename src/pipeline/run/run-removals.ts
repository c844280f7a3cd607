// Removes a node, one job after the other. What cannot be removed is reported, and does not stop the rest.
import type {Clock} from '../../machine/clock.js'
import type {EventBus, RunStepId, StepResult, StepState} from './events.js'
import {notRun, runTask} from './run-task.js'
import type {StepContext} from './step.js'
import {type ListedTask, runList} from './task-list.js'

export interface Job {
  readonly deadlineMs: number
  readonly id: RunStepId
  /** If it fails, no further job runs. */
  readonly isVital?: true
  /** Called when its turn has come: the state of a job that is not to run. */
  left?(failed: readonly RunStepId[]): 'not-run' | 'skipped' | undefined
  /** It changes nothing on the host, and runs before the jobs that do. */
  readonly leavesHost?: true
  readonly title: string
  /** Its state: without one, by whether it has changed something. */
  work(context: StepContext): Promise<StepState | undefined> | Promise<void>
}

export interface RemovalsRun {
  readonly bus: EventBus
  readonly clock: Clock
  readonly context: Pick<StepContext, 'config' | 'host' | 'journal'>
  readonly jobs: readonly Job[]
  readonly signal: AbortSignal
  readonly waitsFor?: () => string | undefined
}

export interface Failure {
  /** A bug where it is not a K8sWinError. */
  readonly error: unknown
  readonly id: RunStepId
  readonly isVital: boolean
  readonly title: string
}

export interface RemovalsOutcome {
  readonly failures: readonly Failure[]
  readonly results: readonly StepResult[]
}

export async function runRemovals(run: RemovalsRun): Promise<RemovalsOutcome> {
  const {bus, jobs, signal} = run
  const failures: Failure[] = []
  const tasks = jobs.map((job): ListedTask => {
    const {id, title} = job
    return {
      async due() {
        const isOver = signal.aborted || failures.some(({isVital}) => isVital)
        const state = isOver ? 'not-run' : job.left?.(failures.map((failure) => failure.id))
        return state && {...notRun(job), state}
      },
      ended({error}) {
        if (error !== undefined) failures.push({error, id, isVital: job.isVital === true, title})
      },
      id,
      run: (progress) =>
        runTask({...run, ...job, progress}, signal, async (context) => (await job.work(context)) ?? undefined),
      title,
    }
  })
  const results = await runList(bus, tasks, {concurrent: false})
  return {failures, results}
}
