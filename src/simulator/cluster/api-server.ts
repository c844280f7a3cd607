// The Kubernetes API of the simulated cluster.
import {json, type ModelRequest, type ModelResponse, type Stage} from '../model.js'
import {isAtLeast} from '../versions.js'
import type {World} from '../world.js'
import {reviewAccess} from './access-reviews.js'
import {createEvent, eventObject} from './event-requests.js'
import {CLUSTER_INFO, clusterInfo} from './kubeconfig.js'
import type {Identity} from './identity.js'
import {changeNode} from './node-requests.js'
import {
  configMapObject,
  daemonSetObjects,
  endpointSlice,
  type KubernetesObject,
  nodeObject,
  serviceCIDRObjects,
  serviceCIDRVersion,
  serviceObject,
} from './objects.js'
import type {Access} from './rbac.js'
import {authorize} from './permissions.js'
import {createPod, deletePod} from './pod-requests.js'
import {evict, evictionVersions, podObjects} from './pods.js'
import {deleteSecret, postSecret, secretObject} from './secret-api.js'
import {requestObject} from './signing-requests.js'
import {forbidden, forbiddenPath, noSuchPath, notAllowed, notFound, pathList, unauthorized} from './status.js'

/** About how long an API server takes to answer. */
export const ANSWER_MS = 5
const HEALTH = ['/healthz', '/livez', '/readyz']
/** A term of a field selector. */
const FIELD = /^(metadata\.name|spec\.nodeName|spec\.signerName|type)=+(.+)$/s

interface Collection {
  readonly kind: string
  /** The version of the API that has it, if there is one; v1 by default. */
  readonly version?: (cluster: World['cluster']) => string | undefined
  readonly objects: (world: World, now: number, request: ModelRequest) => readonly KubernetesObject[]
}

/** What can be listed, by "group/resource". */
const COLLECTIONS: Readonly<Record<string, Collection>> = {
  '/configmaps': {kind: 'ConfigMapList', objects: configMaps},
  '/events': {kind: 'EventList', objects: ({cluster}) => (cluster.events ?? []).map(eventObject)},
  '/nodes': {kind: 'NodeList', objects: (world) => world.cluster.nodes.map((node) => nodeObject(world, node))},
  '/pods': {kind: 'PodList', objects: ({cluster}, now) => podObjects(cluster, now)},
  '/secrets': {kind: 'SecretList', objects: ({cluster}) => (cluster.secrets ?? []).map(secretObject)},
  '/services': {kind: 'ServiceList', objects: ({cluster}) => cluster.services.map(serviceObject)},
  'apps/daemonsets': {kind: 'DaemonSetList', objects: ({cluster}) => daemonSetObjects(cluster)},
  'certificates.k8s.io/certificatesigningrequests': {
    kind: 'CertificateSigningRequestList',
    objects: ({cluster}) => (cluster.certificateSigningRequests ?? []).map(requestObject),
  },
  'discovery.k8s.io/endpointslices': {
    kind: 'EndpointSliceList',
    objects: ({cluster}) => cluster.services.map((service) => endpointSlice(cluster, service)),
  },
  'networking.k8s.io/servicecidrs': {
    kind: 'ServiceCIDRList',
    objects: ({cluster}) => serviceCIDRObjects(cluster),
    version: serviceCIDRVersion,
  },
}

