// Pods of the simulated cluster and their eviction, as an API server answers.
import {beforeEach, describe, expect, it} from 'vitest'
import {answerCluster} from '../../../src/simulator/cluster/api-server.js'
import {ANONYMOUS, type Identity} from '../../../src/simulator/cluster/identity.js'
import type {ClusterPod} from '../../../src/simulator/cluster/state.js'
import type {ModelResponse, Stage} from '../../../src/simulator/model.js'
import {ask, jsonOf, makeStage} from '../fresh-model.js'

const NODE: Identity = {groups: ['system:nodes'], user: 'system:node:win-1'}
const pod = (name: string, part: Partial<ClusterPod> = {}): ClusterPod => ({
  name,
  namespace: 'shop',
  node: 'win-1',
  ...part,
})

let stage: Stage
beforeEach(() => {
  stage = makeStage()
  stage.world.cluster.pods = [pod('a', {labels: {app: 'web'}}), pod('b', {labels: {app: 'web'}}), pod('c', {node: 'x'})]
})

const send = (method: string, target: string, body: object = {}, identity = NODE): Promise<ModelResponse> =>
  answerCluster(stage, ask(method, target, JSON.stringify(body)), identity)
const evict = (name: string, part: object = {}): Promise<ModelResponse> =>
  send('POST', `/api/v1/namespaces/shop/pods/${name}/eviction`, {
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: {name, namespace: 'shop'},
    ...part,
  })
interface PodList {
  readonly items: readonly {metadata: {deletionTimestamp?: string; name: string; uid: string}}[]
}
const list = async (): Promise<PodList['items']> =>
  (await jsonOf<PodList>(await send('GET', '/api/v1/pods?fieldSelector=spec.nodeName%3Dwin-1'))).items

it('are listed by their node, in pages', async () => {
  expect((await list()).map(({metadata}) => metadata.name)).toEqual(['a', 'b'])
  const first = await jsonOf<{metadata: {continue: string}}>(await send('GET', '/api/v1/pods?limit=2'))
  const rest = await jsonOf<PodList>(await send('GET', `/api/v1/pods?limit=2&continue=${first.metadata.continue}`))
  expect(rest.items.map(({metadata}) => metadata.name)).toEqual(['c'])
})

describe('an eviction', () => {
  it('ends the pod after its time', async () => {
    expect((await evict('a')).status).toBe(201)
    expect((await list())[0]?.metadata).toHaveProperty('deletionTimestamp')
    await stage.elapse(2000)
    expect((await list()).map(({metadata}) => metadata.name)).toEqual(['b'])
    expect((await evict('a')).status).toBe(404)
  })

  it.each([
    ['v1.21.5', 'v1beta1', ['policy/v1beta1']],
    ['v1.23.17', 'v1', ['policy/v1', 'policy/v1beta1']],
    ['v1.28.0', 'v1', ['policy/v1']],
  ])('of %s is reported as %s', async (version, told, taken) => {
    stage.world.cluster.version = version
    const {resources} = await jsonOf<{resources: {name: string; version?: string}[]}>(await send('GET', '/api/v1'))
    expect(resources.find(({name}) => name === 'pods/eviction')?.version).toBe(told)
    for (const apiVersion of ['policy/v1', 'policy/v1beta1']) {
      expect((await evict('a', {apiVersion})).status).toBe(taken.includes(apiVersion) ? 201 : 400)
    }
  })

  it('is refused while the budget has none to spare', async () => {
    stage.world.cluster.disruptionBudgets = [{allowed: 1, labels: {app: 'web'}, name: 'web', namespace: 'shop'}]
    expect((await evict('a')).status).toBe(201)
    const refused = await evict('b')
    expect(refused.status).toBe(429)
    expect(await jsonOf(refused)).toMatchObject({
      details: {causes: [{message: 'The disruption budget web needs 1 healthy pods and has 1 currently'}]},
      reason: 'TooManyRequests',
    })
    await stage.elapse(2000)
    expect((await evict('b')).status).toBe(201)
  })

  it.each(['Failed', 'Pending', 'Succeeded'] as const)('of a pod that is %s asks no budget', async (phase) => {
    const budget = {allowed: 0, labels: {app: 'web'}, namespace: 'shop'}
    stage.world.cluster.disruptionBudgets = [
      {...budget, name: 'one'},
      {...budget, name: 'two'},
    ]
    stage.world.cluster.pods?.push(pod('d', {labels: {app: 'web'}, phase}))
    expect((await evict('d')).status).toBe(201)
    expect((await evict('a')).status).toBe(500)
  })

  it('is an error with two budgets, and for another pod of the same name', async () => {
    const budget = {allowed: 1, labels: {}, namespace: 'shop'}
    stage.world.cluster.disruptionBudgets = [
      {...budget, name: 'one'},
      {...budget, name: 'two'},
    ]
    expect((await evict('a')).status).toBe(500)
    expect((await evict('a', {deleteOptions: {preconditions: {uid: 'another'}}})).status).toBe(409)
  })

  it('is refused to the node of another pod', async () => {
    expect(await jsonOf(await evict('c'))).toMatchObject({
      code: 403,
      message: 'pods "c" is forbidden: node win-1 can only evict pods with spec.nodeName set to itself',
    })
  })

  it('needs the right to, and a body', async () => {
    expect((await evict('a', {kind: 'Pod'})).status).toBe(400)
    stage.world.cluster.permissions = ['list pods']
    expect((await evict('a')).status).toBe(403)
    expect((await send('GET', '/api/v1', {}, ANONYMOUS)).status).toBe(403)
  })
})

it('a node is cordoned, and let again', async () => {
  stage.world.cluster.nodes[1]!.name = 'win-1'
  const patch = (unschedulable: boolean | null): Promise<ModelResponse> => {
    const headers = {'content-type': 'application/merge-patch+json'}
    const request = ask('PATCH', '/api/v1/nodes/win-1', JSON.stringify({spec: {unschedulable}}))
    return answerCluster(stage, {...request, headers}, NODE)
  }
  expect(await jsonOf(await patch(true))).toMatchObject({
    spec: {taints: [{key: 'node.kubernetes.io/unschedulable'}], unschedulable: true},
  })
  expect(JSON.stringify(await jsonOf(await patch(null)))).not.toContain('unschedulable')
})
