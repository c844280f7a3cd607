// What steps need of each other, directly or indirectly.
import type {Step, StepId} from './step.js'

/** What a running daemon needs, and what needs it: removed only when the daemon has stopped. */
export function boundTo(daemons: readonly StepId[], steps: readonly Step[]): ReadonlySet<StepId> {
  return new Set([...neededBy(daemons, steps), ...dependingOn(daemons, steps)])
}

/** With everything that needs them, directly or indirectly. */
export const dependingOn = (ids: readonly StepId[], steps: readonly Step[]): ReadonlySet<StepId> =>
  reached(ids, (id) => steps.filter((step) => step.needs.includes(id)).map((step) => step.id))

/** With everything that they need, directly or indirectly. */
export const neededBy = (ids: readonly StepId[], steps: readonly Step[]): ReadonlySet<StepId> =>
  reached(ids, (id) => steps.find((step) => step.id === id)?.needs ?? [])

function reached(from: readonly StepId[], next: (id: StepId) => readonly StepId[]): Set<StepId> {
  const seen = new Set(from)
  for (const id of seen) for (const one of next(id)) seen.add(one)
  return seen
}
