// The records of the host's own network in the journal: as it was before a network was created or removed, and when it was
// compared since. The last one that was compared stays for later repairs.
import {addedRoutes, hadOwnRoutes, withCloudRoutes} from '../../../components/cloud-routes.js'
import {parseAddress, parseCidr} from '../../../config/cidr.js'
import type {CloudName} from '../../../config/model.js'
import {type Guard, isBoolean, isText, isTime, listOf, shaped} from '../../../config/shape.js'
import {type NetworkNow, type NetworkSnapshot, takeSnapshot} from '../../../host/saved-network.js'
import type {EntryOf} from '../../ledger/entries.js'
import type {Journal} from '../../ledger/journal.js'
import type {Kind} from '../../ledger/kind.js'
import type {StepContext, StepId} from '../../run/step.js'

export interface Recorded {
  readonly journal: Pick<Journal, 'all'>
}

export type NetworkRecord = EntryOf<'network-before'> & {readonly comparedAt: number | undefined}

/** As it is, unless a record is still to be compared: after a crash that one is right. */
export async function recordNetwork(context: StepContext, step: StepId): Promise<void> {
  if (isRecordOpen(context)) return
  const snapshot = takeSnapshot(await context.host.network.now())
  // With a number, because two can be recorded at the same millisecond.
  const id = `${records(context).length + 1} ${new Date(context.host.clock.now()).toISOString()}`
  await context.journal.record(step, {adapter: context.config.adapterName, id, kind: 'network-before', snapshot})
}

export function isRecordOpen(context: Recorded): boolean {
  return openRecord(context) !== undefined
}

export async function closeRecord({host, journal}: StepContext, {id}: NetworkRecord): Promise<void> {
  const comparedAt = new Date(host.clock.now()).toISOString()
  await journal.record('overlay-network', {comparedAt, id, kind: 'network-verified'})
}

/** Only the newest: that an earlier one was compared may be missing from a damaged journal. */
export function openRecord(context: Recorded): NetworkRecord | undefined {
  const newest = records(context).at(-1)
  return newest?.comparedAt === undefined ? newest : undefined
}

/** The one that was compared last. */
export const comparedRecord = (context: Recorded): NetworkRecord | undefined =>
  records(context).findLast(({comparedAt}) => comparedAt !== undefined)

/** Oldest first, whatever the clock said. */
function records({journal}: Recorded): NetworkRecord[] {
  const entries = journal.all().map(({entry}) => entry)
  const compared = new Map(
    entries.flatMap((one) => (one.kind === 'network-verified' ? [[one.id, Date.parse(one.comparedAt)]] : [])),
  )
  return entries.flatMap((one) => (one.kind === 'network-before' ? [{...one, comparedAt: compared.get(one.id)}] : []))
}

/** When it was recorded. */
export const timeOf = ({id}: NetworkRecord): number => Date.parse(id.split(' ')[1] ?? '') || 0

/** The last record that was compared, with the routes of the cloud. */
export function wanted(
  context: Recorded & {readonly config: {readonly cloud: CloudName}},
  now: NetworkNow,
): NetworkSnapshot {
  const {adapter = '', snapshot = []} = comparedRecord(context) ?? {}
  const {cloud} = context.config
  return hadOwnRoutes(firstOf(context)) ? snapshot : withCloudRoutes(snapshot, {adapter, cloud, now})
}

const firstOf = (context: Recorded): NetworkSnapshot => records(context)[0]?.snapshot ?? []

/** By the first record the host had none: Windows may hand them over from the switch to the adapter. */
async function removeCloudRoutes(context: StepContext): Promise<void> {
  const {config, host} = context
  if (hadOwnRoutes(firstOf(context))) return
  const now = await host.network.now()
  const all = records(context).map(({snapshot}) => snapshot)
  for (const {destination, interfaceIndex, nextHop} of addedRoutes(all, config.cloud, now)) {
    const name = now.adapters.find(({index}) => index === interfaceIndex)?.name ?? String(interfaceIndex)
    const of = [`prefix=${destination}`, `interface=${name}`, `nexthop=${nextHop}`, 'store=active']
    await host.network.change({netsh: ['delete', 'route', ...of]})
    context.changed(`remove the route to ${destination}`)
  }
}

const isAddress: Guard<string> = (value): value is string => isText(value) && parseAddress(value) !== undefined
const isCidr: Guard<string> = (value): value is string => isText(value) && parseCidr(value) !== undefined
const isMetric: Guard<number> = (value): value is number => Number.isInteger(value) && Number(value) >= 0

// What is in it is put back on the host.
const isSnapshot = listOf(
  shaped({
    addresses: listOf(isCidr),
    dhcp: isBoolean,
    dnsByHand: isBoolean,
    dnsServers: listOf(isAddress),
    name: isText,
    routes: listOf(
      shaped({byHand: isBoolean, destination: isCidr, metric: isMetric, nextHop: isAddress, persistent: isBoolean}),
    ),
  }),
)

export const networkBefore: Kind = {
  accepts: shaped({adapter: isText, id: isText, snapshot: isSnapshot}),
  async remove(context, step) {
    if (step !== 'flanneld-service') return
    await removeCloudRoutes(context)
    // A removed network needs no comparison; a later setup records the host's network again.
    const open = openRecord(context)
    if (open) await closeRecord(context, open)
  },
  // Whichever is the first to create or remove a network.
  steps: ['external-network', 'flanneld-service', 'overlay-network'],
}

export const networkVerified: Kind = {
  accepts: shaped({comparedAt: isTime, id: isText}),
  steps: ['overlay-network'],
}
