// Events that are created through the API of the simulated cluster.
import {json, type ModelRequest, type ModelResponse, type Stage} from '../model.js'
import {type KubernetesObject, objectOf} from './objects.js'
import type {Access} from './rbac.js'
import type {ClusterEvent} from './state.js'
import {alreadyExists, badRequest, readBody} from './status.js'

interface Body extends Partial<Omit<ClusterEvent, 'name' | 'namespace'>> {
  readonly metadata?: {readonly name?: string; readonly namespace?: string}
}

/** --event-ttl of kube-apiserver. */
const TTL_MS = 3_600_000

export const eventObject = ({name, namespace, ...rest}: ClusterEvent): KubernetesObject =>
  objectOf('Event', {name, namespace}, rest)

export function createEvent(stage: Stage, request: ModelRequest, access: Access): ModelResponse {
  const body = readBody<Body>(request)
  if (!body) return badRequest('the object provided is unrecognized (must be of type Event)')
  const {count, firstTimestamp, involvedObject = {}, lastTimestamp, message, metadata = {}, reason, source, type} = body
  const {name = '', namespace = access.namespace} = metadata
  if (namespace !== access.namespace) {
    return badRequest('the namespace of the provided object does not match the namespace sent on the request')
  }

  const {cluster} = stage.world
  const now = stage.now()
  const kept = (cluster.events ?? []).filter(({lastTimestamp}) => !(now - Date.parse(lastTimestamp ?? '') > TTL_MS))
  if (kept.some((one) => one.name === name && one.namespace === namespace)) return alreadyExists({...access, name})
  const given = {count, firstTimestamp, lastTimestamp, message, reason, source, type}
  const defined = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
  const event: ClusterEvent = {...defined, involvedObject, name, namespace}
  cluster.events = [...kept, event]
  return json(201, eventObject(event))
}
