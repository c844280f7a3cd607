// What a joining node takes of the cluster with the token's rights, and what of it is not safe on Windows.
import {describe, expect, test} from 'vitest'
import {parse} from 'yaml'
import type {World} from '../../src/simulator/world.js'
import type {HostFolder} from '../steps/host-folder.js'
import {setupOn} from '../setup/in-process.js'
import {joiningHost, joinOn, PROFILE} from './joining-host.js'

const edited =
  (name: string, key: string, change: (text: string) => string) =>
  ({cluster}: World): void => {
    const found = cluster.configMaps.find((one) => one.name === name)
    if (!found) throw new Error(`there is no ConfigMap ${name}`)
    found.data[key] = change(found.data[key] ?? '')
  }
const kubelets = (change: (text: string) => string) => edited('kubelet-config', 'kubelet', change)

const kubeletConfigOf = (host: HostFolder) =>
  parse(host.read(String.raw`k\kubelet-config.yaml`)) as {
    clusterDNS: string[]
    clusterDomain: string
    featureGates?: Record<string, boolean>
    resolvConf: string
    staticPodPath?: string
  }
const proxyLineOf = ({world}: HostFolder): string => world.services['kubeproxy']?.config.imagePath ?? ''

describe('the values of the cluster', () => {
  test('DNS, domain and gates; nothing that is for Linux', async () => {
    const host = await joiningHost((world) => {
      kubelets((text) => `${text}\nfeatureGates:\n  NodeLogQuery: true\n  WinOverlay: false\n`)(world)
    })
    expect((await joinOn(host)).result.error).toBeUndefined()
    const {clusterDNS, clusterDomain, featureGates, resolvConf, staticPodPath} = kubeletConfigOf(host)
    expect({clusterDNS, clusterDomain, featureGates, resolvConf, staticPodPath}).toEqual({
      clusterDNS: ['10.10.0.10'],
      clusterDomain: 'cluster.local',
      featureGates: {NodeLogQuery: true},
      resolvConf: '',
      staticPodPath: undefined,
    })
    expect(proxyLineOf(host)).toContain('--feature-gates=NodeLogQuery=true')
    expect(proxyLineOf(host)).not.toContain('WinOverlay=false')
    const again = await setupOn(host.dir, {}, {}, PROFILE)
    expect(again.result).toMatchObject({exitCode: 0, recap: {changed: 0}})
  })

  test('the address of a cache on Linux nodes is not taken', async () => {
    const host = await joiningHost(kubelets((text) => text.replace(/- 10\.10\.0\.10/, '- 169.254.20.10')))
    const {result} = await joinOn(host)
    expect(result).toMatchObject({error: {id: 'CLUSTER_DNS_UNKNOWN'}, exitCode: 3})
    expect((await joinOn(host, {'cluster-dns': '10.10.0.10'})).result).toMatchObject({exitCode: 0})
  })

  test('gates of another minor are not taken: the kubelet would not start with one that it does not know', async () => {
    const host = await joiningHost(kubelets((text) => `${text}\nfeatureGates:\n  FromTheFuture: true\n`))
    expect((await joinOn(host, {release: '1.35.8'})).result).toMatchObject({exitCode: 0})
    expect(kubeletConfigOf(host).featureGates).toBeUndefined()
  })

  test.each([
    ['not YAML', '{{{'],
    ['of another shape', '- 1\n- 2\n'],
    ['with values that are none', 'clusterDNS: 7\nfeatureGates: [a]\nclusterDomain: {a: b}\n'],
  ])('a configuration that is %s is none', async (_, text) => {
    const host = await joiningHost(kubelets(() => text))
    expect((await joinOn(host, {'cluster-dns': '10.10.0.10'})).result).toMatchObject({exitCode: 0})
    expect(kubeletConfigOf(host).featureGates).toBeUndefined()
  })
})
