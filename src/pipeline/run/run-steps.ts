// The pipeline: every step waits for those it needs, independent ones run side by side.
import {stepDidNotHold} from '../../errors/windows.js'
import type {Clock} from '../../machine/clock.js'
import type {EventBus, StepResult} from './events.js'
import {notRun, runTask} from './run-task.js'
import {blameSkipped} from './blame-skipped.js'
import type {Step, StepContext} from './step.js'
import type {StepId} from './step-id.js'
import {type ListedTask, type TaskOutcome, runList} from './task-list.js'

export interface StepsRun {
  readonly bus: EventBus
  readonly clock: Clock
  readonly context: Pick<StepContext, 'config' | 'host' | 'journal'>
  /** A host of each step's own, where it must be known who changes what. */
  readonly hostFor?: (step: StepId) => StepContext['host']
  readonly signal: AbortSignal
  /** Not run; dependent steps treat them as done. */
  readonly skip?: readonly StepId[]
  readonly steps: readonly Step[]
  /** What a step waits for longest, in words, for an error about time. */
  readonly waitsFor?: (step: StepId) => string | undefined
}

export interface StepsOutcome {
  /** The first step's error; a bug where it is not a K8sWinError. */
  readonly error?: unknown
  readonly results: readonly StepResult[]
}

/** Cancels the siblings of a step that failed; what they had done stays done. */
class SiblingFailedError extends Error {}

export async function runSteps(run: StepsRun): Promise<StepsOutcome> {
  demandOrder(run.steps)
  const halt = new AbortController()
  const signal = AbortSignal.any([run.signal, halt.signal])
  const ends = new Map(run.steps.map((step) => [step.id, makeEnd()]))
  let failure: unknown

  const tasks = run.steps.map((step): ListedTask => {
    const {id, needs, title} = step
    return {
      async due() {
        // A need that is not in this plan at all is met.
        const met = await Promise.all(needs.flatMap((need) => ends.get(need)?.reached ?? []))
        if (signal.aborted || met.includes(false)) return notRun(step)
        if (!run.skip?.includes(id)) return undefined
        const message = `the step ${id} is skipped as requested: dependent steps treat it as done`
        run.bus.emit({level: 'warn', message, step: id, type: 'log'})
        return {...notRun(step), state: 'skipped'}
      },
      ended({error, result: {state}}) {
        ends.get(id)?.reach(error === undefined && state !== 'not-run')
        if (error === undefined || error instanceof SiblingFailedError) return
        failure ??= error
        halt.abort(new SiblingFailedError(id))
      },
      id,
      run: (progress) => runStep(run, step, signal, progress),
      title,
    }
  })
  const results = await runList(run.bus, tasks, {concurrent: true})
  const error: unknown = failure ?? (run.signal.aborted ? run.signal.reason : undefined)
  return error === undefined ? {results} : {error, results}
}

/** Lets dependent steps wait until a step is in place, or will not be. */
function makeEnd(): {reach: (inPlace: boolean) => void; reached: Promise<boolean>} {
  let reach: (inPlace: boolean) => void = () => {}
  const reached = new Promise<boolean>((resolve) => {
    reach = resolve
  })
  return {reach, reached}
}

function runStep(
  run: StepsRun,
  step: Step,
  signal: AbortSignal,
  progress: StepContext['progress'],
): Promise<TaskOutcome> {
  const {deadlineMs, id, title} = step
  const host = run.hostFor?.(id)
  const task = {
    ...run,
    context: {...run.context, ...(host && {host})},
    deadlineMs,
    id,
    isLeft: (error: unknown) => error instanceof SiblingFailedError,
    progress,
    title,
    waitsFor: () => run.waitsFor?.(id),
  }
  return runTask(task, signal, async (context) => {
    const work = bringIntoPlace(step, context).catch(async (error: unknown) => {
      throw await blameSkipped(run, step, context, error)
    })
    return (await work) ? 'changed' : 'in-place'
  })
}

/** True where something had to be changed. */
async function bringIntoPlace(step: Step, context: StepContext): Promise<boolean> {
  if ((await step.inspect(context)).state === 'in-place') return false
  await step.apply(context)
  const after = await step.inspect(context)
  if (after.state !== 'in-place') throw stepDidNotHold({evidence: after.evidence.join('; '), step: step.title})
  return true
}

/** A need must stand earlier in the list: else a step would wait for one that waits for it. */
function demandOrder(steps: readonly Step[]): void {
  const seen = new Set<StepId>()
  const all = new Set(steps.map((step) => step.id))
  for (const step of steps) {
    const wrong = step.needs.find((id) => all.has(id) && !seen.has(id))
    if (wrong !== undefined) throw new Error(`step ${step.id} needs ${wrong}, which comes after it`)
    seen.add(step.id)
  }
}
