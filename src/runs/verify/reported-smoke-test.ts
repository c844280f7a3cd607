// The smoke test with its events: for verify, and for the end of setup.
import type {EventBus} from '../../pipeline/run/events.js'
import {type SmokeOutcome, type SmokeTest, smokeTest} from './smoke-test.js'

export async function reportedSmokeTest({
  bus,
  ...test
}: Omit<SmokeTest, 'report'> & {readonly bus: EventBus}): Promise<SmokeOutcome> {
  const outcome = await smokeTest({
    ...test,
    report: (message, level = 'info') => bus.emit({level, message, type: 'log'}),
  })
  for (const check of outcome.checks) bus.emit({check, type: 'check'})
  return outcome
}
