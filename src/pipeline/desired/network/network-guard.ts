// The first HNS network on an adapter cuts the host off for seconds, and may lose addresses and routes
// (sig-windows-tools#162, hcsshim#299). The host's network is recorded before, compared after, and what was configured by
// hand is put back. What came from DHCP is waited for. The last record that was compared stays for later repairs.
import {addedRoutes, hadOwnRoutes, withCloudRoutes} from '../../../components/cloud-routes.js'
import {refusedCopy} from '../../../components/node-machine.js'
import {parseAddress, parseCidr} from '../../../config/cidr.js'
import type {CloudName} from '../../../config/model.js'
import {type Guard, isBoolean, isText, listOf, shaped} from '../../../config/shape.js'
import {networkNotRestored} from '../../../errors/health.js'
import {K8sWinError} from '../../../errors/k8s-win-error.js'
import {
  adapterNow,
  DEFAULT_ROUTE,
  inWords,
  isVital,
  type Loss,
  lost,
  lostForLong,
  lostInSwitch,
  type NetworkNow,
  type NetworkSnapshot,
  repairs,
  restoreCommands,
  takeSnapshot,
} from '../../../host/saved-network.js'
import {waitFor} from '../../../host/wait.js'
import {Win32Error} from '../../../machine/win32.js'
import type {EntryOf} from '../../ledger/entries.js'
import type {Journal} from '../../ledger/journal.js'
import type {Kind} from '../../ledger/kind.js'
import type {StepContext, StepId} from '../../run/step.js'

const RESTORED_WITHIN_MS = 120_000
/** Of what was put back long after the switch: Windows first tries whether an address is in use. */
const PUT_BACK_WITHIN_MS = 20_000
/** Later, what a record still misses may be what somebody has changed: only what nothing took the place of is put back. */
const RECORD_IS_YOUNG_MS = 10 * 60_000
/** A lease that comes is better than the fixed address of before. */
const LEASE_WITHIN_MS = 20_000
/**
 * Of waiting. Windows hands the configuration over to the switch by itself, within seconds, and nothing should get in
 * its way; a second time, because a route comes and goes for up to a minute (kube-up waits for that, too).
 */
const PUT_BACK_AFTER_MS = [20_000, 60_000]
/** When the network is compared once more after it was back. */
const COMPARED_AFTER_MS = [5000, 20_000, 60_000]
const STEPS: readonly StepId[] = ['external-network', 'flanneld-service', 'overlay-network']

type Context = Pick<StepContext, 'host' | 'journal' | 'progress' | 'signal'> &
  OfCloud &
  Partial<Pick<StepContext, 'changed' | 'warn'>>
interface Recorded {
  readonly journal: Pick<Journal, 'all'>
}

interface OfCloud {
  readonly config: Pick<StepContext['config'], 'cloud' | 'ignoreChecks' | 'madeOn'>
}

type Note = EntryOf<'network-before'> & {readonly comparedAt: number | undefined}

/** Records the host's network once it is complete, unless a record is still to be compared: after a crash that one is right. */
export async function noteNetwork(context: StepContext, step: StepId): Promise<void> {
  if (isNoteOpen(context)) return
  await restoreNetwork(context)
  await recordNetwork(context, step)
}

/** As it is, before a network is removed. */
export async function recordNetwork(context: StepContext, step: StepId): Promise<void> {
  if (isNoteOpen(context)) return
  const snapshot = takeSnapshot(await context.host.network.now())
  // With a number, because two can be recorded at the same millisecond.
  const id = `${notes(context).length + 1} ${new Date(context.host.clock.now()).toISOString()}`
  await context.journal.record(step, {adapter: context.config.adapterName, id, kind: 'network-before', snapshot})
}

/** What is missing of what was recorded, in words. */
export async function lostSince(context: OfCloud & Recorded & Pick<StepContext, 'host'>): Promise<string[]> {
  return (await lossesOf(context)).losses.map(inWords)
}

export function isNoteOpen(context: Recorded): boolean {
  return pending(context) !== undefined
}

