// The pipeline: every step waits for those that it needs; independent ones run side by side.
import {skippedStepNeeded, stepDidNotHold} from '../../errors/windows.js'
import type {Clock} from '../../machine/clock.js'
import type {EventBus, StepResult} from './events.js'
import {notRun, runTask} from './run-task.js'
import type {Finding, Step, StepContext, StepId} from './step.js'
import {type ListedTask, runList, type TaskOutcome} from './task-list.js'
import {toUserError} from './to-user-error.js'

export interface StepsRun {
  /** Before a step changes anything; a step that is in place changes nothing. */
  readonly begin?: () => Promise<void>
  readonly bus: EventBus
  readonly clock: Clock
  readonly context: Pick<StepContext, 'config' | 'host' | 'journal'>
  /** A host per step, where changes must be attributed to steps. */
  readonly hostFor?: (step: StepId) => StepContext['host']
  /**
   * Every step is tried, also after another one has failed: of recover. True for an error that only means that the step
   * could not be judged; it is then not run.
   */
  readonly isUnjudged?: (error: unknown) => boolean
  readonly signal: AbortSignal
  /** Not run; dependent steps treat them as done. */
  readonly skip?: readonly StepId[]
  readonly steps: readonly Step[]
  /** What a step waits for longest, for an error about time. */
  readonly waitsFor?: (step: StepId) => string | undefined
}

export interface StepsOutcome {
  /** The first step's error; a bug where it is not a K8sWinError. */
  readonly error?: unknown
  readonly results: readonly StepResult[]
}

/** Cancels the other running steps when one fails; what they have done stays done. */
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
        // A need that is not in this plan is met.
        const met = await Promise.all(needs.flatMap((need) => ends.get(need)?.reached ?? []))
        if (signal.aborted || (met.includes(false) && !run.isUnjudged)) return notRun(step)
        if (!run.skip?.includes(id)) return undefined
        const message = `the step ${id} is skipped as requested: dependent steps treat it as done`
        run.bus.emit({level: 'warn', message, step: id, type: 'log'})
        return {...notRun(step), state: 'skipped'}
      },
      ended({error, result: {state}}) {
        ends.get(id)?.reach(error === undefined && state !== 'not-run')
        if (error === undefined || error instanceof SiblingFailedError || run.isUnjudged?.(error)) return
        failure ??= error
        if (!run.isUnjudged) halt.abort(new SiblingFailedError(id))
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
    isLeft: (error: unknown) => error instanceof SiblingFailedError || run.isUnjudged?.(error) === true,
    // What a step refuses, recover names, and gives it its own exit code.
    ...(run.isUnjudged && {leavesHost: true as const}),
    progress,
    title,
    waitsFor: () => run.waitsFor?.(id),
  }
  return runTask(task, signal, async (context) => {
    const work = bringIntoPlace(step, context, run.begin).catch(async (error: unknown) => {
      throw await blameSkipped(run, step, context, error)
    })
    return (await work) ? 'changed' : 'in-place'
  })
}

/** True where something had to be changed. */
async function bringIntoPlace(step: Step, context: StepContext, begin: StepsRun['begin']): Promise<boolean> {
  const inspect = async (): Promise<Finding> => {
    const found = await step.inspect(context)
    return found.state === 'in-place' && step.prove ? step.prove(context) : found
  }
  if ((await inspect()).state === 'in-place') return false
  await begin?.()
  await step.apply(context)
  const after = await inspect()
  if (after.state !== 'in-place') throw stepDidNotHold({evidence: after.evidence.join('; '), step: step.title})
  return true
}

/** A need must come earlier in the list, or both steps would wait forever. */
function demandOrder(steps: readonly Step[]): void {
  const seen = new Set<StepId>()
  const all = new Set(steps.map((step) => step.id))
  for (const step of steps) {
    const wrong = step.needs.find((id) => all.has(id) && !seen.has(id))
    if (wrong !== undefined) throw new Error(`step ${step.id} needs ${wrong}, which comes after it`)
    seen.add(step.id)
  }
}

/** A step that fails because a step it needs was skipped (--skip): the skipping is reported, not its consequence. */
async function blameSkipped(
  {skip = [], steps}: {readonly skip?: readonly StepId[]; readonly steps: readonly Step[]},
  step: Step,
  context: StepContext,
  error: unknown,
): Promise<unknown> {
  const known = toUserError(error, step.title)
  // Failed downloads and interruptions have causes of their own.
  if (context.signal.aborted || !known || (known.exitCode !== 5 && known.exitCode !== 6)) return error
  for (const skipped of skippedNeeds(step, steps, skip)) {
    const finding = await skipped.inspect(context).catch(() => undefined)
    if (!finding || finding.state === 'in-place') continue
    const [evidence, failed] = [finding.evidence.join('; '), known.message]
    return skippedStepNeeded({evidence, failed, skipped: skipped.id, step: step.title}, {cause: error})
  }

  return error
}

/** Deepest first. Only through skipped steps: a step that ran has proved what it needs. */
function skippedNeeds(step: Step, steps: readonly Step[], skip: readonly StepId[]): Step[] {
  const found = new Set<StepId>()
  const collect = (needs: readonly StepId[]): void => {
    for (const need of steps.filter(({id}) => needs.includes(id) && skip.includes(id) && !found.has(id))) {
      found.add(need.id)
      collect(need.needs)
    }
  }

  collect(step.needs)
  return steps.filter(({id}) => found.has(id))
}
