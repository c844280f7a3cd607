// One step of a run, within its deadline: its progress, its changes, and its end.
import {flagUnknown} from '../../errors/host.js'
import {interrupted} from '../../errors/health.js'
import {K8sWinError} from '../../errors/k8s-win-error.js'
import {bug, simulatorUnusable} from '../../errors/program.js'
import {restartRequired} from '../../errors/restart.js'
import {stepStopped} from '../../errors/windows.js'
import {orLeft} from '../../host/wait.js'
import type {Clock} from '../../machine/clock.js'
import type {EventBus, RunStepId, StepResult} from './events.js'
import {documentOf, TimeLimitError, toUserError} from './to-user-error.js'
import type {Progress, StepContext} from './step.js'
import type {TaskOutcome} from './task-list.js'

/** Work that observes the signal ends within this time; the rest is abandoned. */
const GRACE_MS = 1000

export interface Task {
  readonly bus: EventBus
  readonly clock: Clock
  readonly context: Pick<StepContext, 'config' | 'host' | 'journal'>
  /** For the whole task, waiting included. */
  readonly deadlineMs: number
  readonly id: RunStepId
  /** Whether the task was only cancelled because of another one's error. */
  isLeft?(error: unknown): boolean
  /** It changes nothing on the host, and runs before the tasks that do. */
  readonly leavesHost?: true
  progress(progress: Progress): void
  readonly title: string
  /** What it waits for longest, for an error about time. */
  waitsFor?(): string | undefined
}

export async function runTask(
  task: Task,
  signal: AbortSignal,
  /** Its state: without one, by whether it has changed something. */
  work: (context: StepContext) => Promise<StepResult['state'] | undefined>,
): Promise<TaskOutcome> {
  const {bus, clock, deadlineMs, id, title} = task
  const started = clock.elapsed()
  const changes: string[] = []
  const deadline = clock.deadline(deadlineMs)
  let isOver = false
  const context: StepContext = {
    ...task.context,
    changed: (what) => changes.push(what),
    // An abandoned step must not report anything after its end.
    progress: (progress) => void (isOver || task.progress(progress)),
    signal: AbortSignal.any([signal, deadline.signal]),
    warn: (message) => void (isOver || bus.emit({level: 'warn', message, step: id, type: 'log'})),
  }
  const finish = (state: StepResult['state']): StepResult => ({
    changes: [...changes],
    durationMs: Math.round(clock.elapsed() - started),
    id,
    state,
    title,
  })

  let waiting: string | undefined
  const note = (): void => void (waiting = task.waitsFor?.())
  context.signal.addEventListener('abort', note)
  let failure: unknown
  const working = work(context).catch((error: unknown) => {
    failure = error
    throw error
  })
  try {
    const state = await orLeft(clock, working, context.signal, GRACE_MS)
    return {result: finish(state ?? (changes.length > 0 ? 'changed' : 'in-place'))}
  } catch (reason) {
    // When the time of the run is over, a step that says what it waited for says more than the clock.
    const isTimeOver = reason instanceof TimeLimitError && failure instanceof K8sWinError
    const error: unknown = isTimeOver ? failure : reason
    // One that had changed something did run, and is not complete.
    if (task.isLeft?.(error))
      return {error, result: changes.length > 0 ? stopped(finish('changed')) : finish('not-run')}
    const explained = toUserError(error, title, waiting)
    const known = task.leavesHost ? explained : afterBeginning(explained)
    const shown = known ?? bug({log: '', message: String(error)}).with({fix: '', message: `${title}: a bug`})
    // The step has done its work; what follows has to wait for the restart.
    if (restartRequired.is(shown)) return {error: shown, result: finish(changes.length > 0 ? 'changed' : 'not-run')}
    // Ctrl-C is not a failure of the step: the next run resumes it.
    const state = interrupted.is(shown) ? 'not-run' : 'failed'
    return {error: known ?? error, result: {...finish(state), error: documentOf(shown)}}
  } finally {
    isOver = true
    // Node.js keeps a combined signal, with all that its listeners know, for as long as it has a listener.
    context.signal.removeEventListener('abort', note)
    deadline.cancel()
  }
}

/**
 * Exit code 3 promises that nothing was changed: from here on it is a failed operation. A simulated machine whose own
 * files are refused is not an operation, and a program that lacks a flag was only downloaded.
 */
function afterBeginning(error: K8sWinError | undefined): K8sWinError | undefined {
  if (error?.exitCode !== 3 || simulatorUnusable.is(error) || flagUnknown.is(error)) return error
  return error.with({exitCode: 5})
}

const stopped = (result: StepResult): StepResult => ({...result, error: documentOf(stepStopped({step: result.title}))})

export const notRun = ({id, title}: {readonly id: RunStepId; readonly title: string}): StepResult => ({
  changes: [],
  durationMs: 0,
  id,
  state: 'not-run',
  title,
})
