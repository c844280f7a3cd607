// Shows the state of the node to its cluster: a condition of the Node and events, with the kubelet's identity. It is kind to the
// API server of thousands of nodes, whose flannelds all watch all Nodes: one request at a time, few of them, and pauses that grow
// when it cannot answer. It has no timer: what is due is sent after a round of watch, in the background.
import type {NodeCondition, NodeEvent} from '../../host/cluster/node-condition.js'
import {Busy} from '../../host/cluster/request.js'
import {orGivenUp} from '../../host/wait.js'
import type {Clock} from '../../machine/clock.js'
import {isTransient} from '../../pipeline/desired/cluster/node-cluster.js'
import {eventLimits, eventsOf} from './node-events.js'
import type {WatchReporter, WatchState} from './model.js'
import type {NodeIdentity} from './node-identity.js'
import {conditionIn, NOT_WATCHED, type WantedCondition} from './wanted-condition.js'

export interface PublishInput {
  readonly clock: Clock
  /** The one that the kubelet has now. */
  readonly identity: () => Promise<NodeIdentity>
  /** What could not be shown, and why: once per cause. */
  readonly warn?: (message: string) => void
}

const MINUTE = 60_000
/** What lasts for less is not shown. */
const HOLD_MS = 30_000
/** The node lifecycle controller leaves the condition of a dead node as it is: readers look at the age of its heartbeat. */
const HEARTBEAT_MS = 30 * MINUTE
/** Whether its Node is there, and has the condition. */
const LOOK_MS = 5 * MINUTE
const [SHORTEST_PAUSE_MS, LONGEST_PAUSE_MS] = [30_000, 15 * MINUTE]
/** A longer Retry-After is a mistake, or hostile. */
const LONGEST_ASKED_MS = 60 * MINUTE
/** Windows waits for services when it shuts down. */
const END_MS = 5000

/** From when on something is due. */
interface Due {
  readonly at: number
  readonly from: number
}

export function openPublisher({clock, identity, warn = () => {}}: PublishInput): WatchReporter {
  const after = (ms: number): Due => ({at: clock.now() + ms, from: clock.now()})
  /** A clock that was set back prolongs nothing. */
  const isOver = ({at, from}: Due): boolean => clock.now() >= at || clock.now() < from
  const about = (ms: number): Due => after(ms * (0.5 + clock.random()))
  const limits = eventLimits(clock)
  const pending = new Map<string, NodeEvent>()
  let seen: WatchState | undefined
  let wanted: WantedCondition | undefined
  let held = after(HOLD_MS)
  let [look, heartbeat, rest] = [after(0), about(HEARTBEAT_MS), after(0)]
  /** Of the Node, as it was when it was last read or written; '' where it does not exist. */
  let uid = ''
  let known: (Pick<NodeCondition, 'reason' | 'since'> & {readonly status: string}) | undefined
  let publishedKey: string | undefined
  let failures = 0
  let failing = ''
  let problem = ''
  let work: Promise<void> | undefined

  const readOwn = async ({cluster, nodeName}: NodeIdentity): Promise<void> => {
    const node = await cluster.publishedNode(nodeName)
    look = about(LOOK_MS)
    // Another Node of the name, or one whose condition somebody removed, has to be told again.
    const isOurs =
      node?.uid === uid && node.condition?.status === known?.status && node.condition?.reason === known?.reason
    if (!isOurs) publishedKey = undefined
    ;[uid, known] = [node?.uid ?? '', node?.condition]
  }

  const setCondition = async (
    {cluster, nodeName}: NodeIdentity,
    {key, message, reason, status}: WantedCondition,
  ): Promise<void> => {
    const now = clock.now()
    const isSame = known?.status === status && known.since <= now
    const since = isSame ? (known?.since ?? now) : now
    const isThere = await cluster.setCondition(nodeName, {at: now, message: message(now), reason, since, status})
    if (isThere) [heartbeat, known, publishedKey] = [about(HEARTBEAT_MS), {reason, since, status}, key]
    else [look, uid] = [about(LOOK_MS), '']
  }

  const createEvent = async ({cluster, nodeName}: NodeIdentity, event: NodeEvent): Promise<void> => {
    limits.count(event.reason)
    try {
      await cluster.createNodeEvent({name: nodeName, uid}, event)
      pending.delete(event.reason)
    } catch (error) {
      if (!isTransient(error)) pending.delete(event.reason)
      throw error
    }
  }

  /** The one request that is due now. */
  const nextRequest = (): {kind: string; send(as: NodeIdentity): Promise<void>} | undefined => {
    if (isOver(look)) return {kind: 'read', send: readOwn}
    // Without a Node there is nothing to tell it: the next look finds one that was registered again.
    if (uid === '' || !wanted) return undefined
    const one = wanted
    const isDue = one.key === publishedKey ? isOver(heartbeat) : isOver(held)
    if (isDue) return {kind: 'condition', send: (as) => setCondition(as, one)}
    const event = limits.allowed(pending)
    return event && {kind: 'event', send: (as) => createEvent(as, event)}
  }

  /** Never rejects: that the cluster does not see the node must not keep watch from its work. */
  const attempt = async (kind: string, send: (as: NodeIdentity) => Promise<void>): Promise<void> => {
    try {
      await send(await identity())
      if (failing === kind) [failing, failures, problem] = ['', 0, '']
    } catch (error) {
      failing = kind
      const most = Math.min(LONGEST_PAUSE_MS, SHORTEST_PAUSE_MS * 2 ** ++failures)
      const pause = SHORTEST_PAUSE_MS + clock.random() * (most - SHORTEST_PAUSE_MS)
      const {cause, message} = error as Error
      const asked = cause instanceof Busy ? (cause.retryAfterMs ?? 0) : 0
      rest = after(Math.max(pause, Math.min(asked, LONGEST_ASKED_MS)))
      if (message !== problem) warn(`the cluster does not see the state of this node: ${message}`)
      problem = message
    }
  }

  return {
    async end() {
      await orGivenUp(clock, END_MS, work ?? Promise.resolve())
      const isShown = known !== undefined && known.reason !== NOT_WATCHED.reason
      if (work || uid === '' || !isShown || !isOver(rest)) return
      await orGivenUp(
        clock,
        END_MS,
        attempt('condition', (as) => setCondition(as, NOT_WATCHED)),
      )
    },
    async report(state) {
      const now = conditionIn(state)
      if (now.key !== wanted?.key) held = after(HOLD_MS)
      wanted = now
      for (const event of eventsOf(state, seen)) {
        const {count, first} = pending.get(event.reason) ?? {count: 0, first: event.first}
        pending.set(event.reason, {...event, count: count + 1, first})
      }

      seen = state
      const next = work || !isOver(rest) ? undefined : nextRequest()
      if (next) work = attempt(next.kind, next.send).finally(() => (work = undefined))
    },
  }
}
