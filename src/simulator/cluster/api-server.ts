// The Kubernetes API over the simulated cluster: who asks, may they, and what is the answer.
import type {ModelRequest, ModelResponse, Stage} from '../model.js'
import type {World} from '../world.js'
import {daemonSetObjects} from './daemon-sets.js'
import type {Identity} from './identity.js'
import {patchNode} from './node-patch.js'
import type {KubernetesObject} from './objects.js'
import {configMapObject, nodeObject, serviceObject} from './objects.js'
import type {Access} from './permissions.js'
import {isAllowed} from './permissions.js'
import {
  badRequest,
  forbidden,
  forbiddenPath,
  json,
  noSuchPath,
  notAllowed,
  notFound,
  pathList,
  unauthorized,
  unsupportedType,
} from './status.js'

/** How long an API server takes to answer, about. */
export const ANSWER_MS = 5
const HEALTH = ['/healthz', '/livez', '/readyz']
const PATCHES = ['application/merge-patch+json', 'application/strategic-merge-patch+json']

/** What can be listed, by "group/resource". */
const COLLECTIONS: Readonly<Record<string, {kind: string; objects: (world: World) => readonly KubernetesObject[]}>> = {
  '/configmaps': {kind: 'ConfigMapList', objects: ({cluster}) => cluster.configMaps.map(configMapObject)},
  '/nodes': {kind: 'NodeList', objects: (world) => world.cluster.nodes.map((node) => nodeObject(world, node))},
  '/services': {kind: 'ServiceList', objects: ({cluster}) => cluster.services.map(serviceObject)},
  'apps/daemonsets': {kind: 'DaemonSetList', objects: ({cluster}) => daemonSetObjects(cluster)},
}

export async function answerCluster(
  stage: Stage,
  request: ModelRequest,
  identity: Identity | undefined,
): Promise<ModelResponse> {
  await stage.elapse(ANSWER_MS)
  const {cluster} = stage.world
  if (!identity) return unauthorized()
  // Health and version are open to everybody (ClusterRole system:public-info-viewer).
  if (request.path === '/version') return json(200, versionInfo(cluster.version))
  if (HEALTH.includes(request.path)) {
    return {body: 'ok', headers: {'content-type': 'text/plain; charset=utf-8'}, status: 200}
  }

  const access = accessOf(request)
  if (!access) {
    const verb = request.method.toLowerCase()
    const isMaster = identity.groups.includes('system:masters')
    return isMaster
      ? pathList(['/api', '/apis', ...HEALTH, '/version'])
      : forbiddenPath(identity.user, verb, request.path)
  }

  // Everybody may ask what they may do who is somebody (ClusterRole system:basic-user).
  const isSomebody = !identity.groups.includes('system:unauthenticated')
  if (access.resource === 'selfsubjectaccessreviews' && isSomebody) return reviewAccess(stage.world, identity, request)
  if (!isAllowed(cluster, identity, access)) return forbidden(identity.user, access)
  return answerResource(stage.world, request, access)
}

function answerResource(world: World, request: ModelRequest, access: Access): ModelResponse {
  const [resource = '', subresource] = access.resource.split('/')
  const collection = COLLECTIONS[`${access.group}/${resource}`]
  if (!collection || (subresource && subresource !== 'status')) return noSuchPath()
  const objects = collection
    .objects(world)
    .filter(({metadata}) => !access.namespace || metadata.namespace === access.namespace)
  if (access.verb === 'list') {
    const items = objects.filter(selectedBy(request.query))
    const apiVersion = access.group ? `${access.group}/v1` : 'v1'
    // Items of a list carry neither kind nor apiVersion.
    const bare = items.map((item) => ({...item, apiVersion: undefined, kind: undefined}))
    const page = bare.slice(0, Number(request.query.get('limit')) || bare.length)
    const left = bare.length - page.length
    const more = left > 0 && {continue: String(page.length), remainingItemCount: left}
    return json(200, {kind: collection.kind, apiVersion, metadata: {resourceVersion: '1000', ...more}, items: page})
  }

  const found = objects.find(({metadata}) => metadata.name === access.name)
  if (!found) return notFound(access)
  if (access.verb === 'get') return json(200, found)
  const node = resource === 'nodes' ? world.cluster.nodes.find(({name}) => name === access.name) : undefined
  if (!node) return notAllowed()
  if (access.verb === 'delete') {
    world.cluster.nodes.splice(world.cluster.nodes.indexOf(node), 1)
    const {uid} = found.metadata
    const details = {name: node.name, kind: 'nodes', uid}
    return json(200, {kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details})
  }

  if (access.verb !== 'patch') return notAllowed()
  if (!PATCHES.includes(request.headers['content-type'] ?? '')) return unsupportedType()
  const problem = patchNode(node, request.body)
  return problem === undefined ? json(200, nodeObject(world, node)) : badRequest(problem)
}

