// A file that somebody changed may have been read by its daemon since. Putting it back is not enough: the daemon has to
// start again, also where the run dies in between. The mark in the service's environment does not show it, for what is
// wanted is the same as before.
import type {StepContext} from '../run/step.js'
import type {StepId} from '../run/step-id.js'

type Context = Pick<StepContext, 'host' | 'journal'>

/** Before the file is written. A service that is not there will read it when it starts. */
export async function noteUnread({host, journal}: Context, step: StepId, service: string): Promise<void> {
  if (!(await host.services.status(service))) return
  await journal.record(step, {kind: 'configuration-read', name: service, read: false})
}

export function isUnread({journal}: Pick<Context, 'journal'>, step: StepId, service: string): boolean {
  return journal.entries(step, 'configuration-read').find(({name}) => name === service)?.read === false
}

/** After the daemon was started. */
export async function noteRead(context: Context, step: StepId, service: string): Promise<void> {
  if (!isUnread(context, step, service)) return
  await context.journal.record(step, {kind: 'configuration-read', name: service, read: true})
}
