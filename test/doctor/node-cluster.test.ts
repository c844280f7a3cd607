// The node in its cluster, its neighbours, and the ports between them.
import {describe, expect, it} from 'vitest'
import type {World} from '../../src/simulator/world.js'
import {examine, setUpNode} from './doctor-rig.js'

const FLANNEL = 'flannel.alpha.coreos.com'
const nodeOf = (world: World, name: string) => world.cluster.nodes.find((node) => node.name === name)
const annotate = (world: World, name: string, key: string, value: string | undefined): void => {
  const {annotations = {}} = nodeOf(world, name) ?? {}
  if (value === undefined) Reflect.deleteProperty(annotations, `${FLANNEL}/${key}`)
  else annotations[`${FLANNEL}/${key}`] = value
}

describe('what the cluster says of the node', () => {
  it('is not checked while the API server is silent: that is reported once', async () => {
    const {check, document, notable} = await examine(await setUpNode((world) => (world.cluster.reachable = false)))
    expect(check('node-condition')).toMatchObject({dependsOn: 'api-server', result: 'not-checked'})
    // review W1: Services are not proven then, for the same reason.
    const failed = Object.entries(notable).flatMap(([id, result]) => (result === 'fail' ? [id] : []))
    expect(failed.toSorted()).toEqual(['api-server', 'services-proof'])
    expect(document.problems.filter(({explainedBy}) => explainedBy === undefined)).toMatchObject([
      {id: 'API_SERVER_UNREACHABLE'},
    ])
  })
})

describe('flannel on other nodes', () => {
  it.each([
    [
      'does not run',
      (world: World) => ((nodeOf(world, 'linux-1') ?? {annotations: {}}).annotations = {}),
      /flannel is not running on linux-1/,
    ],
    [
      'has another backend',
      (world: World) => annotate(world, 'linux-1', 'backend-type', 'host-gw'),
      /linux-1 has the backend host-gw/,
    ],
    ['has another VNI', (world: World) => annotate(world, 'linux-1', 'backend-data', '{"VNI":1}'), /linux-1 has VNI 1/],
    [
      'reports no address',
      (world: World) => annotate(world, 'linux-1', 'public-ip', undefined),
      /linux-1 reports no address/,
    ],
    [
      "tells another's address",
      (world: World) => annotate(world, 'linux-2', 'public-ip', '10.0.0.11'),
      /linux-2 and linux-1 both report 10\.0\.0\.11/,
    ],
  ])('%s: a warning', async (_, sicken, tells) => {
    expect((await examine(await setUpNode((world) => void sicken(world)))).check('peers')).toMatchObject({
      message: expect.stringMatching(tells) as string,
      result: 'warn',
    })
  })

  it('tells an address the cluster does not know: a warning', async () => {
    const host = await setUpNode((world) => annotate(world, 'linux-1', 'public-ip', '192.168.7.7'))
    expect((await examine(host)).check('peer-addresses')).toMatchObject({
      message: expect.stringMatching(/linux-1 reports 192\.168\.7\.7/) as string,
      result: 'warn',
    })
  })

  it('has an address that a person has set, which the cluster need not know: it passes', async () => {
    const host = await setUpNode((world) => {
      annotate(world, 'linux-1', 'public-ip', '203.0.113.7')
      annotate(world, 'linux-1', 'public-ip-overwrite', '203.0.113.7')
    })
    const {check} = await examine(host)
    for (const id of ['peers', 'peer-addresses'] as const) expect(check(id)).toMatchObject({result: 'pass'})
  })
})

describe("the kubelet's port", () => {
  it('that nothing listens on: KUBELET_PORT_CLOSED', async () => {
    const host = await setUpNode((world) => {
      Object.assign(world.services['kubelet'] ?? {}, {listening: [], processId: 0, state: 'stopped'})
    })
    expect((await examine(host)).check('kubelet-port')).toMatchObject({
      message: "Nothing is listening on 10.0.0.5:10250, the kubelet's port",
      result: 'fail',
    })
  })
})

describe('VXLAN to other nodes', () => {
  it('is said honestly: that it leaves is all that can be seen', async () => {
    expect((await examine(await setUpNode())).check('vxlan-port')).toMatchObject({
      message: expect.stringMatching(/of 3 nodes leave this host; whether they arrive cannot be checked/) as string,
      result: 'pass',
    })
  })

  it('that does not leave: a warning with the nodes', async () => {
    const host = await setUpNode()
    const wrap: NonNullable<Parameters<typeof examine>[1]>['wrap'] = (machine) => ({
      ...machine,
      net: {...machine.net, canSend: async (to) => Promise.resolve(to !== '10.0.0.12')},
    })
    expect((await examine(host, {wrap})).check('vxlan-port')).toMatchObject({
      message: expect.stringMatching(/cannot send packets to linux-2 \(10\.0\.0\.12\):/) as string,
      result: 'warn',
    })
  })

  it.each([
    [
      'no other node',
      (world: World) => (world.cluster.nodes = world.cluster.nodes.filter(({name}) => name === 'win-1')),
    ],
    [
      'flanneld stopped',
      (world: World) => Object.assign(world.services['flanneld'] ?? {}, {processId: 0, state: 'stopped'}),
    ],
    ['an identity that may not see nodes', (world: World) => (world.cluster.permissions = ['get nodes'])],
  ])('%s: not checked', async (_, sicken) => {
    const {check} = await examine(await setUpNode((world) => void sicken(world)))
    expect(check('vxlan-port').result).toBe('not-checked')
  })
})
