// A cluster that only a proxy reaches: the kubelet leaves proxy-url aside once it renews its certificate.
import {describe, expect, test} from 'vitest'
import {makeKubeconfig} from '../../src/simulator/cluster/kubeconfig.js'
import {checkOne, KUBECONFIG} from '../preflight/cluster-bench.js'
import {statusOn} from '../status/status-on.js'
import {setupOn} from './in-process.js'
import {SimulatedHost} from './simulated-host.js'

const proxied = (url: string): string =>
  makeKubeconfig('https://10.0.0.10:6443').replace('    server:', `    proxy-url: ${url}\n    server:`)

async function behind(url: string): Promise<SimulatedHost> {
  const host = await SimulatedHost.make()
  host.put(KUBECONFIG, proxied(url))
  host.edit((world) => {
    world.cluster.proxy = 'http://proxy.example:3128'
    // What this host goes to without a proxy is not what the kubeconfig says.
    world.environment = {...world.environment, NO_PROXY: '10.0.0.0/8'}
  })
  return host
}

const environmentOf = (host: SimulatedHost): readonly string[] => {
  const key = String.raw`hklm\system\currentcontrolset\services\kubelet`
  const found = Object.entries(host.world.registry).find(([name]) => name.toLowerCase() === key)?.[1]
  return (Object.entries(found ?? {}).find(([name]) => name.toLowerCase() === 'environment')?.[1]?.data ??
    []) as string[]
}

describe('review W2: a kubeconfig with a certificate and proxy-url', () => {
  test('the kubelet gets the proxy, and its node registers', async () => {
    const host = await behind('http://proxy.example:3128')
    const {result} = await setupOn(host.dir)
    expect(result).toMatchObject({exitCode: 0, node: {ready: true}})
    expect(environmentOf(host)).toContain('HTTPS_PROXY=http://proxy.example:3128')
    expect(host.read(String.raw`k\kubelet-config.yaml`)).toContain('rotateCertificates: true')
    expect((await setupOn(host.dir)).result).toMatchObject({exitCode: 0, recap: {changed: 0}})
    expect((await statusOn(host.dir)).document).toMatchObject({verdict: 'healthy'})
  })

  test('a password of the proxy is not put where users read it: the kubelet does not renew, which is reported', async () => {
    const url = 'http://someone:hidden@proxy.example:3128'
    const host = await behind(url)
    expect((await setupOn(host.dir)).result).toMatchObject({exitCode: 0, node: {ready: true}})
    expect(JSON.stringify(host.world.registry)).not.toContain('hidden')
    expect(host.read(String.raw`k\kubelet-config.yaml`)).toContain('rotateCertificates: false')
    const sicken: Parameters<typeof checkOne>[1] = {
      files: {[KUBECONFIG]: proxied(url)},
      sicken: (world) => (world.cluster.proxy = 'http://proxy.example:3128'),
    }
    expect(await checkOne('credentials', sicken)).toMatchObject({problems: [], result: 'warn'})
  })
})
