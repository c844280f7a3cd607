// The condition of a Node and events about it, written by a node's own identity: what the real Node authorizer, NodeRestriction
// and the validation of events make of them.
import {afterAll, beforeAll, expect, test} from 'vitest'
import type {Cluster} from '../../src/host/cluster/cluster.js'
import type {NodeCondition, NodeEvent} from '../../src/host/cluster/node-condition.js'
import {listAt, textAt} from '../../src/host/document.js'
import {clusterAs} from './as-cluster.js'
import {type ControlPlane, FIRST_TOKEN, startControlPlane} from './control-plane.js'
import {nodeIdentity} from './node-identity.js'
import {WINDOWS_NODE} from './objects.js'

const AT = Date.UTC(2026, 10, 18, 12)
const CONDITION: NodeCondition = {at: AT, message: 'fine', reason: 'Healthy', since: AT, status: 'False'}
const EVENT: NodeEvent = {count: 2, first: AT, last: AT, message: 'm', reason: 'K8sWinRepaired', type: 'Normal'}
const OTHER = {status: {conditions: [{status: 'False', type: 'NetworkUnavailable'}]}}

let plane: ControlPlane
let node: Cluster

beforeAll(async () => {
  plane = await startControlPlane()
  await plane.do({body: {...WINDOWS_NODE, ...OTHER}, method: 'POST', path: '/api/v1/nodes'})
  node = await clusterAs(plane, await nodeIdentity(plane, 'win-1', {token: FIRST_TOKEN}))
})
afterAll(() => plane?.close())

const typesOf = async (): Promise<string[]> =>
  listAt(await plane.do({path: '/api/v1/nodes/win-1'}), 'status', 'conditions').map((one) => textAt(one, 'type'))

test('a node sets and removes its condition, and keeps those of others', async () => {
  expect(await node.setCondition('win-1', CONDITION)).toBe(true)
  expect(await node.setCondition('win-1', {...CONDITION, reason: 'FlanneldStopped', status: 'True'})).toBe(true)
  expect((await typesOf()).filter((type) => type === 'K8sWinUnhealthy')).toHaveLength(1)
  expect(await node.publishedNode('win-1')).toMatchObject({
    condition: {reason: 'FlanneldStopped', since: AT, status: 'True'},
  })
  for (const _ of [1, 2]) expect(await node.setCondition('win-1')).toBe(true)
  expect(await typesOf()).toContain('NetworkUnavailable')
  expect(await typesOf()).not.toContain('K8sWinUnhealthy')
})

test('it may not set that of another Node', async () => {
  await expect(node.setCondition('control-plane', CONDITION)).rejects.toMatchObject({id: 'API_SERVER_FORBIDS'})
})

test('it creates an event of its Node, once', async () => {
  const {uid = ''} = (await node.publishedNode('win-1')) ?? {}
  for (const _ of [1, 2]) await node.createNodeEvent({name: 'win-1', uid}, EVENT)
  const events = listAt(await plane.do({path: '/api/v1/namespaces/default/events'}), 'items')
  const own = events.filter((one) => textAt(one, 'reason') === 'K8sWinRepaired')
  expect(own).toMatchObject([{count: 2, involvedObject: {kind: 'Node', name: 'win-1', uid}}])
})

test('a Node that was deleted has no condition', async () => {
  await plane.do({method: 'DELETE', path: '/api/v1/nodes/win-1'})
  expect(await node.publishedNode('win-1')).toBeUndefined()
  for (const condition of [CONDITION, undefined]) expect(await node.setCondition('win-1', condition)).toBe(false)
})
