// The API of Secrets: what users ask the simulated API server for.
import {json, type ModelRequest, type ModelResponse, type Stage} from '../model.js'
import {type KubernetesObject, objectOf, timeOf} from './objects.js'
import type {Access} from './rbac.js'
import type {ClusterSecret} from './state.js'
import {alreadyExists, badRequest, deleted, notFound, readBody} from './status.js'

interface Body {
  readonly data?: Record<string, string>
  readonly metadata?: {readonly name?: string; readonly namespace?: string}
  readonly stringData?: Record<string, string>
  readonly type?: string
}

export function secretObject({createdAt, data, name, namespace, type}: ClusterSecret): KubernetesObject {
  const created = createdAt !== undefined && {creationTimestamp: timeOf(createdAt)}
  return objectOf('Secret', {name, namespace, ...created}, {data, type})
}

export function postSecret(stage: Stage, request: ModelRequest, access: Access): ModelResponse {
  const body = readBody<Body>(request)
  if (!body) return badRequest('the object provided is unrecognized (must be of type Secret)')
  const {data = {}, stringData = {}, type = 'Opaque'} = body
  const {name = '', namespace = access.namespace} = body.metadata ?? {}
  if (namespace !== access.namespace) {
    return badRequest('the namespace of the provided object does not match the namespace sent on the request')
  }

  const {cluster} = stage.world
  const secrets = (cluster.secrets ??= [])
  if (secrets.some((one) => one.name === name && one.namespace === namespace)) return alreadyExists({...access, name})
  const plain = Object.entries(stringData).map(([key, text]) => [key, Buffer.from(text).toString('base64')] as const)
  const createdAt = stage.now() + (cluster.clockAheadMs ?? 0)
  const secret = {createdAt, data: {...data, ...Object.fromEntries(plain)}, name, namespace, type}
  secrets.push(secret)
  return json(201, secretObject(secret))
}

export function deleteSecret({world}: Stage, _request: ModelRequest, access: Access): ModelResponse {
  const {secrets = []} = world.cluster
  const found = secrets.find(({name, namespace}) => name === access.name && namespace === access.namespace)
  if (!found) return notFound(access)
  world.cluster.secrets = secrets.filter((one) => one !== found)
  return deleted(access, secretObject(found).metadata.uid)
}
