// The condition of a Node and events about it, over real TLS to the simulated API server.
import {describe, expect, it} from 'vitest'
import type {NodeCondition, NodeEvent} from '../../../src/host/cluster/node-condition.js'
import {Busy} from '../../../src/host/cluster/request.js'
import {retryingMachine} from '../../../src/machine/retrying.js'
import {uidOf} from '../../../src/simulator/cluster/objects.js'
import {clusterAt, impatient, refusal, serveCluster} from './loopback-cluster.js'

const AT = Date.UTC(2026, 10, 18, 12)
const CONDITION: NodeCondition = {at: AT + 999, message: 'fine', reason: 'Healthy', since: AT, status: 'False'}
const EVENT: NodeEvent = {
  count: 1,
  first: AT,
  last: AT,
  message: 'x'.repeat(5000),
  reason: 'K8sWinRepaired',
  type: 'Normal',
}
const NODE = {name: 'win-1', uid: uidOf('Node', 'win-1')}

describe('with the identity of a node', () => {
  it('its condition is set, read and removed', async () => {
    const {server} = await serveCluster()
    const cluster = await clusterAt(server)
    expect(await cluster.publishedNode('win-1')).toEqual({uid: NODE.uid})
    expect(await cluster.setCondition('win-1', CONDITION)).toBe(true)
    const published = {condition: {reason: 'Healthy', since: AT, status: 'False'}, uid: NODE.uid}
    expect(await cluster.publishedNode('win-1')).toEqual(published)
    expect(await cluster.node('win-1')).toMatchObject({isPublished: true, ready: true})
    expect(await cluster.setCondition('win-1')).toBe(true)
    expect(await cluster.publishedNode('win-1')).toEqual({uid: NODE.uid})
  })

  it('a node that does not exist is told, and that of another refused', async () => {
    const {server, stage} = await serveCluster()
    const cluster = await clusterAt(server)
    expect((await refusal(cluster.setCondition('linux-1', CONDITION))).id).toBe('API_SERVER_FORBIDS')
    stage.world.cluster.nodes = []
    expect(await cluster.setCondition('win-1', CONDITION)).toBe(false)
    expect(await cluster.publishedNode('win-1')).toBeUndefined()
  })

  it('an event is created once, with a message of at most 1,024 characters', async () => {
    const {seen, server, stage} = await serveCluster()
    const cluster = await clusterAt(server)
    for (const _ of [1, 2]) await cluster.createNodeEvent(NODE, EVENT)
    expect(seen).toHaveLength(2)
    expect(stage.world.cluster.events).toMatchObject([{involvedObject: NODE, lastTimestamp: '2026-11-18T12:00:00Z'}])
    expect(stage.world.cluster.events?.[0]?.message?.length).toBeLessThanOrEqual(1024)
  })
})

it('what a busy server refuses is not tried again, and says for how long to wait', async () => {
  let asked = 0
  const {server} = await serveCluster({
    answer: (_, response) => {
      asked++
      response.writeHead(429, {'retry-after': '7'}).end('{}')
    },
  })
  const {signal} = new AbortController()
  const machine = retryingMachine(impatient(5000), {onRetry: () => {}, signal})
  const cluster = await clusterAt(server, {machine})
  const requests = [
    () => cluster.publishedNode('win-1'),
    () => cluster.setCondition('win-1', CONDITION),
    () => cluster.createNodeEvent(NODE, EVENT),
  ]
  for (const [index, request] of requests.entries()) {
    const error = await request().catch((reason: unknown) => reason)
    expect(error).toMatchObject({id: 'API_SERVER_BUSY'})
    expect((error as Error).cause).toBeInstanceOf(Busy)
    expect((error as Error).cause).toMatchObject({retryAfterMs: 7000})
    expect(asked).toBe(index + 1)
  }
})
