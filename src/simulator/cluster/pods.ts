// Pods of the simulated cluster, and their eviction (pkg/registry/core/pod/storage/eviction.go): within what disruption
// budgets allow, a pod is asked to end, and is gone when it has.
import {json, type ModelRequest, type ModelResponse} from '../model.js'
import type {KubernetesObject} from './objects.js'
import {metadata} from './objects.js'
import type {ClusterPod, ClusterState, DisruptionBudget} from './state.js'
import {badRequest, conflict, failure, notFound} from './status.js'

const GRACE_MS = 2000

export function podObjects(cluster: ClusterState, now: number): KubernetesObject[] {
  return podsNow(cluster, now).map(podObject)
}

function podsNow(cluster: ClusterState, now: number): ClusterPod[] {
  return (cluster.pods ?? []).filter(
    ({finalizers = [], goneAt}) => goneAt === undefined || goneAt > now || finalizers.length > 0,
  )
}

function podObject(pod: ClusterPod): KubernetesObject {
  const {
    annotations,
    deletedAt,
    finalizers,
    graceMs = GRACE_MS,
    labels,
    name,
    namespace,
    node,
    owner,
    phase = 'Running',
  } = pod
  return {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: {
      ...metadata('Pod', name, namespace),
      ...(labels && {labels}),
      ...(annotations && {annotations}),
      ...(finalizers && {finalizers}),
      ...(deletedAt !== undefined && {
        deletionGracePeriodSeconds: Math.ceil(graceMs / 1000),
        deletionTimestamp: new Date(deletedAt + graceMs).toISOString().replace(/\.\d+Z$/, 'Z'),
      }),
      ...(owner && {
        ownerReferences: [
          {apiVersion: 'apps/v1', ...owner, uid: metadata(owner.kind, owner.name, namespace).uid, controller: true},
        ],
      }),
    },
    spec: {containers: [{name}], nodeName: node},
    status: {phase},
  } as KubernetesObject
}

export interface EvictionRequest {
  readonly cluster: ClusterState
  readonly now: number
  readonly request: ModelRequest
}

/** POST of pods/eviction. */
export function evict({cluster, now, request}: EvictionRequest, namespace: string, name: string): ModelResponse {
  const pod = podsNow(cluster, now).find((one) => one.name === name && one.namespace === namespace)
  if (!pod) return notFound({group: '', name, namespace, resource: 'pods', verb: 'create'})
  const {apiVersion, deleteOptions, kind} = read(request.body)
  if (kind !== 'Eviction' || apiVersion === undefined || !evictionVersions(cluster).includes(apiVersion)) {
    return badRequest(`no kind "${kind}" is registered for version "${apiVersion}" in scheme "k8s.io/kubernetes"`)
  }

  const wanted = deleteOptions?.preconditions?.uid
  const {uid} = metadata('Pod', name, namespace)
  if (wanted !== undefined && wanted !== uid) {
    return conflict(`the UID in the precondition (${wanted}) does not match the UID in record (${uid})`)
  }

  const refused = refusal(cluster, pod, now)
  if (refused) return refused
  pod.deletedAt ??= now
  pod.goneAt ??= now + (pod.graceMs ?? GRACE_MS)
  return json(201, {kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201})
}

/** Versions of Eviction that the server accepts, newest first: v1 since 1.22. */
export function evictionVersions({version}: ClusterState): string[] {
  const minor = Number(/^v?\d+\.(\d+)/.exec(version)?.[1] ?? '23')
  if (minor < 22) return ['policy/v1beta1']
  return minor < 25 ? ['policy/v1', 'policy/v1beta1'] : ['policy/v1']
}

function refusal(cluster: ClusterState, pod: ClusterPod, now: number): ModelResponse | undefined {
  const budgets = (cluster.disruptionBudgets ?? []).filter((budget) => covers(budget, pod))
  if (budgets.length > 1) {
    const message = 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.'
    return failure(500, 'InternalError', message)
  }

  const [budget] = budgets
  if (!budget || pod.deletedAt !== undefined) return undefined
  const all = podsNow(cluster, now).filter((one) => covers(budget, one))
  const leaving = all.filter(({deletedAt}) => deletedAt !== undefined).length
  if (leaving < budget.allowed) return undefined
  const healthy = all.length - leaving
  const message = `The disruption budget ${budget.name} needs ${all.length - budget.allowed} healthy pods and has ${healthy} currently`
  const causes = [{reason: 'DisruptionBudget', message}]
  return failure(429, 'TooManyRequests', "Cannot evict pod as it would violate the pod's disruption budget.", {causes})
}

const covers = ({labels, namespace}: DisruptionBudget, pod: ClusterPod): boolean =>
  pod.namespace === namespace && Object.entries(labels).every(([key, value]) => pod.labels?.[key] === value)

interface EvictionDocument {
  readonly apiVersion?: string
  readonly deleteOptions?: {readonly preconditions?: {readonly uid?: string}}
  readonly kind?: string
}

function read(body: Buffer): EvictionDocument {
  try {
    return JSON.parse(body.toString('utf8')) as EvictionDocument
  } catch {
    return {}
  }
}
