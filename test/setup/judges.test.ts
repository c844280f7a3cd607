// Clusters and hosts on which the daemons fail, through the whole command: each ends with its own error, and what to do.
import {describe, expect, test} from 'vitest'
import type {World} from '../../src/simulator/world.js'
import {cniConfig} from '../../src/steps/cni-config.js'
import {kubeletServiceStep} from '../../src/steps/services/kubelet-service.js'
import {Rig} from '../steps/rig.js'
import {HostInMemory} from './host-in-memory.js'

/** All that is asked for, the ones named aside: as where they were removed after the checks. */
const permitted =
  (...missing: string[]) =>
  (world: World): void => {
    const rest = ['pods', 'pods/status', 'endpointslices', 'leases', 'csinodes', 'events', 'configmaps', 'daemonsets']
    const all = ['get nodes', 'list nodes', 'watch nodes', 'create nodes', 'patch nodes/status', 'list services']
    const every = [...all, 'watch services', 'get services', ...rest.map((resource) => `* ${resource}`)]
    world.cluster.permissions = every.filter((one) => !missing.includes(one))
  }
/** The checks would not let them begin. */
const UNASKED = ['--ignore-check', 'permissions']

interface Case {
  readonly args?: readonly string[]
  readonly failed: string
  readonly id: string
  /** What the cause must tell. */
  readonly tells: RegExp
  readonly repair?: (world: World) => void
  readonly name: string
  readonly sicken: (world: World) => void
}

const CASES: readonly Case[] = [
  {
    failed: 'node-registered',
    id: 'POD_CIDR_OUTSIDE',
    name: 'a pod network outside --cluster-cidr',
    sicken: (world) => (world.cluster.clusterCIDR = '10.99.0.0/16'),
    tells: /refuses a pod network outside 10\.244\.0\.0\/16/,
  },
  {
    args: UNASKED,
    failed: 'node-registered',
    id: 'NODE_NOT_REGISTERED',
    name: 'an identity that may not create the node',
    sicken: permitted('create nodes'),
    tells: /log ends with: .*Unable to register node with API server.*cannot create resource/,
  },
  {
    args: UNASKED,
    failed: 'overlay-network',
    id: 'OVERLAY_NETWORK_MISSING',
    repair: permitted(),
    name: 'an identity with which flanneld may not see the nodes',
    sicken: permitted('list nodes'),
    tells: /log ends with: .*failed to list \*v1\.Node/,
  },
  {
    failed: 'kubeproxy-service',
    id: 'SERVICES_UNREADABLE',
    repair: permitted(),
    name: 'review W1: kube-proxy that may not list services, and is healthy',
    // kube-proxy watches all services; the cluster's DNS, which only lists, is then given.
    args: [...UNASKED, '--cluster-dns', '10.10.0.10'],
    sicken: permitted('list services'),
    tells: /no endpoint with the source VIP 10\.244\.3\.2.*cannot list resource "services"/,
  },
]

describe('a cluster that does not go with it', () => {
  test.each(CASES)('$name: exit 6, $id', async ({args = [], failed, id, repair, sicken, tells}) => {
    const host = await HostInMemory.make(sicken)
    const {code, result} = await host.setup(...args)
    expect({code, id: result.error?.id}).toEqual({code: 6, id})
    expect(result.error?.cause).toMatch(tells)
    expect(result.error?.fix).toMatch(/run the same command again/)
    expect(result.steps.find(({state}) => state === 'failed')?.id).toBe(failed)
    // No pod may land on a node that is not whole.
    expect(host.world.cluster.nodes.find(({name}) => name === 'win-1')?.ready ?? false).toBe(false)

    if (!repair) return
    host.edit(repair)
    const again = await host.setup(...args)
    expect({code: again.code, ready: again.result.node?.ready}).toEqual({code: 0, ready: true})
  })
})

describe("a CNI configuration that is not k8s-win's, and before k8s-win's", () => {
  const foreign = String.raw`k\cni\config\00-nat.conf`

  test('exit 3, FOREIGN_CNI_CONFIG, nothing changed', async () => {
    const host = await HostInMemory.make()
    host.put(foreign, '{"name":"nat","type":"nat"}')
    const before = host.state
    const {code, result} = await host.setup()
    expect({code, id: result.error?.id}).toEqual({code: 3, id: 'FOREIGN_CNI_CONFIG'})
    expect(result.error?.message).toContain('00-nat.conf')
    expect(host.state).toEqual(before)

    host.remove(foreign)
    expect((await host.setup()).code).toBe(0)
  })

  test('one that comes while setup runs is found too', async () => {
    const host = await Rig.open()
    await host.runBefore('cni-config')
    await host.machine.files.makeDirectory(String.raw`C:\k\cni\config`)
    await host.machine.files.write(String.raw`C:\k\cni\config\00-nat.conf`, '{}')
    expect((await host.run(cniConfig)).error).toMatchObject({id: 'FOREIGN_CNI_CONFIG'})
  })
})

describe('a kubelet that does not live', () => {
  test.each([
    {
      break: (rig: Rig) => rig.machine.files.write(String.raw`C:\k\kubelet-config.yaml`, 'kind: Nonsense\n'),
      name: 'ends before it speaks to the service manager',
      tells:
        /Its program exited at once \(Windows error 1053\)\. Its log ends with: .*Failed to load kubelet config file/,
    },
    {
      break: (rig: Rig) => rig.machine.files.remove(String.raw`C:\k\client-ca.crt`),
      name: 'dies again and again',
      tells: /120 s.*\. Its log ends with: .*unable to load client CA file/,
    },
  ])('$name: SERVICE_NOT_HEALTHY with what its log says', async ({break: spoil, tells}) => {
    const rig = await Rig.open()
    await rig.runBefore('kubelet-service')
    await spoil(rig)
    const {error} = await rig.run(kubeletServiceStep)
    expect(error).toMatchObject({exitCode: 6, id: 'SERVICE_NOT_HEALTHY'})
    expect((error as {reason: string}).reason).toMatch(tells)
  })
})
