// Whether flanneld could make the overlay network again is asked with its own identity: the kubelet's answer says nothing
// about flanneld.
import {beforeAll, describe, expect, test} from 'vitest'
import type {World} from '../../src/simulator/world.js'
import {setupOn} from '../setup/in-process.js'
import {HostFolder} from '../steps/host-folder.js'
import {recoverOn} from './recover-on.js'
import {repairOn} from './watch/repair-on.js'

const TOKEN = 'flanneld-token'
const USER = 'system:serviceaccount:kube-flannel:flannel'

let shared: HostFolder
let own: HostFolder

beforeAll(async () => {
  // From 1.32 on the Node authorizer lets a node read its own Node only.
  shared = await HostFolder.fresh(() => {}, 'ws2025')
  expect((await setupOn(shared.dir, {}, {}, 'ws2025')).result.exitCode).toBe(0)
  own = await HostFolder.fresh(({cluster}) => {
    cluster.tokens = {[TOKEN]: USER}
    cluster.permissionsOf = {[USER]: ['* nodes', '* nodes/status']}
  })
  const kubeconfig = own.read(String.raw`k\kubeconfig`)
  own.put(
    String.raw`given\flanneld`,
    kubeconfig.replace(/client-certificate-data: .*\n\s*client-key-data: .*/, `token: ${TOKEN}`),
  )
  const given = {'flanneld-kubeconfig': String.raw`C:\given\flanneld`}
  expect((await setupOn(own.dir, given)).result).toMatchObject({exitCode: 0})
})

/** The Node has another pod network: its overlay network is to be replaced. */
function moved(made: HostFolder, more: (world: World) => void): HostFolder {
  const host = made.copy()
  host.edit((world) => {
    for (const node of world.cluster.nodes) if (node.name === 'win-1') node.podCIDR = '10.244.9.0/24'
    more(world)
  })
  return host
}

const ids = (all: readonly Record<string, unknown>[]): unknown[] => all.map(({ID}) => ID).sort()
const kept = ({world: {hns, services}}: HostFolder) => ({
  endpoints: ids(hns.endpoints),
  networks: ids(hns.networks),
  policyLists: ids(hns.policyLists),
  processes: Object.entries(services).map(([name, {processId}]) => [name, processId]),
})

/** Each of the two lets nodes list nodes. The Node authorizer still lets the kubelet read its own. */
const unbound = ({cluster}: World): void => {
  const lost = ['k8s-win-nodes-flannel', 'k8s-win-nodes-kube-proxy']
  cluster.roleBindings = cluster.roleBindings?.filter(({name}) => !lost.includes(name)) ?? []
}
const revoked = ({cluster}: World): void => void (cluster.tokens = {})
const restricted = ({cluster}: World): void => void (cluster.permissionsOf = {[USER]: ['get nodes']})

describe('nothing is removed for a flanneld that could not make its network again', () => {
  test.each([
    ['whose node has lost its binding', () => moved(shared, unbound), 'NODE_ACCESS_MISSING'],
    ['whose own credentials are refused', () => moved(own, revoked), 'API_SERVER_REFUSES'],
    ['whose own identity may not list nodes', () => moved(own, restricted), 'PERMISSIONS_MISSING'],
  ])('%s', async (_, open, id) => {
    const host = open()
    const before = kept(host)
    const {result} = await recoverOn(host.dir)
    expect(result.steps.find((step) => step.id === 'overlay-network')).toMatchObject({changes: [], error: {id}})
    expect(kept(host)).toEqual(before)
    await repairOn(host.dir)
    expect(kept(host)).toEqual(before)
  })

  test('with its own identity it is replaced, also where the kubelet does not share it', async () => {
    const host = moved(own, () => {})
    const {result} = await recoverOn(host.dir)
    expect(result).toMatchObject({exitCode: 0})
    expect(kept(host).networks).not.toEqual(kept(own).networks)
  })
})
