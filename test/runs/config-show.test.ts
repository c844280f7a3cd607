// config show on a simulated host: what the cluster reports is shown with the object that says so.
import {describe, expect, test} from 'vitest'
import type {GivenOptions} from '../../src/config/options/options.js'
import {configLines, type ShownOption} from '../../src/output/text/config-table.js'
import {createRedactor} from '../../src/output/text/redact.js'
import {showConfiguration} from '../../src/runs/config-show.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import type {World} from '../../src/simulator/world.js'
import {assets} from '../fixtures/assets.js'
import {setupOn} from '../setup/in-process.js'
import {HostFolder} from '../steps/host-folder.js'

async function shownOn({dir}: HostFolder, flags: GivenOptions = {}, withStored = true) {
  const machine = await openSimulator({dir, profile: 'ws2019', readOnly: true})
  const {signal} = new AbortController()
  const started = machine.clock.now()
  const options = await showConfiguration({
    assets,
    environment: {},
    flags,
    machine,
    redactor: createRedactor(),
    signal,
    withStored,
  })
  const of = (flag: string): Pick<ShownOption, 'source' | 'value' | 'where'> => {
    const {source, value, where} = options.find((option) => option.flag === flag) as ShownOption
    return {source, value, where}
  }
  return {of, options, tookMs: machine.clock.now() - started}
}

const CLUSTER_FLAGS = ['cluster-cidr', 'service-cidr', 'cluster-domain']
const unreachable = ({cluster}: World): void => void (cluster.reachable = false)

describe('config show', () => {
  test('shows what the cluster reports, and what follows from the release', async () => {
    const {of, options} = await shownOn(await HostFolder.fresh())
    const where = 'ConfigMap kube-system/kubeadm-config'
    expect(of('service-cidr')).toEqual({source: 'cluster', value: '10.10.0.0/16', where})
    expect(of('cluster-domain')).toEqual({source: 'cluster', value: 'cluster.local', where})
    expect(of('cluster-dns')).toEqual({source: 'cluster', value: '10.10.0.10', where: 'Service in kube-system'})
    expect(of('release')).toEqual({
      source: 'default',
      value: '1.21.5',
      where: expect.stringContaining('the API server is v1.23.17') as string,
    })
    expect(of('runtime')).toEqual({source: 'release', value: 'docker', where: '1.21.5'})
    expect(of('containerd-version')).toEqual({source: 'default', value: '2.3.4', where: ''})
    expect(of('base-images').value).toEqual(['nanoserver', 'servercore'])
    expect(configLines(options).join('\n')).toMatch(/--runtime +docker +release: 1\.21\.5\n/)
    expect(configLines(options).join('\n')).toMatch(/--service-cidr +10\.10\.0\.0\/16 +cluster: ConfigMap /)
  })

  test('shows the settings of the daemons, and the file that has them', async () => {
    const host = await HostFolder.fresh()
    const kubelet = 'kubelet: {config: {maxPods: 50, evictionHard: {memory.available: 1Gi}}}'
    host.put('node.yaml', `apiVersion: k8s-win/v1\nkind: NodeConfig\n${kubelet}\n`)
    const flags = {config: String.raw`C:\node.yaml`, 'kubelet-arg': ['v=4', 'eviction-soft=a<1,b<2']}
    const {of, options} = await shownOn(host, flags)
    expect(of('kubelet-arg')).toEqual({
      source: 'flag',
      value: ['v=4', 'eviction-soft=a<1,b<2'],
      where: '--kubelet-arg',
    })
    expect(options.find(({key}) => key === 'kubelet.config')).toMatchObject({
      flag: null,
      source: 'file',
      value: {evictionHard: {'memory.available': '1Gi'}, maxPods: 50},
      where: String.raw`C:\node.yaml:3:20 kubelet.config.maxPods`,
    })
    expect(configLines(options).join('\n')).toMatch(/^kubelet\.config +\{"maxPods":50,"evictionHard":\{.*\}\} +file: /m)
  })

  test('review U2-29: shows what setup would find on this host, unless it is given', async () => {
    const {of} = await shownOn(await HostFolder.fresh(), {'node-name': 'other'})
    expect(of('node-ip')).toEqual({source: 'host', value: '10.0.0.5', where: 'adapter Ethernet0'})
    expect(of('nanoserver-tag')).toEqual({source: 'host', value: '1809', where: 'build of Windows'})
    expect(of('servercore-tag')).toEqual({source: 'host', value: 'ltsc2019', where: 'build of Windows'})
    expect(of('node-name')).toEqual({source: 'flag', value: 'other', where: '--node-name'})
    const away = await shownOn(await HostFolder.fresh(), {}, false)
    expect(away.of('node-ip')).toEqual({source: 'default', value: null, where: ''})
  })

  test('shows a flag before what the cluster reports', async () => {
    const flags = {'cluster-dns': '10.11.0.10', runtime: 'docker', 'service-cidr': '10.11.0.0/16'}
    const {of} = await shownOn(await HostFolder.fresh(), flags)
    expect(of('service-cidr')).toEqual({source: 'flag', value: '10.11.0.0/16', where: '--service-cidr'})
    expect(of('cluster-dns')).toEqual({source: 'flag', value: '10.11.0.10', where: '--cluster-dns'})
    expect(of('runtime')).toEqual({source: 'flag', value: 'docker', where: '--runtime'})
  })

  test('shows the defaults where the cluster does not respond, and where there is no host', async () => {
    const down = await shownOn(await HostFolder.fresh(unreachable))
    const away = await shownOn(await HostFolder.fresh(), {}, false)
    for (const {of} of [down, away]) {
      expect(CLUSTER_FLAGS.map((flag) => of(flag).source)).toEqual(['default', 'default', 'default'])
      expect(of('cluster-dns')).toEqual({source: 'default', value: null, where: ''})
    }
    expect(down.tookMs).toBeLessThanOrEqual(10_000)
  })

  test('of a node that was set up shows what is stored', async () => {
    const folder = await HostFolder.fresh()
    expect((await setupOn(folder.dir)).result.exitCode).toBe(0)
    folder.edit(unreachable)
    const {of} = await shownOn(folder)
    expect(CLUSTER_FLAGS.map((flag) => of(flag).source)).toEqual(['stored', 'stored', 'stored'])
  })
})
