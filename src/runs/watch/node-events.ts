// Events of the Node: which there are in a state of watch, and how many may be sent.
import type {NodeEvent} from '../../host/cluster/node-condition.js'
import type {Clock} from '../../machine/clock.js'
import type {WatchRepair, WatchState} from './model.js'

const MINUTE = 60_000
/** Per reason. */
const APART_MS = 10 * MINUTE
/** Of all reasons. API servers keep events for as long (--event-ttl). */
const HOUR_MS = 60 * MINUTE
const MOST_PER_HOUR = 6

/** Those since the state before. */
export function eventsOf({repairs}: WatchState, before: WatchState | undefined): NodeEvent[] {
  if (!before) return []
  const old = new Set(before.repairs.map(keyOf))
  return repairs.filter((one) => !old.has(keyOf(one))).flatMap(eventOf)
}

const keyOf = ({at, outcome, what}: WatchRepair): string => `${at} ${outcome} ${what}`

/** A repair that failed is tried again, or is the cause of giving up. */
function eventOf({at, outcome, what, why}: WatchRepair): NodeEvent[] {
  if (outcome === 'failed') return []
  const isRepaired = outcome === 'repaired'
  const reason = why === undefined ? '' : `: ${why}`
  return [
    {
      count: 1,
      first: at,
      last: at,
      message: isRepaired ? `k8s-win repaired ${what}` : `k8s-win gave up on ${what}${reason}`,
      reason: isRepaired ? 'K8sWinRepaired' : 'K8sWinGaveUp',
      type: isRepaired ? 'Normal' : 'Warning',
    },
  ]
}

interface EventLimits {
  /** The first that may be sent now. What has waited for an hour is dropped. */
  allowed(pending: Map<string, NodeEvent>): NodeEvent | undefined
  /** It is being sent. */
  count(reason: string): void
}

export function eventLimits(clock: Pick<Clock, 'now'>): EventLimits {
  let sent: {readonly at: number; readonly reason: string}[] = []
  const isWithin = (at: number, ms: number): boolean => at <= clock.now() && clock.now() - at < ms
  return {
    allowed(pending) {
      sent = sent.filter(({at}) => isWithin(at, HOUR_MS))
      for (const [reason, {last}] of pending) if (!isWithin(last, HOUR_MS)) pending.delete(reason)
      if (sent.length >= MOST_PER_HOUR) return undefined
      return [...pending.values()].find(
        (event) => !sent.some(({at, reason}) => reason === event.reason && isWithin(at, APART_MS)),
      )
    },
    count: (reason) => void sent.push({at: clock.now(), reason}),
  }
}
