// Events that are created through the API of the simulated cluster.
import {json, type ModelRequest, type ModelResponse, type Stage} from '../model.js'
import {type KubernetesObject, objectOf} from './objects.js'
import type {Access} from './rbac.js'
import type {ClusterEvent} from './state.js'
import {alreadyExists, badRequest, invalid, readBody} from './status.js'

interface Body extends Partial<Omit<ClusterEvent, 'name' | 'namespace'>> {
  readonly action?: string
  /** Only newer events have it, and then more is required of them. */
  readonly eventTime?: string
  readonly metadata?: {readonly generateName?: string; readonly name?: string; readonly namespace?: string}
  readonly reportingComponent?: string
  readonly reportingInstance?: string
}

/** --event-ttl of kube-apiserver. */
const TTL_MS = 3_600_000

export const eventObject = ({name, namespace, ...rest}: ClusterEvent): KubernetesObject =>
  objectOf('Event', {name, namespace}, rest)

export function createEvent(stage: Stage, request: ModelRequest, access: Access): ModelResponse {
  const body = readBody<Body>(request)
  if (!body) return badRequest('the object provided is unrecognized (must be of type Event)')
  const {metadata = {}, ...fields} = body
  const {generateName = '', namespace = access.namespace} = metadata
  if (namespace !== access.namespace) {
    return badRequest('the namespace of the provided object does not match the namespace sent on the request')
  }

  const {cluster} = stage.world
  const now = stage.now()
  const name = metadata.name ?? (generateName && `${generateName}${now.toString(36).slice(-5)}`)
  const problems = problemsOf(body, name, namespace)
  if (problems.length > 0) return invalid({...access, name}, 'Event', problems)
  const kept = (cluster.events ?? []).filter(({lastTimestamp}) => !(now - Date.parse(lastTimestamp ?? '') > TTL_MS))
  if (kept.some((one) => one.name === name && one.namespace === namespace)) return alreadyExists({...access, name})
  const {count, firstTimestamp, involvedObject = {}, lastTimestamp, message, reason, source, type} = fields
  const given = {count, firstTimestamp, lastTimestamp, message, reason, source, type}
  const defined = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
  const event: ClusterEvent = {...defined, involvedObject, name, namespace}
  cluster.events = [...kept, event]
  return json(201, eventObject(event))
}

/** pkg/apis/core/validation/events.go, legacyValidateEvent; then the name, as of every object (rest/create.go). */
function problemsOf(body: Body, name: string, namespace: string): {field: string; message: string}[] {
  const {eventTime, involvedObject: {namespace: ofObject = ''} = {}} = body
  const required = (['action', 'reason', 'reportingComponent', 'reportingInstance'] as const).filter(
    (field) => eventTime !== undefined && !body[field],
  )
  const spaces = ofObject === '' ? ['default', ...(eventTime === undefined ? [] : ['kube-system'])] : [ofObject]
  const isElsewhere = !spaces.includes(namespace) && (eventTime === undefined || ofObject === '')
  const found = [
    ...(isElsewhere
      ? [{field: 'involvedObject.namespace', message: `Invalid value: "${ofObject}": does not match event.namespace`}]
      : []),
    ...required.map((field) => ({field, message: 'Required value'})),
  ]
  if (found.length > 0) return found
  if (name === '') return [{field: 'metadata.name', message: 'Required value: name or generateName is required'}]
  return /^\.{1,2}$|[%/]/.test(name)
    ? [{field: 'metadata.name', message: `Invalid value: "${name}": may not contain '/' or '%'`}]
    : []
}
