// Steps and a run of them for tests of the pipeline.
import {EventBus, type RunEvent} from '../../../src/pipeline/run/events.js'
import {runSteps, type StepsRun} from '../../../src/pipeline/run/run-steps.js'
import {inPlace, missing, type Step, type StepId} from '../../../src/pipeline/run/step.js'
import {handClock} from '../../fakes/hand-clock.js'

export const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

/** A step that is missing until it is applied. */
export function step(id: StepId, part: Partial<Step> = {}): Step {
  let applied = false
  return {
    async apply(context) {
      applied = true
      context.changed(`make ${id}`)
    },
    deadlineMs: 60_000,
    id,
    inspect: async () => (applied ? inPlace(id) : missing(`no ${id}`)),
    needs: [],
    title: `Provide ${id}`,
    ...part,
  }
}

export function start(steps: readonly Step[], part: Pick<StepsRun, 'skip' | 'waitsFor'> = {}) {
  const clock = handClock(1000)
  const events: RunEvent[] = []
  const bus = new EventBus(() => clock.now())
  bus.listen((event) => events.push(event))
  const abort = new AbortController()
  const context = {} as StepsRun['context']
  return {abort, clock, events, outcome: runSteps({bus, clock, context, signal: abort.signal, steps, ...part})}
}

export const states = (results: readonly {id: string; state: string}[]) =>
  Object.fromEntries(results.map(({id, state}) => [id, state]))
