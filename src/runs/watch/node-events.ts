// Events of the Node: which there are in a state of watch, and how many may be sent.
import type {NodeEvent} from '../../host/cluster/node-condition.js'
import type {Clock} from '../../machine/clock.js'
import type {WatchRepair, WatchState} from './model.js'

/** Per reason. */
const APART_MS = 10 * 60_000
/** Of all reasons. API servers keep events for as long (--event-ttl). */
const HOUR_MS = 60 * 60_000
const MOST_PER_HOUR = 6

/** Those since the state before. */
export const eventsOf = ({repairs}: WatchState, before: WatchState): NodeEvent[] =>
  repairs.filter((one) => !before.repairs.includes(one)).flatMap(eventOf)

/** A repair that failed is tried again, or is the cause of giving up. */
function eventOf({at, outcome, what, why}: WatchRepair): NodeEvent[] {
  const times = {count: 1, first: at, last: at}
  if (outcome === 'repaired')
    return [{...times, message: `k8s-win repaired ${what}`, reason: 'K8sWinRepaired', type: 'Normal'}]
  if (outcome === 'failed') return []
  const cause = why === undefined ? '' : `: ${why}`
  return [{...times, message: `k8s-win gave up on ${what}${cause}`, reason: 'K8sWinGaveUp', type: 'Warning'}]
}

interface EventLimits {
  add(events: readonly NodeEvent[]): void
  /** One that may be sent now. It is not returned again: an event that is lost is not worth another request. */
  take(): NodeEvent | undefined
}

/** The newest of a reason waits, and counts those before it. */
export function eventLimits(clock: Pick<Clock, 'now'>): EventLimits {
  const waiting = new Map<string, NodeEvent>()
  let sent: {readonly at: number; readonly reason: string}[] = []
  const isWithin = (at: number, ms: number): boolean => at <= clock.now() && clock.now() - at < ms
  return {
    add(events) {
      for (const event of events) {
        const {count, first} = waiting.get(event.reason) ?? {count: 0, first: event.first}
        waiting.set(event.reason, {...event, count: count + 1, first})
      }
    },
    take() {
      sent = sent.filter(({at}) => isWithin(at, HOUR_MS))
      const isFree = (reason: string): boolean =>
        !sent.some((one) => one.reason === reason && isWithin(one.at, APART_MS))
      const event = [...waiting.values()].find(({last, reason}) => isWithin(last, HOUR_MS) && isFree(reason))
      if (!event || sent.length >= MOST_PER_HOUR) return undefined
      waiting.delete(event.reason)
      sent.push({at: clock.now(), reason: event.reason})
      return event
    },
  }
}
