// What a node may write of itself through the simulated API: conditions in its status, and events.
import {beforeEach, describe, expect, it} from 'vitest'
import {answerCluster} from '../../../src/simulator/cluster/api-server.js'
import type {Identity} from '../../../src/simulator/cluster/identity.js'
import type {ModelResponse, Stage} from '../../../src/simulator/model.js'
import {THIS_NODE} from '../../fixtures/this-node.js'
import {ask, jsonOf, makeStage} from '../fresh-model.js'

const NODE: Identity = {groups: ['system:nodes', 'system:authenticated'], user: 'system:node:win-1'}
const ADMIN: Identity = {groups: ['system:masters'], user: 'admin'}
const STRATEGIC = 'application/strategic-merge-patch+json'
const MERGE = 'application/merge-patch+json'
const OWN = {reason: 'Healthy', status: 'False', type: 'K8sWinUnhealthy'}

let stage: Stage
beforeEach(() => {
  stage = makeStage()
  Object.assign(stage.world.cluster, {permissions: ['Node', 'RBAC'], roleBindings: []})
  stage.world.cluster.nodes.push({
    ...structuredClone(THIS_NODE),
    conditions: [{status: 'True', type: 'NetworkUnavailable'}],
  })
})

const patch = (
  conditions: readonly unknown[],
  {name = 'win-1', part = '/status', type = STRATEGIC} = {},
  identity = NODE,
): Promise<ModelResponse> => {
  const request = ask('PATCH', `/api/v1/nodes/${name}${part}`, JSON.stringify({status: {conditions}}))
  return answerCluster(stage, {...request, headers: {'content-type': type}}, identity)
}
const own = () => stage.world.cluster.nodes.find(({name}) => name === 'win-1')?.conditions

describe('a patch of conditions', () => {
  it('merges them by their type, beside those of the kubelet', async () => {
    const {status} = await jsonOf<{status: {conditions: {type: string}[]}}>(await patch([OWN]))
    const types = ['MemoryPressure', 'DiskPressure', 'PIDPressure', 'Ready', 'NetworkUnavailable', 'K8sWinUnhealthy']
    expect(status.conditions.map(({type}) => type)).toEqual(types)
    await patch([{reason: 'FlanneldStopped', type: 'K8sWinUnhealthy'}])
    expect(own()).toContainEqual({...OWN, reason: 'FlanneldStopped'})
  })

  it('removes one with $patch: delete, also where there is none', async () => {
    await patch([OWN])
    for (const _ of [1, 2]) {
      expect((await patch([{$patch: 'delete', type: OWN.type}])).status).toBe(200)
      expect(own()?.map(({type}) => type)).toEqual(['NetworkUnavailable'])
    }
  })

  it('that is a merge patch, which would replace the list, is not simulated', async () => {
    expect((await patch([OWN], {type: MERGE})).status).toBe(415)
  })

  it.each([
    ['without the key', [{status: 'True'}], 500],
    ['with an unknown directive', [{$patch: 'remove', type: OWN.type}], 500],
    ['with a time that is none', [{...OWN, lastHeartbeatTime: 'today'}], 422],
    ['with a number for a text', [{...OWN, reason: 1}], 422],
  ])('%s is refused', async (_, conditions, status) => {
    expect((await patch(conditions)).status).toBe(status)
    expect(own()).toHaveLength(1)
  })

  it('of the Node itself, and not of its status, changes no condition', async () => {
    expect((await patch([OWN], {part: ''})).status).toBe(200)
    expect(own()).toHaveLength(1)
  })

  it('of another Node is refused by NodeRestriction', async () => {
    const refused = await patch([OWN], {name: 'linux-1'})
    expect(refused.status).toBe(403)
    expect(await jsonOf(refused)).toMatchObject({
      message: 'nodes "linux-1" is forbidden: node "win-1" is not allowed to modify node "linux-1"',
    })
  })

  it('with taints is refused by NodeRestriction, and changes no spec of an administrator', async () => {
    const body = JSON.stringify({spec: {taints: [{effect: 'NoSchedule', key: 'a'}]}})
    const request = ask('PATCH', '/api/v1/nodes/win-1/status', body)
    const send = (identity: Identity) =>
      answerCluster(stage, {...request, headers: {'content-type': STRATEGIC}}, identity)
    expect((await send(NODE)).status).toBe(403)
    expect((await send(ADMIN)).status).toBe(200)
    expect(stage.world.cluster.nodes.find(({name}) => name === 'win-1')?.taints).toEqual(THIS_NODE.taints)
  })
})

describe('an event', () => {
  const EVENT = {involvedObject: {kind: 'Node', name: 'win-1'}, metadata: {name: 'a'}, reason: 'Repaired'}
  const create = (event: object, namespace = 'default', identity = NODE): Promise<ModelResponse> =>
    answerCluster(stage, ask('POST', `/api/v1/namespaces/${namespace}/events`, JSON.stringify(event)), identity)

  it('is created once, by a node too, which may not list it', async () => {
    expect((await create(EVENT)).status).toBe(201)
    expect(await jsonOf(await create(EVENT))).toMatchObject({code: 409, reason: 'AlreadyExists'})
    const list = (identity: Identity) => answerCluster(stage, ask('GET', '/api/v1/namespaces/default/events'), identity)
    expect((await list(NODE)).status).toBe(403)
    expect(await jsonOf(await list(ADMIN))).toMatchObject({items: [{metadata: {name: 'a'}, reason: 'Repaired'}]})
  })

  it('whose own namespace is another is refused', async () => {
    expect((await create({...EVENT, metadata: {name: 'a', namespace: 'shop'}})).status).toBe(400)
    expect(stage.world.cluster.events ?? []).toEqual([])
  })

  it('is kept for an hour', async () => {
    const at = (ms: number): string => new Date(stage.now() + ms).toISOString()
    expect((await create({...EVENT, lastTimestamp: at(-3_700_000), metadata: {name: 'b'}})).status).toBe(201)
    expect((await create({...EVENT, lastTimestamp: at(0)})).status).toBe(201)
    expect(stage.world.cluster.events?.map(({name}) => name)).toEqual(['a'])
  })
})
