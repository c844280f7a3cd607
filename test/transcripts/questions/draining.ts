// The questions of a drain to the eviction API of an API server, real or simulated.
import type {HttpRequest} from '../../../src/machine/http.js'

/** `node` is win-1's own identity, `token` that of a bootstrap token, which may not evict. */
export type Drainer = 'admin' | 'node' | 'token'

export interface DrainingQuestion {
  readonly body: object
  readonly method: HttpRequest['method']
  readonly name: string
  readonly path: string
  readonly who: Drainer
}

export interface DrainedPod {
  readonly app: string
  readonly name: string
  readonly node: 'control-plane' | 'win-1'
}

/** All run and are ready, and end at once. */
export const DRAINED_PODS: readonly DrainedPod[] = [
  {app: 'web', name: 'web-1', node: 'win-1'},
  {app: 'web', name: 'web-2', node: 'win-1'},
  {app: 'twice', name: 'twice-1', node: 'win-1'},
  {app: 'alone', name: 'alone-1', node: 'win-1'},
  {app: 'other', name: 'other-1', node: 'win-1'},
  {app: 'alone', name: 'elsewhere-1', node: 'control-plane'},
]

/** `allowed`: of the pods there are, as many may go. */
export const BUDGETS: readonly {
  readonly allowed: number
  readonly app: string
  readonly minAvailable: number
  readonly name: string
}[] = [
  {allowed: 1, app: 'web', minAvailable: 1, name: 'web'},
  {allowed: 1, app: 'twice', minAvailable: 0, name: 'twice-a'},
  {allowed: 1, app: 'twice', minAvailable: 0, name: 'twice-b'},
]

interface Part {
  readonly apiVersion?: string
  readonly uid?: string
  readonly who?: Drainer
}

function evict(
  name: string,
  pod: string,
  {apiVersion = 'policy/v1beta1', uid, who = 'admin'}: Part = {},
): DrainingQuestion {
  const deleteOptions = uid === undefined ? {} : {deleteOptions: {preconditions: {uid}}}
  return {
    body: {apiVersion, ...deleteOptions, kind: 'Eviction', metadata: {name: pod, namespace: 'default'}},
    method: 'POST',
    name: `evict-${name}`,
    path: `/api/v1/namespaces/default/pods/${pod}/eviction`,
    who,
  }
}

export const DRAINING_QUESTIONS: readonly DrainingQuestion[] = [
  evict('token', 'web-1', {who: 'token'}),
  evict('newer-version', 'web-1', {apiVersion: 'policy/v1'}),
  evict('taken', 'web-1'),
  evict('again', 'web-1'),
  evict('refused', 'web-2'),
  evict('two-budgets', 'twice-1'),
  evict('missing', 'nothing-1'),
  evict('other-uid', 'other-1', {uid: '00000000-0000-4000-8000-000000000000'}),
  evict('by-node', 'alone-1', {who: 'node'}),
  evict('by-node-elsewhere', 'elsewhere-1', {who: 'node'}),
]

export const askedByDrainer = ({body, method, path, who}: DrainingQuestion): string =>
  `as ${who}: ${method} ${path} application/json ${JSON.stringify(body)}`
