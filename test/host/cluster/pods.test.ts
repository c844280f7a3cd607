// The pods of a node, asked of an API server, and what its answers to an eviction mean.
import {describe, expect, it} from 'vitest'
import {openCluster} from '../../../src/host/cluster/cluster.js'
import type {ClusterPod} from '../../../src/host/cluster/pods.js'
import type {Http, HttpRequest} from '../../../src/machine/http.js'
import {openRealClock} from '../../../src/machine/real/clock.js'
import {only} from '../../fakes/partial.js'

const SERVER = 'https://10.0.0.1:6443'
const POD: ClusterPod = {
  controller: 'ReplicaSet',
  finalizers: [],
  hasEmptyDir: false,
  isFinished: false,
  isLeaving: false,
  isMirror: false,
  labels: {},
  name: 'web-1',
  namespace: 'shop',
  uid: 'u-1',
}

type Answer = (request: HttpRequest) => {body: unknown; status: number}

function open(answer: Answer) {
  const requests: HttpRequest[] = []
  const http = only<Http>('http', {
    async request(request) {
      requests.push(request)
      const {body, status} = answer(request)
      return {body: Buffer.from(JSON.stringify(body)), headers: {}, status}
    },
  })
  const clock = {...openRealClock(), sleep: () => Promise.resolve()}
  const machine = {clock, http, run: () => Promise.reject(new Error('no program was expected'))}
  return {cluster: openCluster(machine, {server: SERVER, tls: {}, key: '', secrets: [], write: () => ''}), requests}
}

const resources = (version: string) => ({resources: [{name: 'pods'}, {name: 'pods/eviction', version}]})
const answering =
  (status: number, body: unknown, version = 'v1'): Answer =>
  ({url}) =>
    url.endsWith('/api/v1') ? {body: resources(version), status: 200} : {body, status}

describe('the pods of a node', () => {
  it('are read, with what decides on whether they leave', async () => {
    const items = [
      {
        metadata: {
          name: 'a',
          namespace: 'n',
          ownerReferences: [{controller: true, kind: 'DaemonSet'}],
          uid: '1',
        },
        spec: {volumes: [{configMap: {name: 'x'}}, {emptyDir: {}}]},
        status: {phase: 'Running'},
      },
      {
        metadata: {
          annotations: {'kubernetes.io/config.mirror': 'x'},
          deletionTimestamp: '2021-10-01T08:00:00Z',
          name: 'b',
          namespace: 'n',
          // A user's, but no controller's: no one makes it anew.
          ownerReferences: [{kind: 'Node'}],
          uid: '2',
        },
        status: {phase: 'Succeeded'},
      },
    ]
    const {cluster, requests} = open(answering(200, {items}))
    expect(await cluster.podsOf('win-1')).toEqual([
      {
        controller: 'DaemonSet',
        finalizers: [],
        hasEmptyDir: true,
        isFinished: false,
        isLeaving: false,
        isMirror: false,
        labels: {},
        name: 'a',
        namespace: 'n',
        uid: '1',
      },
      {
        controller: '',
        finalizers: [],
        hasEmptyDir: false,
        isFinished: true,
        isLeaving: true,
        isMirror: true,
        labels: {},
        name: 'b',
        namespace: 'n',
        uid: '2',
      },
    ])
    expect(new URL(requests[0]?.url ?? '').searchParams.get('fieldSelector')).toBe('spec.nodeName=win-1')
  })

  it('come in pages', async () => {
    const {cluster} = open(({url}) => {
      const next = new URL(url).searchParams.get('continue')
      const items = [{metadata: {name: `page ${next ?? 0}`}}]
      return {body: {items, ...(next !== '2' && {metadata: {continue: next === null ? '1' : '2'}})}, status: 200}
    })
    expect((await cluster.podsOf('win-1')).map(({name}) => name)).toEqual(['page 0', 'page 1', 'page 2'])
  })

  it('end', async () => {
    const {cluster} = open(() => ({body: {items: [], metadata: {continue: 'again'}}, status: 200}))
    await expect(cluster.podsOf('win-1')).rejects.toMatchObject({id: 'API_SERVER_ANSWER'})
  })
})

