// The condition of k8s-win in a Node's status, and events about the Node. The node's own identity suffices: the Node authorizer
// allows it to read its Node, to patch nodes/status and to create events (bootstrappolicy/policy.go, NodeRules), and
// NodeRestriction does not judge conditions (admission.go, admitNode).
import {listAt, textAt} from '../document.js'
import {shortened} from '../../errors/shortened.js'
import type {AskCluster} from './request.js'

export const CONDITION = 'K8sWinUnhealthy'

export interface NodeCondition {
  /** When it was written. */
  readonly at: number
  readonly message: string
  readonly reason: string
  /** When its status became what it is. */
  readonly since: number
  readonly status: 'False' | 'True' | 'Unknown'
}

export interface NodeEvent {
  readonly count: number
  readonly first: number
  readonly last: number
  readonly message: string
  readonly reason: string
  readonly type: 'Normal' | 'Warning'
}

/** What a Node says of itself and of k8s-win. */
export interface PublishedNode {
  /** `since`: NaN where it is not a time. */
  readonly condition?: {readonly reason: string; readonly since: number; readonly status: string}
  readonly uid: string
}

/** What is published is not tried again: see Busy for the pause that the API server asks for. */
export interface ClusterNodeConditions {
  /** The same event is created once. */
  createNodeEvent(node: {readonly name: string; readonly uid: string}, event: NodeEvent): Promise<void>
  /** Undefined where there is no such node. */
  publishedNode(name: string): Promise<PublishedNode | undefined>
  /** Without a condition it is removed. False where there is no such node. */
  setCondition(name: string, condition?: NodeCondition): Promise<boolean>
}

/** Of an event (validation/events.go, NoteLengthLimit). A condition has no limit; it is delivered to all who watch Nodes. */
const LONGEST_MESSAGE = 1000
/** etcd takes objects of up to 1.5 MiB. */
const LARGEST_BYTES = 2 ** 21
const PROBE = {isProbe: true, maxBytes: LARGEST_BYTES} as const
const UID = /^[\w-]{1,128}$/

export function openNodeConditions(
  ask: AskCluster,
  parse: (what: string, body: Buffer) => object,
): ClusterNodeConditions {
  return {
    async createNodeEvent({name, uid}, {count, first, last, message, reason, type}) {
      const involvedObject = {apiVersion: 'v1', kind: 'Node', name, uid}
      // Without a namespace in involvedObject an event must be in "default" (legacyValidateEvent).
      const metadata = {name: `${name}.${reason.toLowerCase()}.${first.toString(16)}`, namespace: 'default'}
      const times = {firstTimestamp: timeOf(first), lastTimestamp: timeOf(last)}
      const reporter = {
        reportingComponent: 'k8s-win',
        reportingInstance: name,
        source: {component: 'k8s-win', host: name},
      }
      const event = {count, ...times, involvedObject, message: cut(message), metadata, reason, ...reporter, type}
      const body = {apiVersion: 'v1', kind: 'Event', ...event}
      // 409: an earlier try arrived, and its answer did not.
      await ask('POST', '/api/v1/namespaces/default/events', body, {...PROBE, answers: [409], effect: 'change'})
    },
    async publishedNode(name) {
      const path = `/api/v1/nodes/${name}`
      const {body, status} = await ask('GET', path, undefined, PROBE)
      if (status === 404) return undefined
      const node = parse(`GET ${path}`, body)
      const found = listAt(node, 'status', 'conditions').find((one) => textAt(one, 'type') === CONDITION)
      const since = Date.parse(textAt(found, 'lastTransitionTime'))
      const uid = textAt(node, 'metadata', 'uid')
      return {
        ...(found !== undefined && {
          condition: {reason: textAt(found, 'reason'), since, status: textAt(found, 'status')},
        }),
        uid: UID.test(uid) ? uid : '',
      }
    },
    async setCondition(name, condition) {
      // Conditions are merged by their type: the kubelet's stay as they are (core/v1/types.go, NodeStatus).
      const one = condition ? conditionOf(condition) : {$patch: 'delete', type: CONDITION}
      const body = {status: {conditions: [one]}}
      const {status} = await ask('PATCH', `/api/v1/nodes/${name}/status`, body, {
        ...(condition && PROBE),
        isStrategic: true,
      })
      return status !== 404
    },
  }
}

const conditionOf = ({at, message, reason, since, status}: NodeCondition): object => ({
  lastHeartbeatTime: timeOf(at),
  lastTransitionTime: timeOf(since),
  message: cut(message),
  reason,
  status,
  type: CONDITION,
})

const cut = (text: string): string => shortened(text, LONGEST_MESSAGE)
/** As the API writes it: without milliseconds. */
export const timeOf = (ms: number): string => new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z')
