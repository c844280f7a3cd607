// Negative controls: the original script's set-ups (docs/facts.md#the-original-script, with today's programs) fail here the way they fail in the
// field. Were one of them to work, the simulator would be too kind, and a test of k8s-win that passes would prove nothing.
import {describe, expect, it} from 'vitest'

import {answerLocalPort} from '../../src/simulator/daemons/index.js'
import {runProgram} from '../../src/simulator/programs/index.js'
import {
  kubeProxyArgs,
  KUBELET_ARGS,
  makeNode,
  NET_CONF,
  serviceConfig,
  type TestNode,
  withFlags,
  withNetwork,
  writeCniConf,
} from './node.js'

/** What Microsoft's repository has as an example, and the script copied before it wrote its own elsewhere (defect 1). */
const SDN_NET_CONF = {Backend: {name: 'vxlan0', type: 'vxlan'}, Network: '192.168.0.0/16'}

const overlay = ({stage}: TestNode) => stage.world.hns.networks.find(({Name}) => Name === 'vxlan0')

async function startKubeProxy(node: TestNode, args: readonly string[]): Promise<void> {
  const line = [String.raw`"C:\k\kubernetes\node\bin\kube-proxy.exe"`, ...args].join(' ')
  await node.win32.changeService('kubeproxy', serviceConfig(line))
  await node.win32.startService('kubeproxy')
}

describe('net-conf.json in the base directory only, the sample where flanneld reads', () => {
  it('flannel 0.28.9 refuses the pod network and makes no overlay, while its service shows Running', async () => {
    const node = await makeNode({netConf: SDN_NET_CONF})
    await node.stage.files.write(String.raw`C:\k\net-conf.json`, JSON.stringify(NET_CONF))
    await withNetwork(node)
    expect(overlay(node)).toBeUndefined()
    expect(node.stage.world.services['flanneld']?.state).toBe('running')
    expect(await node.log('flanneld')).toContain("doesn't contain")
  })

  it('flannel 0.13.0 does not mind', async () => {
    const node = await makeNode({flannel: 'v0.13.0', netConf: SDN_NET_CONF})
    await withNetwork(node)
    expect(overlay(node)).toBeDefined()
  })
})

it('the network "External" of the script under flannel 0.28.9: no overlay', async () => {
  const node = await makeNode()
  const external = {
    Name: 'External',
    NetworkAdapterName: 'Ethernet0',
    Subnets: [
      {AddressPrefix: '192.168.255.0/30', GatewayAddress: '192.168.255.1', Policies: [{Type: 'VSID', VSID: 9999}]},
    ],
    Type: 'overlay',
  }
  await node.win32.hnsCall('POST', '/networks', JSON.stringify(external))
  await node.stage.elapse(20_000)
  await withNetwork(node)
  expect(overlay(node)).toBeUndefined()
  expect(await node.log('flanneld')).toContain('failed to create HostComputeNetwork vxlan0')
})

it("the host's name in capitals as NODE_NAME: flanneld finds no such node", async () => {
  const node = await makeNode({nodeName: 'WIN-1'})
  await withNetwork(node)
  expect(overlay(node)).toBeUndefined()
  expect(await node.log('flanneld')).toContain('failed to patch node \\"WIN-1\\"')
})

describe('kube-proxy', () => {
  it('with the empty source VIP of a second run: Running at first, dead ten seconds later (defects 2 and 7)', async () => {
    const node = await makeNode()
    await withNetwork(node)
    await startKubeProxy(node, kubeProxyArgs(''))
    await node.stage.elapse(5000)
    expect(await node.win32.queryServiceStatus('kubeproxy')).toMatchObject({state: 'running'})
    await node.stage.elapse(10_000)
    expect(await node.win32.queryServiceStatus('kubeproxy')).toMatchObject({state: 'stopped', win32ExitCode: 1067})
    expect(await node.log('kubeproxy')).toContain('source-vip flag not set')
  })

  it('of 1.23 with IPv6DualStack=false: dead', async () => {
    const node = await makeNode({release: 'v1.23.0'})
    await withNetwork(node)
    await startKubeProxy(node, kubeProxyArgs('10.244.3.2', 'WinOverlay=true,IPv6DualStack=false'))
    await node.stage.elapse(15_000)
    expect(await node.win32.queryServiceStatus('kubeproxy')).toMatchObject({state: 'stopped'})
    expect(await node.log('kubeproxy')).toContain('cannot set feature gate IPv6DualStack to false')
  })

  it('without its network: Running all the time, and nothing on its health port', async () => {
    const node = await makeNode({netConf: SDN_NET_CONF})
    await withNetwork(node)
    await startKubeProxy(node, kubeProxyArgs('10.244.3.2'))
    await node.stage.elapse(60_000)
    expect(await node.win32.queryServiceStatus('kubeproxy')).toMatchObject({state: 'running'})
    expect(await answerLocalPort(node.stage, 10_256, '/healthz')).toBeUndefined()
  })
})

it('the dummy source VIP asked for twice: host-local answers with an error (defect 2)', async () => {
  const node = await makeNode()
  const add = () =>
    runProgram(node.stage, String.raw`C:\k\cni\host-local.exe`, [], {
      deadlineMs: 1000,
      effect: 'change',
      env: {CNI_COMMAND: 'ADD', CNI_CONTAINERID: 'dummy', CNI_IFNAME: 'dummy', CNI_NETNS: 'dummy', CNI_PATH: 'dummy'},
      input: JSON.stringify({
        cniVersion: '0.3.0',
        ipam: {dataDir: '/var/lib/cni/networks', ranges: [[{subnet: '10.244.3.0/24'}]], type: 'host-local'},
        name: 'vxlan0',
      }),
    })
  expect((await add()).exitCode).toBe(0)
  const second = await add()
  expect(second.exitCode).not.toBe(0)
  expect(second.stdout).toContain('duplicate allocation')
})

it('a kubelet 1.21 without --resolv-conf: the node is Ready, and no pod starts', async () => {
  const node = await makeNode({kubeletArgs: withFlags(KUBELET_ARGS, {'resolv-conf': undefined})})
  await withNetwork(node)
  await writeCniConf(node)
  await node.stage.elapse(10_000)
  expect(node.stage.world.cluster.nodes.find(({name}) => name === 'win-1')?.ready).toBe(true)
  expect(await node.log('kubelet')).toContain('/etc/resolv.conf')
})

it('a wrapper that says STOPPED with 0 when its program dies: it stays dead, failure actions or not (defect 5)', async () => {
  const node = await makeNode({netConf: SDN_NET_CONF, shawlArgs: ['--no-restart', '--pass', '0,1']})
  const config = await node.win32.queryServiceConfig('flanneld')
  if (!config) throw new Error('there is no service flanneld')
  await node.win32.changeService('flanneld', {
    ...config,
    failureActions: {resetAfterSeconds: 86_400, restartDelaysMs: [1000]},
    failureFlag: true,
  })
  await withNetwork(node)
  expect(await node.win32.queryServiceStatus('flanneld')).toMatchObject({state: 'stopped', win32ExitCode: 0})
  expect(node.stage.world.services['flanneld']?.restarts).toBe(0)
})