/** Waits until everything is back, and closes the record. */
export async function demandNetworkBack(context: StepContext): Promise<void> {
  await awaitNetwork(context)
  context.host.http.disconnect()
  const note = pending(context)
  if (note) {
    const dropped = lost(note.snapshot, await context.host.network.now())
    for (const one of dropped) context.warn(`the host had the ${inWords(one)} before, and does without it now`)
    await close(context, note)
  }

  // What the host never had is not waited for before.
  await restoreNetwork(context)
}

/**
 * Waits until everything is back. A run that was killed meanwhile leaves this to the next one, before its checks. Without
 * `changed` nothing is put back.
 */
export async function awaitNetwork(context: Context): Promise<void> {
  if (!isNoteOpen(context) || (await lossesOf(context)).losses.length === 0) return
  context.progress({text: 'waiting for the host network to recover'})
  const {clock} = context.host
  // Not since the record: a run that continues a killed one may make the switch only now.
  const since = clock.now()
  let tries = 0
  await demandBack(context, RESTORED_WITHIN_MS, async (found) => {
    if (context.changed && clock.now() - since >= Number(PUT_BACK_AFTER_MS[tries])) {
      tries++
      await putBack(context, found)
    }
  })
}

/** Puts back what was configured by hand and is lost since the last comparison, and waits until it is there. */
export async function restoreNetwork(context: Context): Promise<void> {
  if (isNoteOpen(context) || (await lossesOf(context)).losses.length === 0) return
  const options = {deadlineMs: LEASE_WITHIN_MS, everyMs: 1000, signal: context.signal}
  await waitFor(context.host.clock, options, async () => (awaitsLease(await lossesOf(context)) ? undefined : true))
  await putBack(context, await lossesOf(context))
  await demandBack(context, PUT_BACK_WITHIN_MS, async () => {})
}

/** Before anything is asked of the cluster: a host without its address or its gateway cannot be told what else is wrong. */
export async function reconnect(context: Context): Promise<void> {
  if (isNoteOpen(context)) return awaitNetwork(context)
  const {losses} = await lossesOf(context)
  const isCutOff = losses.some(isVital)
  if (isCutOff) await restoreNetwork(context)
}

/**
 * At the end of a run, where most of the minute is over: only a host with routes of its own, as to a metadata service, is
 * worth waiting for the rest of it.
 */
export async function compareAgain(context: Context): Promise<void> {
  const {clock} = context.host
  const {comparedAt = 0} = verified(context) ?? {}
  // The clock was set back.
  if (comparedAt > clock.now()) return
  const own = wanted(context, await context.host.network.now()).flatMap(({routes}) =>
    routes.filter(({byHand, destination}) => byHand && destination !== DEFAULT_ROUTE),
  )
  const moments = COMPARED_AFTER_MS.map((ms) => comparedAt + ms).filter((moment) => moment > clock.now())
  if (moments.length > 0) await restoreNetwork(context)
  for (const moment of own.length > 0 ? moments : []) {
    await clock.sleep(Math.max(0, moment - clock.now()), context.signal)
    await restoreNetwork(context)
  }
}

interface Losses {
  readonly losses: readonly Loss[]
  readonly now: NetworkNow
}

async function lossesOf(context: OfCloud & Recorded & Pick<StepContext, 'host'>): Promise<Losses> {
  const open = pending(context)
  const now = await context.host.network.now()
  if (open) {
    const age = context.host.clock.now() - timeOf(open)
    const isYoung = age >= 0 && age < RECORD_IS_YOUNG_MS
    return {losses: isYoung ? lostInSwitch(open.snapshot, now, open.adapter) : lostForLong(open.snapshot, now), now}
  }

  return {losses: lostForLong(wanted(context, now), now), now}
}

const awaitsLease = ({losses, now}: Losses): boolean =>
  losses.some(({adapter, kind}) => kind === 'address' && adapterNow(adapter.name, now.adapters)?.dhcp)

/** The last record that was compared, with the routes of the cloud. */
export function wanted(
  context: Recorded & {readonly config: {readonly cloud: CloudName}},
  now: NetworkNow,
): NetworkSnapshot {
  const {adapter = '', snapshot = []} = verified(context) ?? {}
  const {cloud} = context.config
  return hadOwnRoutes(firstOf(context)) ? snapshot : withCloudRoutes(snapshot, {adapter, cloud, now})
}

const firstOf = (context: Recorded): NetworkSnapshot => notes(context)[0]?.snapshot ?? []