export async function answerCluster(
  stage: Stage,
  request: ModelRequest,
  identity: Identity | undefined,
): Promise<ModelResponse> {
  await stage.elapse(ANSWER_MS)
  const {cluster} = stage.world
  if (!identity) return unauthorized()
  // Everybody may read health and version (ClusterRole system:public-info-viewer).
  if (request.path === '/version') return json(200, versionInfo(cluster))
  if (HEALTH.includes(request.path)) {
    return {body: 'ok', headers: {'content-type': 'text/plain; charset=utf-8'}, status: 200}
  }

  // Every authenticated user may (ClusterRole system:discovery).
  if (request.path === '/api/v1' && !identity.groups.includes('system:unauthenticated'))
    return resourceList(stage.world)
  const access = accessOf(request)
  if (!access) {
    const verb = request.method.toLowerCase()
    const isMaster = identity.groups.includes('system:masters')
    return isMaster
      ? pathList(['/api', '/apis', ...HEALTH, '/version'])
      : forbiddenPath(identity.user, verb, request.path)
  }

  // Every authenticated user may review its access (ClusterRole system:basic-user).
  const isAuthenticated = !identity.groups.includes('system:unauthenticated')
  if (access.resource === 'selfsubjectaccessreviews' && isAuthenticated) return reviewAccess(cluster, identity, request)
  const {allowed, reason} = authorize(cluster, identity, access)
  if (!allowed) return forbidden(identity.user, access, reason)
  return answerResource(stage, request, access, identity)
}

type Change = (stage: Stage, request: ModelRequest, access: Access, identity: Identity) => ModelResponse

/** By "verb group/resource". */
const CHANGES: Readonly<Record<string, Change>> = {
  'create /events': createEvent,
  'create /pods': createPod,
  'create /pods/eviction': evict,
  'create /secrets': postSecret,
  'delete /nodes': changeNode,
  'delete /pods': deletePod,
  'delete /secrets': deleteSecret,
  'patch /nodes': changeNode,
  'patch /nodes/status': changeNode,
}
const NAMESPACED = ['events', 'pods', 'secrets']

function answerResource(stage: Stage, request: ModelRequest, access: Access, identity: Identity): ModelResponse {
  const {world} = stage
  const [resource = '', subresource] = access.resource.split('/')
  const change = CHANGES[`${access.verb} ${access.group}/${access.resource}`]
  // A new object has no name in its path; a subresource is of one that has.
  const isNew = access.verb === 'create' && subresource === undefined
  const isPlaced = access.namespace !== '' || !NAMESPACED.includes(resource)
  if (change && isPlaced && (access.name === '') === isNew) return change(stage, request, access, identity)
  const collection = COLLECTIONS[`${access.group}/${resource}`]
  const version = collection?.version ? collection.version(world.cluster) : 'v1'
  if (!collection || version !== versionIn(request) || (subresource && subresource !== 'status')) return noSuchPath()
  const objects = collection
    .objects(world, stage.now(), request)
    .filter(({metadata}) => !access.namespace || metadata.namespace === access.namespace)
  if (access.verb === 'list') return listOf(collection.kind, access, objects, request)
  const found = objects.find(({metadata}) => metadata.name === access.name)
  if (!found) return notFound(access)
  return access.verb === 'get' ? json(200, found) : notAllowed()
}

/** One of the name cluster-info in machine.json replaces the computed one. */
function configMaps({cluster}: World, now: number, {isUnverified}: ModelRequest): KubernetesObject[] {
  const isGiven = cluster.configMaps.some(
    ({name, namespace}) => name === CLUSTER_INFO.name && namespace === CLUSTER_INFO.namespace,
  )
  const info = isGiven ? undefined : clusterInfo(cluster, now + (cluster.clockAheadMs ?? 0), isUnverified)
  return [...cluster.configMaps, ...(info ? [info] : [])].map(configMapObject)
}

/** apimachinery/pkg/apis/meta/v1/types.go, PartialObjectMetadataList. */
const METADATA = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1'