function reviewAccess(world: World, identity: Identity, {body, method}: ModelRequest): ModelResponse {
  if (method !== 'POST') return notAllowed()
  let review: {spec?: {resourceAttributes?: Partial<Access> & {subresource?: string}}}
  try {
    review = JSON.parse(body.toString('utf8')) as typeof review
  } catch {
    return badRequest('unexpected EOF')
  }

  const {
    group = '',
    name = '',
    namespace = '',
    resource = '',
    subresource,
    verb = '',
  } = review.spec?.resourceAttributes ?? {}
  const full = subresource ? `${resource}/${subresource}` : resource
  const allowed = isAllowed(world.cluster, identity, {group, name, namespace, resource: full, verb})
  // Who is of system:masters is not told why: that is not for RBAC to say.
  const isMaster = identity.groups.includes('system:masters')
  const reason = `RBAC: allowed by ClusterRoleBinding "simulated" of ClusterRole "simulated" to User "${identity.user}"`
  const answer = {kind: 'SelfSubjectAccessReview', apiVersion: 'authorization.k8s.io/v1'}
  const status = allowed && !isMaster ? {allowed, reason} : {allowed}
  return json(201, {...answer, metadata: {creationTimestamp: null}, spec: review.spec, status})
}

function accessOf({method, path}: ModelRequest): Access | undefined {
  const pattern = /^\/api(?:s\/([^/]+))?\/v1(?:\/namespaces\/([^/]+))?\/([a-z]+)(?:\/([^/]+))?(?:\/([a-z]+))?$/
  const found = pattern.exec(path)
  if (!found) return undefined
  const [, group = '', namespace = '', resource = '', name = '', subresource] = found
  const verbs: Record<string, string> = {
    DELETE: 'delete',
    GET: name ? 'get' : 'list',
    PATCH: 'patch',
    POST: 'create',
    PUT: 'update',
  }
  return {
    group,
    name: decodeURIComponent(name),
    namespace: decodeURIComponent(namespace),
    resource: subresource ? `${resource}/${subresource}` : resource,
    verb: verbs[method] ?? method.toLowerCase(),
  }
}

/** labelSelector "a=b,c" and fieldSelector metadata.name. */
function selectedBy(query: URLSearchParams): (object: KubernetesObject) => boolean {
  const terms = (query.get('labelSelector') ?? '').split(',').filter(Boolean)
  const name = /^metadata\.name=+(.+)$/.exec(query.get('fieldSelector') ?? '')?.[1]
  return ({metadata}) =>
    (name === undefined || metadata.name === name) &&
    terms.every((term) => {
      const [key = '', value] = term.split(/==?/)
      const label = metadata.labels?.[key]
      return label !== undefined && (value === undefined || label === value)
    })
}

function versionInfo(gitVersion: string): object {
  const [, major = '1', minor = '23'] = /^v?(\d+)\.(\d+)/.exec(gitVersion) ?? []
  return {
    major,
    minor,
    gitVersion,
    gitCommit: '953be8927218ec8067e1af2641e540238ffd7576',
    gitTreeState: 'clean',
    buildDate: '2023-02-22T13:27:46Z',
    goVersion: 'go1.19.6',
    compiler: 'gc',
    platform: 'linux/amd64',
  }
}