async function putBack(context: Context, {losses, now}: Losses): Promise<void> {
  // The addresses are those of the original.
  if (refusedCopy(context.config, await context.host.os.systemUuid()) !== undefined) return
  for (const repair of repairs(losses, now)) {
    try {
      await context.host.network.putBack(repair)
    } catch (error) {
      // The others may work, and what is missing in the end is reported.
      if (!(error instanceof K8sWinError || error instanceof Win32Error)) throw error
      context.warn?.(`could not restore the network of the host: ${error.message}`)
    }
  }
  for (const one of losses) if (one.byHand) context.changed?.(`restore the ${inWords(one)} of the host`)
}

async function demandBack(
  context: Context,
  deadlineMs: number,
  during: (found: Losses) => Promise<void>,
): Promise<void> {
  const options = {deadlineMs, everyMs: 1000, signal: context.signal}
  const back = await waitFor(context.host.clock, options, async () => {
    const found = await lossesOf(context)
    if (found.losses.length === 0) return true
    await during(found)
    return undefined
  })
  if (back) return
  const {losses, now} = await lossesOf(context)
  if (!losses.some((one) => one.byHand || isVital(one))) return
  throw networkNotRestored({commands: restoreCommands(losses, now).join('; '), lost: losses.map(inWords).join(', ')})
}

/** A removed network needs no comparison; a later setup records the host's network again. */
export async function dropNotes(context: StepContext): Promise<void> {
  const note = pending(context)
  if (note) await close(context, note)
}

/** By the first record the host had none: Windows may hand them over from the switch to the adapter. */
async function removeCloudRoutes(context: StepContext): Promise<void> {
  const {config, host} = context
  if (hadOwnRoutes(firstOf(context))) return
  const now = await host.network.now()
  const records = notes(context).map(({snapshot}) => snapshot)
  for (const {destination, interfaceIndex, nextHop} of addedRoutes(records, config.cloud, now)) {
    const name = now.adapters.find(({index}) => index === interfaceIndex)?.name ?? String(interfaceIndex)
    const of = [`prefix=${destination}`, `interface=${name}`, `nexthop=${nextHop}`, 'store=active']
    await host.network.putBack({netsh: ['delete', 'route', ...of]})
    context.changed(`remove the route to ${destination}`)
  }
}

async function close({host, journal}: StepContext, {id}: Note): Promise<void> {
  const comparedAt = new Date(host.clock.now()).toISOString()
  await journal.record('overlay-network', {comparedAt, id, kind: 'network-verified'})
}

/** Only the newest: that an earlier one was compared may be missing from a damaged journal. */
function pending(context: Recorded): Note | undefined {
  const newest = notes(context).at(-1)
  return newest?.comparedAt === undefined ? newest : undefined
}

/** The one that was compared last. */
const verified = (context: Recorded): Note | undefined =>
  notes(context).findLast(({comparedAt}) => comparedAt !== undefined)

/** Oldest first, whatever the clock said. */
function notes({journal}: Recorded): Note[] {
  const entries = journal.all().map(({entry}) => entry)
  const compared = new Map(
    entries.flatMap((one) => (one.kind === 'network-verified' ? [[one.id, Date.parse(one.comparedAt)]] : [])),
  )
  return entries.flatMap((one) => (one.kind === 'network-before' ? [{...one, comparedAt: compared.get(one.id)}] : []))
}

/** When it was recorded. */
const timeOf = ({id}: Note): number => Date.parse(id.split(' ')[1] ?? '') || 0

const isAddress: Guard<string> = (value): value is string => isText(value) && parseAddress(value) !== undefined
const isCidr: Guard<string> = (value): value is string => isText(value) && parseCidr(value) !== undefined
const isMetric: Guard<number> = (value): value is number => Number.isInteger(value) && Number(value) >= 0

const isMoment: Guard<string> = (value): value is string => isText(value) && !Number.isNaN(Date.parse(value))

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
    await dropNotes(context)
  },
  // Whichever is the first to create or remove a network.
  steps: [...STEPS, 'flanneld-service'],
}

export const networkVerified: Kind = {
  accepts: shaped({comparedAt: isMoment, id: isText}),
  steps: ['overlay-network'],
}
