// Steps as the task list that listr2 runs, and the renderer through which listr2 reports it to the views.
import {Listr, type ListrRenderer, type ListrTask, ListrTaskEventType, type ListrTaskObject} from 'listr2'
import type {EventBus, RunStepId, StepResult} from './events.js'
import type {Progress} from './step.js'

export interface TaskOutcome {
  /** A bug where it is not a K8sWinError. */
  readonly error?: unknown
  readonly result: StepResult
}

export interface ListedTask {
  /** Waits for the task's turn. Returns the result of a task that is not to run. */
  due(): Promise<StepResult | undefined>
  /** Called after the end was reported. */
  ended?(outcome: TaskOutcome): void
  readonly id: RunStepId
  run(progress: (progress: Progress) => void): Promise<TaskOutcome>
  readonly title: string
}

/** What the renderer knows of a task beside listr2's own states. */
interface TaskView {
  readonly id: RunStepId
  progress?: Progress
  result?: StepResult
  readonly title: string
}

/**
 * Passes listr2's task events to the views. listr2's own renderers write to stdout, draw the whole list however small
 * the window is (listr2 issue 296), and pass on control characters.
 */
class EventRenderer implements ListrRenderer {
  /** The views decide how they draw without a terminal. */
  static readonly nonTTY = true
  static readonly rendererOptions: {bus: EventBus}
  static readonly rendererTaskOptions: TaskView

  constructor(
    readonly tasks: ListrTaskObject<unknown, typeof EventRenderer>[],
    readonly options: {bus: EventBus},
  ) {}

  render(): void {
    const {bus} = this.options
    for (const task of this.tasks) {
      const view = task.rendererTaskOptions as TaskView
      const {id, title} = view
      task.on(ListrTaskEventType.STATE, () => {
        // The result of a skipped task is known before listr2 starts it.
        if (task.isStarted() && !view.result) bus.emit({id, title, type: 'step-started'})
      })
      task.on(ListrTaskEventType.OUTPUT, () => {
        if (view.progress) bus.emit({id, ...view.progress, type: 'progress'})
      })
      task.once(ListrTaskEventType.CLOSED, () => {
        if (view.result) bus.emit({step: view.result, type: 'step-finished'})
      })
    }
  }

  end(): void {}
}

/**
 * Runs the tasks side by side, each as soon as it is due, or one after the other. Returns the results in the list's
 * order.
 */
export async function runList(
  bus: EventBus,
  tasks: readonly ListedTask[],
  {concurrent}: {readonly concurrent: boolean},
): Promise<readonly StepResult[]> {
  const results = new Map<RunStepId, StepResult>()
  const end = (task: ListedTask, outcome: TaskOutcome): void => {
    results.set(task.id, outcome.result)
    task.ended?.(outcome)
  }
  const list = tasks.map((task): ListrTask<unknown, typeof EventRenderer> => {
    const view: TaskView = {id: task.id, title: task.title}
    let isListed = false
    return {
      // listr2 asks for all tasks before the first one runs, and again when a task is about to start.
      enabled: async () => {
        if (!isListed) return (isListed = true)
        const result = await task.due()
        if (result?.state === 'not-run') end(task, {result})
        else if (result) view.result = result
        return result?.state !== 'not-run'
      },
      // A step that failed does not end the list; a bug, which has no result, does.
      exitOnError: () => view.result === undefined,
      rendererOptions: view,
      task: async (_, wrapper) => {
        const report = (progress: Progress): void => {
          view.progress = progress
          wrapper.output = progress.text
        }
        const outcome = view.result ? {result: view.result} : await task.run(report)
        const {result} = outcome
        view.result = result
        wrapper.task.once(ListrTaskEventType.CLOSED, () => end(task, outcome))
        if (result.state === 'failed') throw new Error(result.error?.message ?? task.title)
        if (result.state === 'not-run' || result.state === 'skipped') wrapper.skip()
      },
      title: task.title,
    }
  })
  const options = {registerSignalListeners: false, renderer: EventRenderer, rendererOptions: {bus}}
  await new Listr<unknown, typeof EventRenderer>(list, {...options, concurrent}).run()
  return tasks.flatMap(({id}) => results.get(id) ?? [])
}

/** Reports known results, such as a plan's, as a run of the same list would. */
export async function reportResults(bus: EventBus, results: readonly StepResult[]): Promise<void> {
  const nothing = async (): Promise<undefined> => undefined
  const tasks = results.map((result) => ({...result, due: nothing, run: async () => ({result})}))
  await runList(bus, tasks, {concurrent: false})
}