describe('an eviction', () => {
  it.each(['v1', 'v1beta1'])('is asked for in the words of the server: %s', async (version) => {
    const {cluster, requests} = open(answering(201, {}, version))
    expect(await cluster.evictPod(POD)).toEqual({result: 'taken'})
    const sent = requests.at(-1)
    expect(sent).toMatchObject({
      effect: 'change',
      isProbe: true,
      method: 'POST',
      url: `${SERVER}/api/v1/namespaces/shop/pods/web-1/eviction`,
    })
    expect(JSON.parse(sent?.body as string)).toEqual({
      apiVersion: `policy/${version}`,
      deleteOptions: {preconditions: {uid: 'u-1'}},
      kind: 'Eviction',
      metadata: {name: 'web-1', namespace: 'shop'},
    })
  })

  it('asks for the words once', async () => {
    const {cluster, requests} = open(answering(201, {}))
    await cluster.evictPod(POD)
    await cluster.evictPod(POD)
    expect(requests.map(({method}) => method)).toEqual(['GET', 'POST', 'POST'])
  })

  const MAY_NOT =
    'pods "web-1" is forbidden: User "system:node:win-1" cannot create resource "pods/eviction" in API group "" in the namespace "shop"'
  const WEBHOOK = 'admission webhook "keep.example.com" denied the request: the pod is protected'
  const POLICY =
    'pods "web-1" is forbidden: ValidatingAdmissionPolicy \'keep\' with binding \'keep\' denied request: User "x" keeps it'
  const budget = {details: {causes: [{message: 'The budget x needs 2', reason: 'DisruptionBudget'}]}, message: 'no'}
  const namespace = {details: {causes: [{message: 'n is being terminated', reason: 'NamespaceTerminating'}]}}
  it.each([
    [404, {}, {result: 'gone'}],
    [409, {}, {result: 'gone'}],
    [429, budget, {result: 'refused', said: 'The budget x needs 2'}],
    [
      429,
      {message: 'later'},
      {result: 'refused', said: expect.stringMatching(/^later \(.*API Priority and Fairness/) as string},
    ],
    [500, {message: 'two budgets'}, {result: 'refused', said: 'two budgets'}],
    [403, {message: MAY_NOT}, {result: 'forbidden', said: MAY_NOT}],
    [403, namespace, {result: 'refused', said: 'n is being terminated'}],
    [403, 'no JSON object', {result: 'refused', said: 'status 403'}],
  ])('answered with %s %j', async (status, body, wanted) => {
    expect(await open(answering(status, body)).cluster.evictPod(POD)).toEqual(wanted)
  })

  it.each([
    [403, WEBHOOK],
    [403, POLICY],
    [422, POLICY],
  ])('review J5: denied by admission with %i is refused in its words: %s', async (status, message) => {
    const eviction = await open(answering(status, {message})).cluster.evictPod(POD)
    expect(eviction).toEqual({result: 'refused', said: message})
  })

  it('review J5: a policy that denies another change does not ask for permissions', async () => {
    const cordoned = open(answering(403, {message: WEBHOOK})).cluster.cordonNode('win-1')
    await expect(cordoned).rejects.toMatchObject({
      fix: expect.stringContaining('a policy or a webhook of the cluster denied the request') as string,
      id: 'API_SERVER_FORBIDS',
    })
  })

  it('review J11: a webhook that does not respond is named, and the API server is not called unavailable', async () => {
    const said =
      'Internal error occurred: failed calling webhook "keep.example.com": failed to call webhook: Post "https://keep": EOF'
    await expect(open(answering(500, {message: said})).cluster.cordonNode('win-1')).rejects.toMatchObject({
      id: 'ADMISSION_WEBHOOK_FAILED',
      message: expect.not.stringContaining('unavailable') as string,
      reason: expect.stringContaining('keep.example.com') as string,
    })
  })
})

it('a node is cordoned by a merge patch', async () => {
  const {cluster, requests} = open(answering(200, {}))
  await cluster.cordonNode('win-1')
  expect(requests[0]).toMatchObject({
    body: JSON.stringify({spec: {unschedulable: true}}),
    effect: 'change',
    headers: {'content-type': 'application/merge-patch+json'},
    isRepeatable: true,
    method: 'PATCH',
    url: `${SERVER}/api/v1/nodes/win-1`,
  })
})
