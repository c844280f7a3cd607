// The first HNS network on an adapter cuts the host off for seconds, and may lose addresses and routes
// (sig-windows-tools#162, hcsshim#299). The host's network is recorded before, waited for after, and compared.
import {networkNotRestored} from '../../../errors/health.js'
import {lost, restoreCommands} from '../../../host/network.js'
import {waitFor} from '../../../host/wait.js'
import type {StepContext, StepId} from '../../run/step.js'
import {isText, listOf, shaped} from '../../../config/shape.js'
import type {Kind} from '../../ledger/kind.js'

const RESTORED_WITHIN_MS = 120_000
const STEPS: readonly StepId[] = ['external-network', 'flanneld-service', 'overlay-network']

/** Records the host's network, unless a record is still to be compared: after a crash that one is right. */
export async function noteNetwork(context: StepContext, step: StepId): Promise<void> {
  if (pending(context)) return
  const snapshot = await context.host.network.snapshot('connected')
  // With a number, because two can be recorded at the same millisecond.
  const id = `${notes(context).length + 1} ${new Date(context.host.clock.now()).toISOString()}`
  await context.journal.record(step, {adapter: context.config.adapterName, id, kind: 'network-before', snapshot})
}

/** What is missing of what was recorded. */
export async function lostSince(context: Pick<StepContext, 'host' | 'journal'>): Promise<string[]> {
  const note = pending(context)
  return note ? lost(note.snapshot, await context.host.network.snapshot('all')) : []
}

export function isNoteOpen(context: Pick<StepContext, 'journal'>): boolean {
  return pending(context) !== undefined
}

/** Waits until everything is back, and closes the record. */
export async function demandNetworkBack(context: StepContext): Promise<void> {
  await awaitNetwork(context)
  context.host.http.disconnect()
  const note = pending(context)
  if (note) await context.journal.record('overlay-network', {id: note.id, kind: 'network-verified'})
}

/** Waits until everything is back. A run that was killed meanwhile leaves this to the next one, before its checks. */
export async function awaitNetwork(
  context: Pick<StepContext, 'host' | 'journal' | 'progress' | 'signal'>,
): Promise<void> {
  const note = pending(context)
  if (!note || (await lostSince(context)).length === 0) return
  context.progress({text: 'waiting for the host network to recover'})
  const options = {deadlineMs: RESTORED_WITHIN_MS, everyMs: 1000, signal: context.signal}
  const back = await waitFor(context.host.clock, options, async () =>
    (await lostSince(context)).length === 0 ? true : undefined,
  )
  if (back) return
  const now = await context.host.network.snapshot('all')
  const commands = restoreCommands(await adapterNow(context, note.adapter), note.snapshot, now)
  throw networkNotRestored({commands: commands.join('; '), lost: lost(note.snapshot, now).join(', ')})
}

/** The virtual switch renames the adapter, and gives the name back when it is removed. */
async function adapterNow({host}: Pick<StepContext, 'host'>, noted: string): Promise<string> {
  const own = /^vEthernet \((.*)\)$/i.exec(noted)?.[1] ?? noted
  const names = (await host.network.adapters()).map(({name}) => name)
  return names.includes(own) && !names.includes(`vEthernet (${own})`) ? own : `vEthernet (${own})`
}

/** A removed network needs no comparison; a later setup records the host's network again. */
export async function dropNotes(context: StepContext): Promise<void> {
  for (let note = pending(context); note; note = pending(context)) {
    await context.journal.record('overlay-network', {id: note.id, kind: 'network-verified'})
  }
}

function pending(context: Pick<StepContext, 'journal'>) {
  const verified = new Set(context.journal.entries('overlay-network', 'network-verified').map((entry) => entry.id))
  return notes(context).find((entry) => !verified.has(entry.id))
}

const notes = ({journal}: Pick<StepContext, 'journal'>) =>
  STEPS.flatMap((step) => journal.entries(step, 'network-before'))

const isTextList = listOf(isText)

const isSnapshot = shaped({addresses: isTextList, dnsServers: isTextList, gateways: isTextList, routes: isTextList})

export const networkBefore: Kind = {
  accepts: shaped({adapter: isText, id: isText, snapshot: isSnapshot}),
  async remove(context, step) {
    if (step === 'flanneld-service') await dropNotes(context)
  },
  // Whichever is the first to create or remove a network.
  steps: [...STEPS, 'flanneld-service'],
}

export const networkVerified: Kind = {
  accepts: shaped({id: isText}),
  steps: ['overlay-network'],
}
