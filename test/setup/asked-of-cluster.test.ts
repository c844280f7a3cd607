// setup on a cluster that has other networks than the defaults: it asks for them, and stores what it was told.
import {describe, expect, test} from 'vitest'
import {parse} from 'yaml'
import {HttpError} from '../../src/machine/http.js'
import type {Machine} from '../../src/machine/machine.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import type {World} from '../../src/simulator/world.js'
import {HostFolder} from '../steps/host-folder.js'
import {setupOn} from './in-process.js'

const NODE_YAML = String.raw`k\k8s-win\node.yaml`

function otherNetworks({cluster}: World): void {
  const kubeadm = cluster.configMaps.find(({name}) => name === 'kubeadm-config')?.data
  if (kubeadm) {
    kubeadm['ClusterConfiguration'] =
      'networking:\n  dnsDomain: corp.local\n  podSubnet: 10.244.0.0/16\n  serviceSubnet: 10.96.0.0/12\n'
  }
  for (const service of cluster.services) service.clusterIP = service.clusterIP.replace('10.10.', '10.96.')
}

const storedOf = (folder: HostFolder): Record<string, unknown> =>
  parse(folder.read(NODE_YAML)) as Record<string, unknown>

describe('a cluster with networks of its own', () => {
  test('is asked for them once; the second run uses what is stored, and changes nothing', async () => {
    const folder = await HostFolder.fresh(otherNetworks)
    const first = await setupOn(folder.dir)
    expect(first.result.error).toBeUndefined()
    const logged = first.events.flatMap((event) => (event.type === 'log' ? [event.message] : []))
    expect(logged.filter((message) => /^(?:using --|Kubernetes 1)/.test(message))).toEqual([
      'using --service-cidr 10.96.0.0/12: ConfigMap kube-system/kubeadm-config',
      'using --cluster-domain corp.local: ConfigMap kube-system/kubeadm-config',
      expect.stringMatching(/^Kubernetes 1\.21\.5: .*the API server is v1\.23\.17$/),
    ])
    expect(first.events[0]?.type).toBe('run-started')
    expect(storedOf(folder)).toMatchObject({
      clusterCIDR: '10.244.0.0/16',
      clusterDomain: 'corp.local',
      release: '1.21.5',
      serviceCIDR: '10.96.0.0/12',
    })
    expect(folder.read(String.raw`k\cni\config\cni.conf`)).toContain('10.96.0.0/12')
    expect(folder.read(String.raw`k\kubelet-config.yaml`)).toContain('corp.local')

    // A cluster that reports other networks later does not move the node.
    folder.edit(({cluster}) => (cluster.configMaps = cluster.configMaps.filter(({name}) => name !== 'kubeadm-config')))
    const asked: string[] = []
    const second = await setupOn(folder.dir, {}, {after: async ({what}) => void asked.push(what)})
    expect(second.result).toMatchObject({exitCode: 0, recap: {changed: 0, failed: 0}})
    expect(asked.filter((what) => what.includes('kubeadm-config'))).toEqual([])
  })

  test('is asked for them where containerd is set up: the ServiceCIDR comes before kubeadm, and DNS is found', async () => {
    const profile = 'ws2025'
    const folder = HostFolder.empty()
    await openSimulator({dir: folder.dir, profile})
    folder.edit((world) => {
      otherNetworks(world)
      world.cluster.serviceCIDRs = [{cidrs: ['10.96.0.0/16'], name: 'kubernetes'}]
    })
    const {events, result} = await setupOn(folder.dir, {}, {}, profile)
    expect(result.error).toBeUndefined()
    const logged = events.flatMap((event) => (event.type === 'log' ? [event.message] : []))
    expect(logged.filter((message) => /^(?:using --|Kubernetes 1)/.test(message))).toEqual([
      'using --service-cidr 10.96.0.0/16: ServiceCIDR kubernetes',
      'using --cluster-domain corp.local: ConfigMap kube-system/kubeadm-config',
      expect.stringMatching(/^Kubernetes 1\.36\.4: .*the API server is v1\.36\.4$/),
    ])
    expect(storedOf(folder)).toMatchObject({release: '1.36.4', serviceCIDR: '10.96.0.0/16'})
    expect(folder.read(String.raw`k\cni\config\10-flannel.conflist`)).toContain('10.96.0.0/16')
    expect(parse(folder.read(String.raw`k\kubelet-config.yaml`))).toMatchObject({
      clusterDNS: ['10.96.0.10'],
      clusterDomain: 'corp.local',
    })
    expect((await setupOn(folder.dir, {}, {}, profile)).result).toMatchObject({exitCode: 0, recap: {changed: 0}})
  })

  test('and a flag that contradicts them is refused as before', async () => {
    const {dir} = await HostFolder.fresh(otherNetworks)
    const {result} = await setupOn(dir, {'service-cidr': '10.10.0.0/16'})
    expect([result.exitCode, result.error?.id]).toEqual([3, 'SERVICE_CIDR_ELSEWHERE'])
  })

  test('that does not say so is refused as before', async () => {
    const {dir} = await HostFolder.fresh((world) => {
      otherNetworks(world)
      world.cluster.configMaps = world.cluster.configMaps.filter(({name}) => name !== 'kubeadm-config')
    })
    const {result} = await setupOn(dir)
    expect([result.exitCode, result.error?.id]).toEqual([3, 'SERVICE_CIDR_ELSEWHERE'])
  })

  test('that says nothing is shown as today: only the release is reported', async () => {
    const {dir} = await HostFolder.fresh()
    const {events} = await setupOn(dir, {}, {dryRun: true})
    const logged = events.flatMap((event) => (event.type === 'log' ? [event.message] : []))
    expect(logged.filter((message) => /^(?:using --|Kubernetes 1)/.test(message))).toEqual([
      expect.stringMatching(/^Kubernetes 1\.21\.5: .*the API server is v1\.23\.17$/),
    ])
  })

  test('that was cut off while it was asked is asked again after the checks', async () => {
    const cutOff = async (sicken?: (world: World) => void) => {
      const folder = await HostFolder.fresh(sicken)
      let isFirst = true
      const wrap = (machine: Machine): Machine => {
        const request: Machine['http']['request'] = async (asked) => {
          if (!isFirst || asked.tls === undefined) return machine.http.request(asked)
          isFirst = false
          throw new HttpError(asked.url, 'ECONNREFUSED', 'connect ECONNREFUSED')
        }
        return {...machine, http: {...machine.http, request}}
      }
      return {folder, result: (await setupOn(folder.dir, {}, {wrap})).result}
    }

    // The domain is the only value that no check compares: the defaults would have passed.
    const other = await cutOff(({cluster}) => {
      const kubeadm = cluster.configMaps.find(({name}) => name === 'kubeadm-config')?.data
      if (kubeadm) kubeadm['ClusterConfiguration'] = 'networking:\n  dnsDomain: corp.local\n'
    })
    expect([other.result.exitCode, other.result.error?.id]).toEqual([3, 'API_SERVER_UNREACHABLE'])
    expect(other.folder.has(NODE_YAML)).toBe(false)
    expect((await cutOff()).result.exitCode).toBe(0)
  })
})
