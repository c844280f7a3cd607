// The pods of a node: listed, and evicted as kubectl drain does.
import {at, listAt, parseJson, textAt, textsAt} from '../document.js'
import {shortened} from '../../errors/shortened.js'
import type {ListAll} from './cluster.js'
import {type AskCluster, isOfAuthorizer, messageOf, TOO_MANY_REQUESTS} from './request.js'

export interface ClusterPod {
  /** The controller, which recreates the pod when it is deleted; '' without one. */
  readonly controller: string
  /** Finalizers: they keep the pod in the cluster until they are removed. */
  readonly finalizers: readonly string[]
  /** Its data is deleted with the pod. */
  readonly hasEmptyDir: boolean
  /** Nothing of it runs any more. */
  readonly isFinished: boolean
  /** It was asked to go and has not gone yet. */
  readonly isLeaving: boolean
  /** The kubelet's own, from a file: what the API has of it is only its image. */
  readonly isMirror: boolean
  readonly labels: Readonly<Record<string, string>>
  readonly name: string
  readonly namespace: string
  readonly uid: string
}

export type Eviction =
  | {readonly result: 'gone' | 'taken'}
  /** 'refused' may be answered otherwise a while later: a disruption budget, a policy, a namespace that is being deleted. */
  | {readonly result: 'forbidden' | 'refused'; readonly said: string}

export interface ClusterPods {
  /** No new pods land on it from now on. */
  cordonNode(name: string): Promise<void>
  /** Asks for its end, within what its disruption budgets allow; it is gone some time later. */
  evictPod(pod: ClusterPod): Promise<Eviction>
  /** All of them, whatever their state. */
  podsOf(node: string): Promise<ClusterPod[]>
  uncordonNode(name: string): Promise<void>
}

/**
 * 403 also of a namespace that is being deleted or of a webhook, 409 of another pod by now, 422 of a policy
 * (ValidatingAdmissionPolicy), 500 of two budgets for one pod.
 */
const ANSWERS = [403, 409, 422, 429, 500]

export function openPods(
  ask: AskCluster,
  get: (path: string) => Promise<object | undefined>,
  listAll: ListAll,
): ClusterPods {
  let asked: Promise<string> | undefined
  /** policy/v1 came with 1.22, v1beta1 went with 1.25; the server reports which its pods/eviction accepts. */
  const evictionVersion = (): Promise<string> => {
    asked ??= get('/api/v1').then((answer) => {
      const eviction = listAt(answer, 'resources').find((resource) => textAt(resource, 'name') === 'pods/eviction')
      return textAt(eviction, 'version') || 'v1'
    })
    asked.catch(() => (asked = undefined))
    return asked
  }

  return {
    async cordonNode(name) {
      await ask('PATCH', `/api/v1/nodes/${name}`, {spec: {unschedulable: true}})
    },
    async evictPod({name, namespace, uid}) {
      const apiVersion = `policy/${await evictionVersion()}`
      // Its own: a pod of a StatefulSet has the same name on another node a moment later.
      const deleteOptions = {preconditions: {uid}}
      const body = {apiVersion, deleteOptions, kind: 'Eviction', metadata: {name, namespace}}
      const path = `/api/v1/namespaces/${namespace}/pods/${name}/eviction`
      const response = await ask('POST', path, body, {answers: ANSWERS, effect: 'change'})
      const {status} = response
      if (status === 404 || status === 409) return {result: 'gone'}
      if (!ANSWERS.includes(status)) return {result: 'taken'}
      const answer = parseJson(response.body.toString('utf8'))
      const causes = listAt(answer, 'details', 'causes')
      // The budget's own words are the cause's, where there is one.
      const isBudget = causes.some((cause) => textAt(cause, 'reason') === 'DisruptionBudget')
      const message = shortened(textAt(causes[0], 'message')) || messageOf(response) || `status ${status}`
      const said = status === 429 && !isBudget ? `${message} (${TOO_MANY_REQUESTS})` : message
      return {result: isOfAuthorizer(response) ? 'forbidden' : 'refused', said}
    },
    async podsOf(node) {
      return listAll('/api/v1/pods', readPod, `spec.nodeName=${node}`)
    },
    async uncordonNode(name) {
      // The field is removed, as kubectl uncordon does (kubectl pkg/drain/cordon.go).
      await ask('PATCH', `/api/v1/nodes/${name}`, {spec: {unschedulable: null}})
    },
  }
}

function readPod(document: unknown): ClusterPod {
  const owners = listAt(document, 'metadata', 'ownerReferences')
  const phase = textAt(document, 'status', 'phase')
  return {
    controller: textAt(
      owners.find((owner) => at(owner, 'controller') === true),
      'kind',
    ),
    finalizers: listAt(document, 'metadata', 'finalizers').map(String),
    hasEmptyDir: listAt(document, 'spec', 'volumes').some((volume) => typeof at(volume, 'emptyDir') === 'object'),
    isFinished: phase === 'Succeeded' || phase === 'Failed',
    isLeaving: textAt(document, 'metadata', 'deletionTimestamp') !== '',
    isMirror: textAt(document, 'metadata', 'annotations', 'kubernetes.io/config.mirror') !== '',
    labels: textsAt(document, 'metadata', 'labels'),
    name: textAt(document, 'metadata', 'name'),
    namespace: textAt(document, 'metadata', 'namespace'),
    uid: textAt(document, 'metadata', 'uid'),
  }
}
