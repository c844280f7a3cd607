// Pods that are created and deleted through the API of the simulated cluster (pkg/registry/core/pod/strategy.go).
import {json, type ModelRequest, type ModelResponse, type Stage} from '../model.js'
import {guidOf} from '../windows/names.js'
import type {Identity} from './identity.js'
import {admissionProblem} from './permissions.js'
import {podAdmission, type PodSpec} from './pod-admission.js'
import {podObject, podsNow, uidOf} from './pods.js'
import type {Access} from './rbac.js'
import type {ClusterPod} from './state.js'
import {conflict, failure, notAdmitted, notFound, readBody} from './status.js'

interface PodDocument {
  readonly metadata?: {
    readonly annotations?: Record<string, string>
    readonly labels?: Record<string, string>
    readonly name?: string
  }
  readonly spec?: PodSpec & Record<string, unknown> & {readonly nodeName?: string}
}

interface DeleteOptions {
  readonly gracePeriodSeconds?: number
  readonly preconditions?: {readonly uid?: string}
}

const DEFAULT_GRACE_SECONDS = 30

/** No scheduler is simulated: a pod without spec.nodeName stays Pending. */
export function createPod(stage: Stage, request: ModelRequest, access: Access, identity: Identity): ModelResponse {
  const {cluster} = stage.world
  const {metadata: {annotations, labels, name = ''} = {}, spec} = readBody<PodDocument>(request) ?? {}
  if (!spec || !spec.containers?.length) {
    const message = `Pod "${name}" is invalid: spec.containers: Required value`
    return failure(422, 'Invalid', message, {kind: 'Pod', name})
  }

  const created = {...access, name}
  const change = annotations ? {annotations} : {}
  const refused =
    admissionProblem(cluster, identity, created, change) ??
    podAdmission(cluster, access.namespace, podsNow(cluster, stage.now()), spec)
  if (refused !== undefined) return notAdmitted(created, refused)
  const isKnown = podsNow(cluster, stage.now()).some((pod) => isNamed(pod, access.namespace, name))
  if (isKnown) return failure(409, 'AlreadyExists', `pods "${name}" already exists`, {kind: 'pods', name})
  const pod: ClusterPod = {
    ...change,
    ...(labels && {labels}),
    name,
    namespace: access.namespace,
    node: spec.nodeName ?? '',
    phase: 'Pending',
    spec,
    // Another pod of the same name is another one.
    uid: guidOf(`pod ${access.namespace}/${name} ${stage.now()}`).toLowerCase(),
  }
  // One of the same name that is gone is replaced.
  cluster.pods = [...(cluster.pods ?? []).filter((one) => !isNamed(one, access.namespace, name)), pod]
  return json(201, podObject(pod))
}

/** One that has ended, or is on no node, goes at once; the others when their time to end has passed. */
export function deletePod(stage: Stage, request: ModelRequest, access: Access, identity: Identity): ModelResponse {
  const {cluster} = stage.world
  const now = stage.now()
  const pod = podsNow(cluster, now).find((one) => isNamed(one, access.namespace, access.name))
  if (!pod) return notFound(access)
  const refused = admissionProblem(cluster, identity, access, {podNode: pod.node})
  if (refused !== undefined) return notAdmitted(access, refused)
  const {gracePeriodSeconds = DEFAULT_GRACE_SECONDS, preconditions} = readBody<DeleteOptions>(request) ?? {}
  const [wanted, uid] = [preconditions?.uid, uidOf(pod)]
  if (wanted !== undefined && wanted !== uid) {
    return conflict(`Precondition failed: UID in precondition: ${wanted}, UID in object meta: ${uid}`)
  }

  const isOver = pod.phase === 'Failed' || pod.phase === 'Succeeded' || pod.node === '' || gracePeriodSeconds === 0
  pod.deletedAt ??= now
  pod.goneAt = isOver ? now : (pod.goneAt ?? now + (pod.graceMs ?? 2000))
  if (isOver && !pod.finalizers?.length) cluster.pods = cluster.pods?.filter((one) => one !== pod) ?? []
  return json(200, podObject(pod))
}

const isNamed = (pod: ClusterPod, namespace: string, name: string): boolean =>
  pod.name === name && pod.namespace === namespace
