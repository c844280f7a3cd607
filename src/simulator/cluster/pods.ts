// Pods of the simulated cluster, and their eviction (pkg/registry/core/pod/storage/eviction.go): within what disruption
// budgets allow, a pod is asked to end, and is gone when it has.
import {json, type ModelRequest, type ModelResponse, type Stage} from '../model.js'
import type {Identity} from './identity.js'
import {type KubernetesObject, objectOf, timeOf, uidOf as uidOfNamed} from './objects.js'
import {admissionProblem} from './permissions.js'
import type {Access} from './rbac.js'
import type {ClusterPod, ClusterState, ContainerState, DisruptionBudget} from './state.js'
import {badRequest, failure, notAdmitted, notFound, readBody} from './status.js'

const GRACE_MS = 2000

export function podObjects(cluster: ClusterState, now: number): KubernetesObject[] {
  return podsNow(cluster, now).map(podObject)
}

export function podsNow(cluster: ClusterState, now: number): ClusterPod[] {
  return (cluster.pods ?? []).filter(
    ({finalizers = [], goneAt}) => goneAt === undefined || goneAt > now || finalizers.length > 0,
  )
}

export const uidOf = ({name, namespace, uid}: Pick<ClusterPod, 'name' | 'namespace' | 'uid'>): string =>
  uid ?? uidOfNamed('Pod', name, namespace)

export function podObject(pod: ClusterPod): KubernetesObject {
  const {
    annotations,
    containers,
    deletedAt,
    finalizers,
    graceMs = GRACE_MS,
    ip,
    labels,
    name,
    namespace,
    node,
    owner,
    phase = 'Running',
    problem,
    spec,
    startedAt,
    volumes,
  } = pod
  const uid = owner && uidOfNamed(owner.kind, owner.name, namespace)
  const named = {
    name,
    namespace,
    uid: uidOf(pod),
    ...(labels && {labels}),
    ...(annotations && {annotations}),
    ...(finalizers && {finalizers}),
    ...(deletedAt !== undefined && {
      deletionGracePeriodSeconds: Math.ceil(graceMs / 1000),
      deletionTimestamp: timeOf(deletedAt + graceMs),
    }),
    ...(owner && {ownerReferences: [{apiVersion: 'apps/v1', ...owner, uid, controller: true}]}),
  }
  return objectOf('Pod', named, {
    spec: spec ?? {containers: [{name}], nodeName: node, ...(volumes && {volumes})},
    status: {
      phase,
      ...problem,
      ...(ip && {podIP: ip, podIPs: [{ip}]}),
      ...(startedAt !== undefined && {startTime: timeOf(startedAt)}),
      ...(containers && {
        containerStatuses: Object.entries(containers).map(([title, state]) => ({name: title, state: stateOf(state)})),
      }),
    },
  })
}

function stateOf({running, terminated, waiting}: ContainerState): object {
  if (waiting) return {waiting}
  if (running) return {running: {startedAt: timeOf(running.startedAt)}}
  const {finishedAt = 0, startedAt = 0, ...rest} = terminated ?? {}
  return {terminated: {...rest, finishedAt: timeOf(finishedAt), startedAt: timeOf(startedAt)}}
}

/** POST of pods/eviction. */
export function evict(stage: Stage, request: ModelRequest, access: Access, identity: Identity): ModelResponse {
  const {cluster} = stage.world
  const {name, namespace} = access
  const now = stage.now()
  const pod = podsNow(cluster, now).find((one) => one.name === name && one.namespace === namespace)
  if (!pod) return notFound({...access, resource: 'pods'})
  const forbidden = admissionProblem(cluster, identity, access, {podNode: pod.node})
  if (forbidden !== undefined) return notAdmitted(access, forbidden)
  const {apiVersion, deleteOptions, kind} = readBody<EvictionDocument>(request) ?? {}
  if (kind !== 'Eviction' || apiVersion === undefined || !evictionVersions(cluster).includes(apiVersion)) {
    const [, version = apiVersion] = apiVersion?.split('/') ?? []
    const unknown = `no kind "${kind}" is registered for version "${apiVersion}" in scheme "pkg/api/legacyscheme/scheme.go:30"`
    return badRequest(`${kind} in version "${version}" cannot be handled as a Eviction: ${unknown}`)
  }

  const wanted = deleteOptions?.preconditions?.uid
  const uid = uidOf(pod)
  if (wanted !== undefined && wanted !== uid) {
    const reason = `the UID in the precondition (${wanted}) does not match the UID in record (${uid}). The object might have been deleted and then recreated`
    return failure(409, 'Conflict', `Operation cannot be fulfilled on Pod "${name}": ${reason}`, {name, kind: 'Pod'})
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

/** Budgets are not even looked up for these (eviction.go, canIgnorePDB). */
const ignoresBudgets = ({deletedAt, phase = 'Running'}: ClusterPod): boolean =>
  deletedAt !== undefined || phase === 'Failed' || phase === 'Pending' || phase === 'Succeeded'

function refusal(cluster: ClusterState, pod: ClusterPod, now: number): ModelResponse | undefined {
  if (ignoresBudgets(pod)) return undefined
  const budgets = (cluster.disruptionBudgets ?? []).filter((budget) => covers(budget, pod))
  if (budgets.length > 1) {
    const message = 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.'
    return failure(500, '', message)
  }

  const [budget] = budgets
  if (!budget) return undefined
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
