// The first HNS network on an adapter cuts the host off for seconds, and may cost it addresses and routes
// (sig-windows-tools#162, hcsshim#299): what was there is noted before, waited for after, and compared.
import {networkNotRestored} from '../errors/health.js'
import {lost, restoreCommands} from '../host/network.js'
import {waitFor} from '../host/wait.js'
import type {StepContext} from './step.js'
import type {StepId} from './step-id.js'

const RESTORED_WITHIN_MS = 120_000
const STEPS: readonly StepId[] = ['external-network', 'flanneld-service']

/** Notes the host's network, unless a note is still waiting to be compared: after a crash that one has the truth. */
export async function noteNetwork(context: StepContext, step: StepId): Promise<void> {
  if (pending(context)) return
  const snapshot = await context.host.network.snapshot('connected')
  const id = new Date(context.host.clock.now()).toISOString()
  await context.journal.record(step, {id, kind: 'network-before', snapshot})
}

/** What is missing of what was noted; nothing where no note waits. */
export async function lostSince(context: StepContext): Promise<string[]> {
  const note = pending(context)
  return note ? lost(note.snapshot, await context.host.network.snapshot('all')) : []
}

/** Was something noted that was not compared yet? */
export function isNoteOpen(context: StepContext): boolean {
  return pending(context) !== undefined
}

/** Waits until everything is back, and closes the note. */
export async function demandNetworkBack(context: StepContext): Promise<void> {
  const note = pending(context)
  if (!note) return
  context.progress({text: "waiting for the host's network to come back"})
  const options = {deadlineMs: RESTORED_WITHIN_MS, everyMs: 1000, signal: context.signal}
  const back = await waitFor(context.host.clock, options, async () =>
    (await lostSince(context)).length === 0 ? true : undefined,
  )
  if (!back) {
    const now = await context.host.network.snapshot('all')
    const commands = restoreCommands(switchName(context.config.adapterName), note.snapshot, now)
    throw networkNotRestored({commands: commands.join('; '), lost: lost(note.snapshot, now).join(', ')})
  }

  await context.journal.record('overlay-network', {id: note.id, kind: 'network-verified'})
}

/** What the adapter is called under the switch. A second run finds it so already. */
const switchName = (adapter: string): string => (/^vEthernet \(/i.test(adapter) ? adapter : `vEthernet (${adapter})`)

function pending({journal}: StepContext) {
  const verified = new Set(journal.entries('overlay-network', 'network-verified').map((entry) => entry.id))
  return STEPS.flatMap((step) => journal.entries(step, 'network-before')).find((entry) => !verified.has(entry.id))
}
