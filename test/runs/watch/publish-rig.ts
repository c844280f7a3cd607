// A publisher that speaks to the simulated API server as the node win-1, on a clock that the test moves.
import {openCluster} from '../../../src/host/cluster/cluster.js'
import {type Http, HttpError, type HttpRequest, type HttpResponse} from '../../../src/machine/http.js'
import {nodeDeleted, serviceDown} from '../../../src/errors/unhealthy-node.js'
import type {Trouble, WatchReporter, WatchState} from '../../../src/runs/watch/model.js'
import {openPublisher} from '../../../src/runs/watch/publish.js'
import {answerCluster} from '../../../src/simulator/cluster/api-server.js'
import type {ClusterNode} from '../../../src/simulator/cluster/state.js'
import type {Stage} from '../../../src/simulator/model.js'
import {type HandClock, handClock} from '../../fakes/hand-clock.js'
import {only} from '../../fakes/partial.js'
import {THIS_NODE} from '../../fixtures/this-node.js'
import {makeStage, START, textOf} from '../../simulator/fresh-model.js'

export const ROUND_MS = 15_000
export const NODE = {groups: ['system:nodes', 'system:authenticated'], user: 'system:node:win-1'}

type Answer = Pick<HttpResponse, 'status'> & {readonly body?: string; readonly headers?: Record<string, string>}

export interface PublishRig {
  /** In place of the API server; undefined for its own answer. */
  answer: (request: HttpRequest) => Answer | 'hangs' | 'lost' | undefined
  readonly clock: HandClock
  /** Milliseconds since the start. */
  readonly requests: {readonly at: number; readonly body: unknown; bytes: number; readonly what: string}[]
  readonly publisher: WatchReporter
  /** A round of watch every 15 s. */
  rounds(ms: number, state?: Partial<WatchState>): Promise<void>
  readonly stage: Stage
  condition(): NonNullable<ClusterNode['conditions']>[number] | undefined
  what(): string[]
}

export const STOPPED: Trouble = {
  component: 'flanneld',
  error: serviceDown({cause: 'It ended.', seen: 'is stopped', service: 'flanneld'}),
  reason: 'FlanneldStopped',
  repairedBy: ['flanneld-service'],
}
export const UNREGISTERED: Trouble = {
  component: 'kubelet',
  error: nodeDeleted({node: 'win-1'}),
  reason: 'NodeDeleted',
  repairedBy: [],
}

export function publishing(isPublished = (): boolean => true): PublishRig {
  const stage = makeStage()
  // As kubeadm's clusters: nothing but what the Node authorizer allows.
  Object.assign(stage.world.cluster, {permissions: ['Node', 'RBAC'], roleBindings: []})
  stage.world.cluster.nodes.push(structuredClone(THIS_NODE))
  let drawn = 0
  const clock = {...handClock(START), random: () => (drawn = (drawn + 0.618) % 1)}
  const requests: PublishRig['requests'] = []
  const http = only<Http>('http', {
    async request(request) {
      const {body, headers = {}, method, url} = request
      const {pathname: path, searchParams: query} = new URL(url)
      const sent = typeof body === 'string' ? body : ''
      const seen = {bytes: sent.length, body: sent && (JSON.parse(sent) as unknown), what: `${method} ${path}`}
      const one = {at: clock.now() - START, ...seen}
      requests.push(one)
      const given = rig.answer(request)
      if (given === 'hangs') return new Promise(() => {})
      if (given === 'lost') throw new HttpError(url, 'ETIMEDOUT', `${url}: not done within 15 s`)
      if (given) return {headers: {}, ...given, body: Buffer.from(given.body ?? '')}
      stage.world.os.time = clock.now()
      const own = {...stage, elapse: async () => {}, now: () => clock.now()}
      const answer = await answerCluster(own, {body: Buffer.from(sent), headers, method, path, query}, NODE)
      const text = await textOf(answer)
      one.bytes += text.length
      return {body: Buffer.from(text), headers: {...answer.headers}, status: answer.status}
    },
  })
  const machine = {clock, http, run: () => Promise.reject(new Error('no program was expected'))}
  const kubeconfig = {key: '', secrets: [], server: 'https://10.0.0.1:6443', tls: {}, write: () => ''}
  const cluster = openCluster(machine, kubeconfig)
  const publisher = openPublisher({
    clock,
    identity: async () => ({cluster, nodeName: 'win-1'}),
    isPublished,
    redact: (text) => text.replaceAll('hunter2', '***'),
  })
  const rig: PublishRig = {
    answer: () => undefined,
    clock,
    condition: () =>
      stage.world.cluster.nodes
        .find(({name}) => name === 'win-1')
        ?.conditions?.find(({type}) => type === 'K8sWinUnhealthy'),
    publisher,
    requests,
    async rounds(ms, state = {}) {
      for (let passed = 0; passed < ms; passed += ROUND_MS) {
        await publisher.report({...HEALTHY, at: clock.now(), ...state})
        // What it does in the background ends before the next round.
        await new Promise((resolve) => void setImmediate(resolve))
        clock.advance(ROUND_MS)
      }
    },
    stage,
    what: () => requests.map(({what}) => what),
  }
  return rig
}

export const HEALTHY: WatchState = {
  at: START,
  components: ['kubelet', 'flanneld', 'kubeproxy', 'network'],
  repairs: [],
  since: START,
  troubles: [],
  verdict: 'healthy',
}
