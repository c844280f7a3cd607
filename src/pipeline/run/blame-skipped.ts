// A step that fails because one it needs was skipped (--skip): then that is what must be told, not the stumbling.
import {skippedStepNeeded} from '../../errors/windows.js'
import {toUserError} from './to-user-error.js'
import type {Step, StepContext} from './step.js'
import type {StepId} from './step-id.js'

/** The error to tell in place of this one; itself, where nothing that was skipped is missing. */
export async function blameSkipped(
  {skip = [], steps}: {readonly skip?: readonly StepId[]; readonly steps: readonly Step[]},
  step: Step,
  context: StepContext,
  error: unknown,
): Promise<unknown> {
  const known = toUserError(error, step.title)
  // Bytes, and what somebody asked for, have causes of their own.
  if (context.signal.aborted || !known || (known.exitCode !== 5 && known.exitCode !== 6)) return error
  for (const skipped of skippedNeeds(step, steps, skip)) {
    const finding = await skipped.inspect(context).catch(() => undefined)
    if (!finding || finding.state === 'in-place') continue
    const [evidence, failed] = [finding.evidence.join('; '), known.message]
    return skippedStepNeeded({evidence, failed, skipped: skipped.id, step: step.title}, {cause: error})
  }

  return error
}

/** The first in the list is the deepest. Only through skipped ones: a step that ran has proved what it needs. */
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
