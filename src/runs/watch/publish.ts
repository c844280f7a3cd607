// Shows the state of the node to its cluster: a condition of the Node and events, with the kubelet's identity. It is kind to the
// API server of thousands of nodes, whose flannelds all watch all Nodes: one request at a time, few of them, and pauses that grow
// when it cannot answer. It has no timer: what is due is sent after a round of watch, in the background.
import {type NodeCondition, type NodeEvent, type PublishedNode, timeOf} from '../../host/cluster/node-condition.js'
import {Busy} from '../../host/cluster/request.js'
import {orGivenUp} from '../../host/wait.js'
import type {Clock} from '../../machine/clock.js'
import type {Redact} from '../../output/text/redact.js'
import {repairText, type Trouble, type WatchReporter, type WatchState, type WatchVerdict} from './model.js'
import type {NodeIdentity} from './node-identity.js'

export interface PublishInput {
  readonly clock: Clock
  /** The one that the kubelet has now. */
  readonly identity: () => Promise<NodeIdentity>
  /** False: what was published before is withdrawn (--no-publish). */
  readonly isPublished: () => boolean
  readonly redact: Redact
}

const MINUTE = 60_000
/** What lasts for less is not shown. */
const HOLD_MS = 30_000
/** The same for a node whose state has changed so often within an hour, as that of a daemon that keeps crashing. */
const UNSTEADY_MS = 5 * MINUTE
const MOST_CHANGES = 6
/**
 * The node lifecycle controller leaves the condition of a dead node as it is: readers judge by the age of its heartbeat. A write
 * is delivered to every watcher of Nodes, as each flanneld is: what is written n times a day by n nodes is n² deliveries.
 */
const HEARTBEAT_MS = 6 * 60 * MINUTE
/** Whether its Node is there, and has the condition. */
const READ_MS = 5 * MINUTE
const [SHORTEST_PAUSE_MS, LONGEST_PAUSE_MS] = [30_000, 15 * MINUTE]
/** A longer Retry-After is a mistake, or hostile. */
const LONGEST_ASKED_MS = 60 * MINUTE
/** Less than watch has for its end. */
const END_MS = 2500

/** Between two events of a reason. */
const APART_MS = 10 * MINUTE
/** Events of all reasons. API servers keep events for as long (--event-ttl). */
const HOUR_MS = 60 * MINUTE
const MOST_PER_HOUR = 6

type Request = (as: NodeIdentity) => Promise<void>

/** From when on something is due, by the time that has elapsed. */
type Due = number

