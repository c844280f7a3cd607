// One step of a run, within its deadline: its progress, its changes, and how it ended.
import {interrupted} from '../../errors/health.js'
import type {K8sWinError} from '../../errors/k8s-win-error.js'
import {bug, simulatorUnusable} from '../../errors/program.js'
import {orLeft} from '../../host/wait.js'
import type {Clock} from '../../machine/clock.js'
import type {EventBus, RunStepId, StepResult} from './events.js'
import {documentOf, toUserError} from './to-user-error.js'
import type {Progress, StepContext} from './step.js'
import type {TaskOutcome} from './task-list.js'

/** What listens to the signal ends well within this; the rest is abandoned. */
const GRACE_MS = 1000

export interface Task {
  readonly bus: EventBus
  readonly clock: Clock
  readonly context: Pick<StepContext, 'config' | 'host' | 'journal'>
  /** For all of it, waiting included. */
  readonly deadlineMs: number
  readonly id: RunStepId
  /** Whether the task was only cancelled, and the error is another's. */
  isLeft?(error: unknown): boolean
  /** It changes nothing on the host, and comes before what does. */
  readonly leavesHost?: true
  progress(progress: Progress): void
  readonly title: string
  /** What it waits for longest, in words, for an error about time. */
  waitsFor?(): string | undefined
}

export async function runTask(
  task: Task,
  signal: AbortSignal,
  work: (context: StepContext) => Promise<StepResult['state']>,
): Promise<TaskOutcome> {
  const {bus, clock, deadlineMs, id, title} = task
  const started = clock.now()
  const changes: string[] = []
  const deadline = clock.deadline(deadlineMs)
  let isOver = false
  const context: StepContext = {
    ...task.context,
    changed: (what) => changes.push(what),
    // What an abandoned step still reports must not follow its end.
    progress: (progress) => void (isOver || task.progress(progress)),
    signal: AbortSignal.any([signal, deadline.signal]),
    warn: (message) => void (isOver || bus.emit({level: 'warn', message, step: id, type: 'log'})),
  }
  const finish = (state: StepResult['state']): StepResult => ({
    changes: [...changes],
    durationMs: clock.now() - started,
    id,
    state,
    title,
  })

  let waiting: string | undefined
  const note = (): void => void (waiting = task.waitsFor?.())
  context.signal.addEventListener('abort', note)
  try {
    return {result: finish(await orLeft(clock, work(context), context.signal, GRACE_MS))}
  } catch (error) {
    if (task.isLeft?.(error)) return {error, result: finish('not-run')}
    const explained = toUserError(error, title, waiting)
    const known = task.leavesHost ? explained : afterBeginning(explained)
    const shown = known ?? bug({log: '', message: String(error)}).with({fix: '', message: `${title}: a bug`})
    // Ctrl-C is not a failure of the step: the next run does it.
    const state = interrupted.is(shown) ? 'not-run' : 'failed'
    return {error: known ?? error, result: {...finish(state), error: documentOf(shown)}}
  } finally {
    isOver = true
    deadline.cancel()
  }
}

/**
 * Exit 3 says that nothing was changed: what turns up only now is an operation that failed. A simulated machine whose own
 * files are refused is none: nothing can be said of it.
 */
function afterBeginning(error: K8sWinError | undefined): K8sWinError | undefined {
  if (error?.exitCode !== 3 || simulatorUnusable.is(error)) return error
  return error.with({exitCode: 5})
}

export const notRun = ({id, title}: {readonly id: RunStepId; readonly title: string}): StepResult => ({
  changes: [],
  durationMs: 0,
  id,
  state: 'not-run',
  title,
})