/** Items are selected, paged, and carry neither kind nor apiVersion. */
function listOf(
  kind: string,
  {group}: Access,
  objects: readonly KubernetesObject[],
  request: ModelRequest,
): ModelResponse {
  const {query} = request
  const bare = objects.filter(selectedBy(query)).map((item) => ({...item, apiVersion: undefined, kind: undefined}))
  const start = Number(query.get('continue') ?? 0)
  const items = bare.slice(start, start + (Number(query.get('limit')) || bare.length))
  const left = bare.length - start - items.length
  const more = left > 0 && {continue: String(start + items.length), remainingItemCount: left}
  if (request.headers['accept']?.startsWith(METADATA)) {
    return json(200, {
      kind: 'PartialObjectMetadataList',
      apiVersion: 'meta.k8s.io/v1',
      metadata: {resourceVersion: '1000', ...more},
      items: items.map(({metadata}) => ({kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata})),
    })
  }

  return json(200, {
    kind,
    apiVersion: group ? `${group}/${versionIn(request)}` : 'v1',
    metadata: {resourceVersion: '1000', ...more},
    items,
  })
}

/** labelSelector "a=b,c", and fieldSelector of the fields that exist for it. */
function selectedBy(query: URLSearchParams): (object: KubernetesObject) => boolean {
  const terms = (query.get('labelSelector') ?? '').split(',').filter(Boolean)
  const fields = (query.get('fieldSelector') ?? '').split(',').map((term) => FIELD.exec(term) ?? [])
  return ({metadata, spec, type}) =>
    fields.every(([, path, value]) => {
      if (path === undefined) return true
      if (path === 'metadata.name') return metadata.name === value
      return (path === 'type' ? type : spec?.[path.slice('spec.'.length)]) === value
    }) &&
    terms.every((term) => {
      const [key = '', value] = term.split(/==?/)
      const label = metadata.labels?.[key]
      return label !== undefined && (value === undefined || label === value)
    })
}

/** The part of /api/v1 that says how pods are evicted (kubectl drain reads it, too). */
function resourceList({cluster}: World): ModelResponse {
  const [group = '', version = ''] = evictionVersions(cluster)[0]?.split('/') ?? []
  const eviction = {name: 'pods/eviction', singularName: '', namespaced: true, group, version, kind: 'Eviction'}
  const pods = {name: 'pods', singularName: '', namespaced: true, kind: 'Pod', verbs: ['get', 'list']}
  return json(200, {kind: 'APIResourceList', groupVersion: 'v1', resources: [pods, {...eviction, verbs: ['create']}]})
}

function accessOf({method, path, query}: ModelRequest): Access | undefined {
  const pattern =
    /^\/api(?:s\/([^/]+))?\/v1(?:beta1)?(?:\/namespaces\/([^/]+))?\/([a-z]+)(?:\/([^/]+))?(?:\/([a-z]+))?$/
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
    name: decodeURIComponent(name) || (method === 'GET' ? nameIn(query) : ''),
    namespace: decodeURIComponent(namespace),
    onNode: /^spec\.nodeName=+(.+)$/s.exec(query.get('fieldSelector') ?? '')?.[1],
    resource: subresource ? `${resource}/${subresource}` : resource,
    verb: verbs[method] ?? method.toLowerCase(),
  }
}

const versionIn = ({path}: ModelRequest): string => (path.includes('/v1beta1/') ? 'v1beta1' : 'v1')

/** requestinfo.go: a list with a field selector for one name is authorized as a request for that object. */
function nameIn(query: URLSearchParams): string {
  const terms = (query.get('fieldSelector') ?? '').split(',')
  const name = terms.map((term) => /^metadata\.name==?([^=]*)$/.exec(term)?.[1]).find((one) => one !== undefined) ?? ''
  // IsValidPathSegmentName.
  return /^\.{1,2}$|[/%]/.test(name) ? '' : name
}

function versionInfo({emulatedMinor, version: gitVersion}: World['cluster']): object {
  const [, major = '1', minor = '23'] = /^v?(\d+)\.(\d+)/.exec(gitVersion) ?? []
  return {
    major,
    minor,
    // apimachinery pkg/version/types.go: gitVersion is that of the binary, also where it emulates an older minor.
    ...(isAtLeast(gitVersion, '1.33') && {emulationMajor: major, emulationMinor: String(emulatedMinor ?? minor)}),
    gitVersion,
  }
}
