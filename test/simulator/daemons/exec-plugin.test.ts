// Daemons whose kubeconfig has an exec plugin: what the client-go inside each of them makes of it.
import {describe, expect, it} from 'vitest'

import {kubeconfigOf} from '../../preflight/cluster-bench.js'
import {codeOf, makeNode, type TestNode, withNetwork} from '../node.js'

const KUBECONFIG = String.raw`C:\k\kubeconfig`
const APIS = 'client.authentication.k8s.io'

async function withExec(exec: object, release = 'v1.21.5'): Promise<TestNode> {
  const node = await makeNode({release})
  await node.stage.files.write(KUBECONFIG, kubeconfigOf({exec}))
  // As setup writes it for a kubelet without a certificate.
  const config = 'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n'
  await node.stage.files.write(String.raw`C:\k\kubelet-config.yaml`, config)
  return node
}

const plugin = (version: string, more: object = {}): object => ({
  apiVersion: `${APIS}/${version}`,
  command: String.raw`C:\k\plugin.exe`,
  ...more,
})

async function kubeletSays(node: TestNode): Promise<string> {
  await codeOf(node.win32.startService('kubelet'))
  await node.stage.elapse(10_000)
  return (await node.log('kubelet')).replaceAll('\\"', '"')
}

describe('review K5: the simulated kubelet ends with a plugin', () => {
  it.each<[string, object, string, string]>([
    ['of v1', plugin('v1', {interactiveMode: 'Never'}), 'v1.21.5', `exec plugin: invalid apiVersion "${APIS}/v1"`],
    ['of v1 without a mode', plugin('v1'), 'v1.22.0', 'interactiveMode must be specified for default-auth to use exec'],
    [
      'of an odd mode',
      plugin('v1beta1', {interactiveMode: 'x'}),
      'v1.23.0',
      'invalid interactiveMode for default-auth: "x"',
    ],
    ['that needs a console', plugin('v1', {interactiveMode: 'Always'}), 'v1.23.0', 'standard input is not a terminal'],
  ])('%s', async (_, exec, release, text) => {
    expect(await kubeletSays(await withExec(exec, release))).toContain(text)
  })

  it.each([
    ['v1alpha1', 'v1.21.5'],
    ['v1beta1', 'v1.21.5'],
    ['v1alpha1', 'v1.23.0'],
  ])('but not with one of %s in %s', async (version, release) => {
    const said = await kubeletSays(await withExec(plugin(version), release))
    expect(said).not.toMatch(/exec plugin|invalid configuration/)
    expect(said).toContain('Starting kubelet main sync loop')
  })
})

it('review K5: the simulated kube-proxy ends with a plugin of v1 in 1.21', async () => {
  const node = await withExec(plugin('v1', {interactiveMode: 'Never'}))
  await codeOf(node.win32.startService('kubeproxy'))
  await node.stage.elapse(5000)
  expect((await node.log('kubeproxy')).replaceAll('\\"', '"')).toContain('exec plugin: invalid apiVersion')
})

it('review K5: the simulated flanneld 0.28.9 ends with a plugin of v1alpha1', async () => {
  const node = await withExec(plugin('v1alpha1'))
  await withNetwork(node)
  expect(await node.log('flanneld')).toContain('unable to initialize client: exec plugin: invalid apiVersion')
})
