// One step of a run: begun, told of as it goes, ended in time, and what became of it.
import {interrupted} from '../../errors/health.js'
import type {K8sWinError} from '../../errors/k8s-win-error.js'
import {bug, simulatorUnusable} from '../../errors/program.js'
import {orLeft} from '../../host/wait.js'
import type {Clock} from '../../machine/clock.js'
import type {EventBus, RunStepId, StepResult} from './events.js'
import {documentOf, toUserError} from './to-user-error.js'
import type {Progress, StepContext} from './step.js'
import type {Performed} from './task-list.js'

/** What listens to Ctrl-C is at its end well before; the rest is left where it is. */
const GRACE_MS = 1000

export interface Task {
  readonly bus: EventBus
  readonly clock: Clock
  readonly context: Pick<StepContext, 'config' | 'host' | 'journal'>
  /** For all of it, waiting included. */
  readonly deadlineMs: number
  readonly id: RunStepId
  /** An error that is not this task's own: it was only called off. */
  isLeft?(error: unknown): boolean
  /** It changes nothing on the host, and comes before what does. */
  readonly leavesHost?: true
  progress(progress: Progress): void
  readonly title: string
  /** What it waits for longest, in words, for an error about time. */
  waitsFor?(): string | undefined
}

export async function perform(
  task: Task,
  signal: AbortSignal,
  work: (context: StepContext) => Promise<StepResult['state']>,
): Promise<Performed> {
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
    const told = known ?? bug({log: '', message: String(error)}).with({fix: '', message: `${title}: a bug`})
    // Ctrl-C is no failure of the step: it is to be done when the command is run again.
    const state = interrupted.is(told) ? 'not-run' : 'failed'
    return {error: known ?? error, result: {...finish(state), error: documentOf(told)}}
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
