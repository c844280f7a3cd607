// The first HNS network on an adapter cuts the host off for seconds, and may lose addresses and routes
// (sig-windows-tools#162, hcsshim#299). The host's network is recorded before, compared after, and what was configured by
// hand is put back. What came from DHCP is waited for.
import {refusedCopy} from '../../../components/node-machine.js'
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
  repairs,
  restoreCommands,
} from '../../../host/saved-network.js'
import {waitFor} from '../../../host/wait.js'
import {Win32Error} from '../../../machine/win32.js'
import type {StepContext, StepId} from '../../run/step.js'
import {toUserError} from '../../run/to-user-error.js'
import {
  closeRecord,
  comparedRecord,
  isRecordOpen,
  openRecord,
  recordNetwork,
  type Recorded,
  timeOf,
  wanted,
} from './network-records.js'
import {ageOf} from '../../../machine/clock.js'

const RESTORED_WITHIN_MS = 120_000
/** Of what was put back long after the switch: Windows first tries whether an address is in use. */
const PUT_BACK_WITHIN_MS = 20_000
/** Later, what a record still misses may be what a user has changed: only what nothing took the place of is put back. */
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

type Context = Pick<StepContext, 'host' | 'journal' | 'progress' | 'signal'> &
  OfCloud &
  Partial<Pick<StepContext, 'changed' | 'warn'>>
interface OfCloud {
  readonly config: Pick<StepContext['config'], 'cloud' | 'ignoreChecks' | 'madeOn'>
}

/** Records the host's network once it is complete, unless a record is still to be compared: after a crash that one is right. */
export async function recordCompleteNetwork(context: StepContext, step: StepId): Promise<void> {
  await restoreNetwork(context)
  await recordNetwork(context, step)
}

/** What is missing of what was recorded, in words. */
export async function lostSince(context: OfCloud & Recorded & Pick<StepContext, 'host'>): Promise<string[]> {
  return (await lossesOf(context)).losses.map(inWords)
}

/** Waits until everything is back, and closes the record. */
export async function demandNetworkBack(context: StepContext): Promise<void> {
  await awaitNetwork(context)
  context.host.http.disconnect()
  const record = openRecord(context)
  if (record) {
    const dropped = lost(record.snapshot, await context.host.network.now())
    for (const one of dropped) context.warn(`the host had the ${inWords(one)} before, and does without it now`)
    await closeRecord(context, record)
  }

  // What the host never had is not waited for before.
  await restoreNetwork(context)
}

/**
 * Waits until everything is back. A run that was killed meanwhile leaves this to the next one, before its checks. Without
 * `changed` nothing is put back.
 */
export async function awaitNetwork(context: Context): Promise<void> {
  if (!isRecordOpen(context) || (await lossesOf(context)).losses.length === 0) return
  context.progress({text: 'waiting for the host network to recover'})
  const {clock} = context.host
  // Not since the record: a run that continues a killed one may make the switch only now.
  const since = clock.elapsed()
  let tries = 0
  await demandBack(context, RESTORED_WITHIN_MS, async (found) => {
    if (context.changed && clock.elapsed() - since >= Number(PUT_BACK_AFTER_MS[tries])) {
      tries++
      await putBack(context, found)
    }
  })
}

/** Puts back what was configured by hand and is lost since the last comparison, and waits until it is there. */
export async function restoreNetwork(context: Context): Promise<void> {
  if (isRecordOpen(context) || (await lossesOf(context)).losses.length === 0) return
  const options = {deadlineMs: LEASE_WITHIN_MS, everyMs: 1000, signal: context.signal}
  await waitFor(context.host.clock, options, async () => (awaitsLease(await lossesOf(context)) ? undefined : true))
  await putBack(context, await lossesOf(context))
  await demandBack(context, PUT_BACK_WITHIN_MS, async () => {})
}

/** Before the cluster is queried, which a host without its address or its gateway cannot reach. */
export async function reconnect(context: Context): Promise<void> {
  if (isRecordOpen(context)) return awaitNetwork(context)
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
  const {comparedAt = 0} = comparedRecord(context) ?? {}
  const age = ageOf(clock, comparedAt)
  // The clock was set back.
  if (age < 0) return
  const began = clock.elapsed() - age
  const own = wanted(context, await context.host.network.now()).flatMap(({routes}) =>
    routes.filter(({byHand, destination}) => byHand && destination !== DEFAULT_ROUTE),
  )
  const moments = COMPARED_AFTER_MS.map((ms) => began + ms).filter((moment) => moment > clock.elapsed())
  if (moments.length > 0) await restoreNetwork(context)
  for (const moment of own.length > 0 ? moments : []) {
    await clock.sleep(Math.max(0, moment - clock.elapsed()), context.signal)
    await restoreNetwork(context)
  }
}

interface Losses {
  readonly losses: readonly Loss[]
  readonly now: NetworkNow
}

async function lossesOf(context: OfCloud & Recorded & Pick<StepContext, 'host'>): Promise<Losses> {
  const open = openRecord(context)
  const now = await context.host.network.now()
  if (open) {
    const age = ageOf(context.host.clock, timeOf(open))
    const isYoung = age >= 0 && age < RECORD_IS_YOUNG_MS
    return {losses: isYoung ? lostInSwitch(open.snapshot, now, open.adapter) : lostForLong(open.snapshot, now), now}
  }

  return {losses: lostForLong(wanted(context, now), now), now}
}

const awaitsLease = ({losses, now}: Losses): boolean =>
  losses.some(({adapter, kind}) => kind === 'address' && adapterNow(adapter.name, now.adapters)?.dhcp)

async function putBack(context: Context, {losses, now}: Losses): Promise<void> {
  // The addresses are those of the original.
  if (refusedCopy(context.config, await context.host.os.systemUuid()) !== undefined) return
  for (const repair of repairs(losses, now)) {
    try {
      await context.host.network.change(repair)
    } catch (error) {
      // The others may work, and what is missing in the end is reported.
      const isRefusal = error instanceof K8sWinError || error instanceof Win32Error
      const refused = isRefusal ? toUserError(error, 'restore the network') : undefined
      if (!refused) throw error
      context.warn?.(`could not restore the network of the host: ${refused.message}. ${refused.reason}`)
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
