// The whole node of docs/facts.md#a-node-with-the-defaults, from nothing to Ready: the positive control of all the daemons' rules.
import {expect, it} from 'vitest'

import {answerLocalPort, listeningPorts} from '../../../src/simulator/daemons/index.js'
import {policyListsOf} from '../../../src/simulator/windows/hns-objects.js'
import {serviceConfig} from '../node.js'
import {kubeProxyArgs, makeNode, withNetwork, writeCniConf} from '../node.js'

it('a right configuration ends with a Ready node, the overlay network and a healthy proxy', async () => {
  const node = await makeNode()
  const {stage, win32} = node
  const podCIDR = await withNetwork(node)
  expect(podCIDR).toMatch(/^10\.244\.\d+\.0\/24$/)
  const [network] = stage.world.hns.networks.filter(({Name}) => Name === 'vxlan0')
  expect(network).toMatchObject({
    ManagementIP: '10.0.0.5',
    NetworkAdapterName: 'Ethernet0',
    Subnets: [{AddressPrefix: podCIDR}],
    Type: 'Overlay',
  })
  expect(stage.world.adapters.map(({name}) => name)).toContain('vEthernet (Ethernet0)')
  expect(await stage.text(String.raw`C:\run\flannel\subnet.env`)).toBe(
    `FLANNEL_NETWORK=10.244.0.0/16\nFLANNEL_SUBNET=${podCIDR.replace('.0/', '.1/')}\nFLANNEL_MTU=1450\nFLANNEL_IPMASQ=false\n`,
  )
  const own = () => stage.world.cluster.nodes.find(({name}) => name === 'win-1')
  expect(JSON.parse(own()?.annotations['flannel.alpha.coreos.com/backend-data'] ?? '')).toMatchObject({VNI: 4096})

  await win32.changeService(
    'kubeproxy',
    serviceConfig(
      [String.raw`"C:\k\kubernetes\node\bin\kube-proxy.exe"`, ...kubeProxyArgs(podCIDR.replace('.0/24', '.2'))].join(
        ' ',
      ),
    ),
  )
  await win32.startService('kubeproxy')
  await stage.elapse(5000)
  expect(await answerLocalPort(stage, 10_256, '/healthz')).toBeUndefined()
  await stage.elapse(7000)
  expect(await answerLocalPort(stage, 10_256, '/healthz')).toMatchObject({status: 200})
  const addresses = policyListsOf(stage.world).flatMap(({Policies = []}) => Policies.flatMap(({VIPs}) => VIPs))
  expect(new Set(addresses)).toEqual(new Set(stage.world.cluster.services.map(({clusterIP}) => clusterIP)))

  expect(own()?.ready).toBe(false)
  expect(own()?.readyReason).toContain('NetworkPluginNotReady')
  await writeCniConf(node)
  await stage.elapse(6000)
  expect(own()).toMatchObject({kubeletVersion: 'v1.21.5', machineID: 'WIN-1', ready: true, readyReason: 'KubeletReady'})
  expect(await answerLocalPort(stage, 10_248, '/healthz')).toMatchObject({body: 'ok', status: 200})
  expect(listeningPorts(stage.world)).toEqual(expect.arrayContaining(['tcp/10248', 'tcp/10250', 'tcp/10256']))
  expect(await node.log('kubelet')).not.toContain('CreatePodSandbox')
  expect(await node.log('flanneld')).toContain('Wrote subnet file')
})
