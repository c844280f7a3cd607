// One pod, created, watched and deleted through the API: how its containers ended.
import {at, listAt, parseJson, textAt, textsAt} from '../document.js'
import {shortened} from '../../errors/shortened.js'
import {type AskCluster, messageOf} from './request.js'

export interface ContainerReport {
  /** Undefined until it has ended. */
  readonly exitCode?: number
  readonly message: string
  readonly name: string
  /** Why it waits, or how it ended: "ContainerCreating", "Error". */
  readonly reason: string
}

export interface PodReport {
  readonly containers: readonly ContainerReport[]
  readonly labels: Readonly<Record<string, string>>
  readonly message: string
  readonly phase: string
  readonly reason: string
  readonly uid: string
}

/** A pod to be created: the API's own document. */
export interface PodManifest {
  readonly metadata: {readonly name: string; readonly namespace: string}
}

export interface ClusterPodRuns {
  /** What it is called from then on; or why an admission plugin refused it, in the API server's words. */
  createPod(manifest: PodManifest): Promise<{readonly refused: string} | {readonly uid: string}>
  /** At once, without time to end. One that is gone, or another by now, stays as it is. */
  deletePod(namespace: string, name: string, uid: string): Promise<void>
  /** Undefined where there is no such pod. */
  pod(namespace: string, name: string): Promise<PodReport | undefined>
}

/** 403 of an admission plugin, 409 of a pod that exists, 422 of a field that the server does not accept. */
const REFUSALS = [403, 409, 422]

export function openPodRuns(ask: AskCluster, get: (path: string) => Promise<object | undefined>): ClusterPodRuns {
  const path = (namespace: string, name = ''): string => `/api/v1/namespaces/${namespace}/pods${name && `/${name}`}`
  return {
    async createPod(manifest) {
      const where = path(manifest.metadata.namespace)
      const response = await ask('POST', where, manifest, {answers: REFUSALS, effect: 'change'})
      // A namespace that does not exist.
      const isRefused = REFUSALS.includes(response.status) || response.status === 404
      if (isRefused) return {refused: messageOf(response) || `status ${response.status}`}
      return {uid: textAt(parseJson(response.body.toString('utf8')), 'metadata', 'uid')}
    },
    async deletePod(namespace, name, uid) {
      const body = {apiVersion: 'v1', gracePeriodSeconds: 0, kind: 'DeleteOptions', preconditions: {uid}}
      await ask('DELETE', path(namespace, name), body, {answers: [409]})
    },
    async pod(namespace, name) {
      const found = await get(path(namespace, name))
      return found && readPod(found)
    },
  }
}

function readPod(document: unknown): PodReport {
  return {
    containers: listAt(document, 'status', 'containerStatuses').map(readContainer),
    labels: textsAt(document, 'metadata', 'labels'),
    message: shortened(textAt(document, 'status', 'message')),
    phase: textAt(document, 'status', 'phase'),
    reason: shortened(textAt(document, 'status', 'reason')),
    uid: textAt(document, 'metadata', 'uid'),
  }
}

function readContainer(status: unknown): ContainerReport {
  const exitCode = at(status, 'state', 'terminated', 'exitCode')
  const said = (key: string): string =>
    shortened(textAt(status, 'state', 'terminated', key) || textAt(status, 'state', 'waiting', key))
  return {
    ...(typeof exitCode === 'number' && {exitCode}),
    message: said('message'),
    name: textAt(status, 'name'),
    reason: said('reason'),
  }
}