export function openPublisher({clock, identity, isPublished, redact}: PublishInput): WatchReporter {
  const after = (ms: number): Due => clock.elapsed() + ms
  const about = (ms: number): Due => after(ms * (0.5 + clock.random()))
  const isOver = (due: Due): boolean => clock.elapsed() >= due
  const limits = eventLimits(clock)
  let seen: WatchState | undefined
  let wanted: WantedCondition | undefined
  let isWanted: boolean | undefined
  let [heartbeat, nextRead, rest] = [about(HEARTBEAT_MS), after(0), after(0)]
  /** When another state than the published one is to be shown; a moment in which they agree does not end it. */
  let [held, agreed]: (Due | undefined)[] = []
  /** Of the Node, as it was last read or written; '' where it does not exist. */
  let uid = ''
  let known: PublishedNode['condition']
  let publishedKey: string | undefined
  let changes: readonly Due[] = []
  let [failures, failing] = [0, '']
  let work: Promise<void> | undefined

  const readOwn: Request = async ({cluster, nodeName}) => {
    const node = await cluster.publishedNode(nodeName)
    nextRead = isWanted ? about(READ_MS) : after(Infinity)
    // Another Node of this name, or one whose condition was removed.
    const {reason, status} = node?.condition ?? {}
    if (node?.uid !== uid || status !== known?.status || reason !== known?.reason) publishedKey = undefined
    ;[uid, known] = [node?.uid ?? '', node?.condition]
  }

  const setCondition =
    ({key, reason, status, text}: WantedCondition): Request =>
    async ({cluster, nodeName}) => {
      const condition = conditionAt(clock.now(), {reason, status, text}, known, redact)
      const isThere = await cluster.setCondition(nodeName, isWanted ? condition : undefined)
      if (key !== publishedKey) changes = [...changes, after(HOUR_MS)]
      heartbeat = about(HEARTBEAT_MS)
      ;[known, publishedKey] = isWanted ? [condition, key] : []
      held = undefined
      if (!isThere) uid = ''
    }

  const createEvent =
    (event: NodeEvent): Request =>
    async ({cluster, nodeName}) => {
      const message = redact(event.message)
      await cluster.createNodeEvent({name: nodeName, uid}, {...event, message})
    }

  /** The one request that is due now. */
  const nextRequest = (): readonly [kind: string, request: Request] | undefined => {
    if (isOver(nextRead)) return ['read', readOwn]
    // Without a Node there is nothing to report: the next check finds one that was registered again.
    if (uid === '' || !wanted) return undefined
    if (!isWanted) return known && ['condition', setCondition(wanted)]
    const isOther = wanted.key !== publishedKey && held && isOver(held)
    if (isOther || isOver(heartbeat)) return ['condition', setCondition(wanted)]
    const event = limits.take()
    return event && ['event', createEvent(event)]
  }

  /** Never rejects: that the cluster does not see the node must not keep watch from its work. */
  const attempt = async (kind: string, request: Request): Promise<void> => {
    try {
      await request(await identity())
      if (failing === kind) [failures, failing] = [0, '']
    } catch (error) {
      failing = kind
      const most = Math.min(LONGEST_PAUSE_MS, SHORTEST_PAUSE_MS * 2 ** ++failures)
      const pause = SHORTEST_PAUSE_MS + clock.random() * (most - SHORTEST_PAUSE_MS)
      const {cause} = error as Error
      const asked = cause instanceof Busy ? (cause.retryAfterMs ?? 0) : 0
      rest = after(Math.max(pause, Math.min(asked, LONGEST_ASKED_MS)))
    }
  }

  return {
    async end() {
      const withdraw = async (): Promise<void> => {
        await work
        if (uid === '' || !known || known.reason === NOT_WATCHED.reason || !isOver(rest)) return
        await attempt('condition', setCondition(NOT_WATCHED))
      }
      await orGivenUp(clock, END_MS, withdraw())
    },
    async report(state) {
      const now = conditionIn(state)
      if (isWanted !== isPublished()) [isWanted, nextRead] = [isPublished(), after(HOLD_MS / 2)]
      changes = changes.filter((one) => !isOver(one))
      agreed = now.key === publishedKey ? (agreed ?? after(HOLD_MS)) : undefined
      if (agreed && isOver(agreed)) held = undefined
      else if (!agreed) held ??= after(changes.length < MOST_CHANGES ? HOLD_MS : UNSTEADY_MS)
      wanted = now
      if (seen) limits.add(eventsOf(state, seen))
      seen = state
      const next = work || !isOver(rest) ? undefined : nextRequest()
      if (next) work = attempt(...next).finally(() => (work = undefined))
    },
  }
}

/** At once: nothing watches a simulated host between two commands, so that a state never lasts as long as others must. */
export async function publishNow(
  {clock, identity, redact}: Pick<PublishInput, 'clock' | 'identity' | 'redact'>,
  state: WatchState,
): Promise<void> {
  const {cluster, nodeName} = await identity()
  const known = (await cluster.publishedNode(nodeName))?.condition
  const wanted = conditionIn(state)
  if (known?.reason === wanted.reason && known.status === wanted.status) return
  await cluster.setCondition(nodeName, conditionAt(clock.now(), wanted, known, redact))
}

