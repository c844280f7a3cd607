// A program of kube-proxy is replaced before the run registers the node and renews its certificate: that they are missing keeps no
// run from making them.
import {expect, onTestFinished, test} from 'vitest'
import {makeOriginal} from '../fixtures/original-script.js'
import {setup} from '../fixtures/run-setup.js'
import {HostInMemory} from '../setup/host-in-memory.js'
import {setupOn} from '../setup/in-process.js'
import {HostFolder} from '../steps/host-folder.js'
import {CLUSTER_CA} from '../../src/simulator/cluster/certificates.js'
import {createHash, X509Certificate} from 'node:crypto'
import {recoverOn} from './recover-on.js'

const KUBE_PROXY = String.raw`k\kubernetes\node\bin\kube-proxy.exe`

function withoutNode(host: HostFolder): HostFolder {
  host.edit(({cluster}) => (cluster.nodes = cluster.nodes.filter(({name}) => name !== 'win-1')))
  return host
}

test('review W3-0: a host of the original script whose Node was deleted is taken over', async () => {
  const host = HostFolder.empty()
  onTestFinished(() => host.discard())
  await makeOriginal(host.dir)
  withoutNode(host)
  expect((await setup(host.dir, {adopt: 'true'})).result).toMatchObject({exitCode: 0})
})

test('review W3-0: a node whose Node was deleted, and whose kube-proxy.exe was changed, is set up and recovered', async () => {
  for (const run of [setupOn, recoverOn]) {
    const host = await HostFolder.fresh()
    onTestFinished(() => host.discard())
    expect((await setupOn(host.dir)).result.error).toBeUndefined()
    withoutNode(host).put(KUBE_PROXY, 'changed')
    expect((await run(host.dir)).result.error).toBeUndefined()
  }
})

test('review W3-0: a node whose certificate has lapsed joins again with another kube-proxy.exe', async () => {
  const spki = new X509Certificate(CLUSTER_CA).publicKey.export({format: 'der', type: 'spki'})
  const pin = `sha256:${createHash('sha256').update(spki).digest('hex')}`
  const join = ['--server', 'https://10.0.0.10:6443', '--token', 'abcdef.0123456789abcdef', '--ca-cert-hash', pin]
  const host = await HostInMemory.make()
  const folder = new HostFolder(host.dir)
  folder.remove(String.raw`k\kubeconfig`)
  expect((await host.setup(...join)).code).toBe(0)
  host.edit(({os}) => (os.time += 400 * 86_400_000))
  folder.put(KUBE_PROXY, 'changed')
  expect((await host.setup(...join)).code).toBe(0)
})
