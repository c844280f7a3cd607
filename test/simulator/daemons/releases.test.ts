// Every release judges by its own flags, gates and fields: what we give a release it takes, what is another's it may not.
import {describe, expect, it} from 'vitest'

import {kubeProxyService} from '../../../src/components/kube-proxy.js'
import {kubeletConfiguration, kubeletService} from '../../../src/components/kubelet.js'
import {joinCommandLine} from '../../../src/host/command-line.js'
import {answerLocalPort} from '../../../src/simulator/daemons/index.js'
import {exampleNode} from '../../components/example.js'
import {
  codeOf,
  KUBELET_ARGS,
  makeNode,
  serviceConfig,
  type TestNode,
  withFlags,
  withNetwork,
  writeCniConf,
} from '../node.js'

const CONFIG = String.raw`C:\k\kubelet-config.yaml`
const HEADER = 'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n'
const ownNode = ({stage}: TestNode) => stage.world.cluster.nodes.find(({name}) => name === 'win-1')

/** A node with the programs of `installed`, set up as if they were those of `given`. */
async function nodeOf(given: string, installed = given): Promise<TestNode> {
  const config = exampleNode({'node-label': ['disk=ssd'], release: given, taint: ['os=windows:NoSchedule']})
  const node = await makeNode({kubelet: joinCommandLine(kubeletService(config).command), release: `v${installed}`})
  await node.stage.files.write(CONFIG, kubeletConfiguration(config))
  await node.stage.files.write(String.raw`C:\k\client-ca.crt`, 'the authority')
  return node
}

async function proxyOf(given: string, installed = given): Promise<TestNode> {
  const node = await nodeOf(given, installed)
  const vip = (await withNetwork(node)).replace('.0/24', '.2')
  const {command} = kubeProxyService(exampleNode({release: given}), vip)
  await node.win32.changeService('kubeproxy', serviceConfig(joinCommandLine(command)))
  await node.win32.startService('kubeproxy')
  await node.stage.elapse(15_000)
  return node
}

describe.each(['1.21.0', '1.21.5', '1.22.0', '1.22.12', '1.23.0', '1.23.17'])('%s', (release) => {
  it('takes all it is given: the node is Ready, its pods can start, its proxy is healthy', async () => {
    const node = await proxyOf(release)
    await writeCniConf(node)
    await node.stage.elapse(6000)
    expect(ownNode(node)).toMatchObject({
      kubeletVersion: `v${release}`,
      labels: {disk: 'ssd'},
      ready: true,
      taints: [{effect: 'NoSchedule', key: 'os', value: 'windows'}],
    })
    expect(await node.log('kubelet')).not.toMatch(/CreatePodSandbox|lenient/)
    expect(await answerLocalPort(node.stage, 10_256, '/healthz')).toMatchObject({status: 200})
  })
})

describe('what is for another release', () => {
  it("1.24 ends at dockershim's flags", async () => {
    const node = await nodeOf('1.23.17', '1.24.0')
    expect(await codeOf(node.win32.startService('kubelet'))).toBe(1053)
  })

  it('1.23 ends at the gates of 1.22, while its service shows Running', async () => {
    const node = await proxyOf('1.22.12', '1.23.17')
    expect(await node.win32.queryServiceStatus('kubeproxy')).toMatchObject({state: 'stopped', win32ExitCode: 1067})
    expect(await node.log('kubeproxy')).toContain('cannot set feature gate IPv6DualStack to false')
  })

  it.each([
    ['a flag', {args: {'feature-gates': 'IPv6DualStack=false'}, file: ''}],
    ['its file', {args: {}, file: 'featureGates:\n  IPv6DualStack: false\n'}],
  ])('the kubelet of 1.23 ends at the same gate in %s, that of 1.22 does not', async (_, {args, file}) => {
    for (const [release, code] of [
      ['v1.22.0', 0],
      ['v1.23.0', 1053],
    ] as const) {
      const node = await makeNode({kubeletArgs: withFlags(KUBELET_ARGS, args), release})
      await node.stage.files.write(CONFIG, HEADER + file)
      expect(await codeOf(node.win32.startService('kubelet')), release).toBe(code)
      expect((await node.log('kubelet')).includes('feature is locked to true'), release).toBe(code !== 0)
    }
  })
})

it('on Windows Server 2025 a kubelet that runs wmic ends, while its service showed Running', async () => {
  const node = await nodeOf('1.23.17')
  node.stage.world.os.build = 26_100
  await node.win32.startService('kubelet')
  await node.stage.elapse(2000)
  expect(await node.log('kubelet')).toMatch(/failed to run Kubelet: exec: .*wmic.* executable file not found/)
})

it.each([
  ['v1.22.0', true],
  ['v1.23.0', false],
])('resolvConf: "" in the file alone: pods of %s fail: %s', async (release, fails) => {
  const node = await makeNode({kubeletArgs: withFlags(KUBELET_ARGS, {'resolv-conf': undefined}), release})
  await node.stage.files.write(CONFIG, `${HEADER}resolvConf: ""\n`)
  await withNetwork(node)
  await writeCniConf(node)
  await node.stage.elapse(6000)
  expect(ownNode(node)?.ready).toBe(true)
  expect((await node.log('kubelet')).includes('open /etc/resolv.conf')).toBe(fails)
})

it.each([
  ['v1.21.0', '3.4.1'],
  ['v1.22.0', '3.5'],
  ['v1.23.0', '3.6'],
])('without a pause image of k8s-win %s looks for %s', async (release, tag) => {
  const node = await makeNode({
    kubeletArgs: withFlags(KUBELET_ARGS, {'pod-infra-container-image': undefined}),
    release,
  })
  await withNetwork(node)
  await writeCniConf(node)
  await node.stage.elapse(6000)
  expect(await node.log('kubelet')).toContain(`k8s.gcr.io/pause:${tag}`)
})