function conditionAt(
  now: number,
  {reason, status, text}: Pick<WantedCondition, 'reason' | 'status' | 'text'>,
  known: PublishedNode['condition'],
  redact: Redact,
): NodeCondition {
  const since = known?.status === status && known.since <= now ? known.since : now
  // With the time: the cluster does not show that it is out of date.
  return {at: now, message: redact(`${text}. Written at ${timeOf(now)}.`), reason, since, status}
}

/** The Node's condition for a state of watch. True is a problem, as of all conditions of a Node but Ready. */
interface WantedCondition extends Pick<NodeCondition, 'reason' | 'status'> {
  /** Another one is a change: not every other word is. */
  readonly key: string
  readonly text: string
}

/** At an orderly stop. */
const NOT_WATCHED: WantedCondition = wanted('Unknown', 'NotWatched', 'The service k8s-win was stopped')

const UNKNOWN: Partial<Record<WatchVerdict, string>> = {paused: 'Paused', unknown: NOT_WATCHED.reason}

function conditionIn({components, detail, since, troubles, verdict}: WatchState): WantedCondition {
  const aside = detail === undefined ? '' : `; ${detail}`
  const unknown = UNKNOWN[verdict]
  const from = `since ${timeOf(since)}`
  if (unknown !== undefined)
    return wanted('Unknown', unknown, `${detail ?? 'The state of the node is not known'} (${from})`)
  const [root] = troubles
  if (!root) return wanted('False', 'Healthy', `Healthy: ${components.join(', ')} (${from}${aside})`)
  const doing = {'gave-up': ', k8s-win gave up', recovering: ', being repaired'}[verdict as string] ?? ''
  const said = troubles.map(({component, error}) => `${component}: ${error.message}`).join('; ')
  return wanted('True', root.reason, `${said} (${from}${doing}${aside})`, troubles)
}

function wanted(
  status: NodeCondition['status'],
  reason: string,
  text: string,
  troubles: readonly Trouble[] = [],
): WantedCondition {
  const others = troubles.map((one) => `${one.component}/${one.reason}`).sort()
  return {key: [status, reason, ...others].join(' '), reason, status, text}
}

const REASONS = {
  'gave up': {reason: 'K8sWinGaveUp', type: 'Warning'},
  repaired: {reason: 'K8sWinRepaired', type: 'Normal'},
} as const

/** Those since the state before. A repair that failed is tried again, or is the cause of giving up. */
const eventsOf = ({repairs}: WatchState, before: WatchState): NodeEvent[] =>
  repairs
    .filter((one) => !before.repairs.includes(one))
    .flatMap((one) =>
      one.outcome === 'failed' || one.outcome === 'begun'
        ? []
        : [{count: 1, first: one.at, last: one.at, message: repairText(one), ...REASONS[one.outcome]}],
    )

/** The newest of a reason waits, and counts those before it. */
function eventLimits(clock: Pick<Clock, 'elapsed'>) {
  const waiting = new Map<string, NodeEvent & {readonly addedAt: number}>()
  let sent: {readonly at: number; readonly reason: string}[] = []
  const isWithin = (at: number, ms: number): boolean => clock.elapsed() - at < ms
  return {
    add(events: readonly NodeEvent[]): void {
      for (const event of events) {
        const {count, first} = waiting.get(event.reason) ?? {count: 0, first: event.first}
        waiting.set(event.reason, {...event, addedAt: clock.elapsed(), count: count + 1, first})
      }
    },
    /** One that may be sent now. It is not returned again: an event that is lost is not worth another request. */
    take(): NodeEvent | undefined {
      sent = sent.filter(({at}) => isWithin(at, HOUR_MS))
      const isFree = (reason: string): boolean =>
        !sent.some((one) => one.reason === reason && isWithin(one.at, APART_MS))
      const next = [...waiting.values()].find(({addedAt, reason}) => isWithin(addedAt, HOUR_MS) && isFree(reason))
      if (!next || sent.length >= MOST_PER_HOUR) return undefined
      const {addedAt: _, ...event} = next
      waiting.delete(event.reason)
      sent.push({at: clock.elapsed(), reason: event.reason})
      return event
    },
  }
}
