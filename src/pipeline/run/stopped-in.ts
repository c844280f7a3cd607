// Where a run stopped, for its line in the journal.
import {STEP_IDS, type StepId} from '../../config/step-ids.js'
import {stepStopped} from '../../errors/windows.js'
import type {StepResult} from './events.js'

/** The first step that failed or was interrupted by itself: others stop because of it. */
export function stoppedIn(results: readonly StepResult[]): {readonly stoppedAt?: StepId} {
  const found = results.find(({error}) => error !== undefined && error.id !== stepStopped.id)
  const stoppedAt = STEP_IDS.find((id) => id === found?.id)
  return stoppedAt === undefined ? {} : {stoppedAt}
}
