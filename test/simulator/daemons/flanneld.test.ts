// flanneld.exe behind shawl judges: each wrong configuration fails the way it does in the field.
import {describe, expect, it} from 'vitest'

import {parseGoFlags} from '../../../src/simulator/daemons/flags.js'
import {flannelFlags} from '../../../src/simulator/daemons/flannel-settings.js'
import type {NodeOptions, TestNode} from '../node.js'
import {codeOf, FLANNELD_ARGS, makeNode, NET_CONF, serviceConfig, withFlags, withNetwork} from '../node.js'

const overlay = ({stage}: TestNode, name = 'vxlan0') => stage.world.hns.networks.find(({Name}) => Name === name)
const EXTERNAL = JSON.stringify({
  Name: 'External',
  NetworkAdapterName: 'Ethernet0',
  Subnets: [
    {AddressPrefix: '192.168.255.0/30', GatewayAddress: '192.168.255.1', Policies: [{Type: 'VSID', VSID: 9999}]},
  ],
  Type: 'overlay',
})

async function ran(
  options: NodeOptions = {},
  change: (node: TestNode) => Promise<void> | void = () => {},
): Promise<TestNode> {
  const node = await makeNode(options)
  await change(node)
  await withNetwork(node)
  return node
}

const backend = (changes: object): NodeOptions => ({netConf: {...NET_CONF, Backend: {...NET_CONF.Backend, ...changes}}})

describe('flanneld ends, and shawl starts it again', () => {
  it.each<[string, NodeOptions, (node: TestNode) => Promise<void> | void, string]>([
    [
      'NODE_NAME is not in its environment',
      {},
      ({win32}) =>
        win32.deleteRegistryValue('HKLM', String.raw`SYSTEM\CurrentControlSet\Services\flanneld`, 'Environment'),
      'env variables POD_NAME and POD_NAMESPACE must be set',
    ],
    [
      'NODE_NAME is not the node’s name',
      {nodeName: 'WIN-1'},
      () => {},
      'timeout contacting kube-api, failed to patch node "WIN-1"',
    ],
    [
      '--iface is no address of the host',
      {flanneldArgs: withFlags(FLANNELD_ARGS, {iface: '10.0.0.99'})},
      () => {},
      'Could not find valid interface matching 10.0.0.99',
    ],
    [
      'its kubeconfig is missing',
      {flanneldArgs: withFlags(FLANNELD_ARGS, {'kubeconfig-file': String.raw`C:\k\none`})},
      () => {},
      'fail to create kubernetes config',
    ],
    [
      '--kube-subnet-mgr is missing',
      {flanneldArgs: withFlags(FLANNELD_ARGS, {'kube-subnet-mgr': undefined})},
      () => {},
      'etcd cluster is unavailable',
    ],
    [
      'net-conf.json is missing',
      {},
      ({stage}) => stage.files.remove(String.raw`C:\etc\kube-flannel`),
      'failed to read net conf: open /etc/kube-flannel/net-conf.json',
    ],
    [
      'net-conf.json has a byte order mark',
      {},
      ({stage}) =>
        stage.files.write(String.raw`C:\etc\kube-flannel\net-conf.json`, `\uFEFF${JSON.stringify(NET_CONF)}`),
      'error parsing subnet config: invalid character',
    ],
    [
      'net-conf.json has no Network',
      {netConf: {Backend: NET_CONF.Backend}},
      () => {},
      'please define a correct Network parameter',
    ],
    ['the VNI is below 4096', backend({VNI: 1}), () => {}, 'VNI [1] must be greater than or equal to 4096 on Windows'],
    ['the port is not 4789', backend({Port: 8472}), () => {}, 'Port [8472] is not supported on Windows'],
    ['DirectRouting is on', backend({DirectRouting: true}), () => {}, 'DirectRouting is not supported on Windows'],
    ['GBP is on', backend({GBP: true}), () => {}, 'GBP is not supported on Windows'],
    ['MacPrefix has no form', backend({MacPrefix: '0E2A'}), () => {}, 'MacPrefix [0E2A] is invalid'],
    ['the backend has no known type', backend({Type: 'wireguard'}), () => {}, 'unknown backend type: wireguard'],
    [
      'the node has no pod CIDR',
      {},
      ({stage}) => void (stage.world.cluster.allocateNodeCIDRs = false),
      'pod cidr not assigned',
    ],
    [
      'the pod CIDR is outside Network',
      {netConf: {...NET_CONF, Network: '192.168.0.0/16'}},
      () => {},
      "doesn't contain",
    ],
    [
      '0.11 finds no network with its address',
      {flannel: 'v0.11.0'},
      () => {},
      'Cannot find network with Management IP 10.0.0.5',
    ],
    [
      '0.24.1 and newer meet External',
      {},
      async ({win32, stage}) => {
        await win32.hnsCall('POST', '/networks/', EXTERNAL)
        await stage.elapse(10_000)
      },
      'hcnCreateNetwork failed in Win32: The parameter is incorrect. (0x57)',
    ],
  ])('where %s', async (_, options, change, text) => {
    const node = await ran(options, change)
    expect(overlay(node)).toBeUndefined()
    expect((await node.log('flanneld')).replaceAll('\\"', '"')).toContain(text)
    expect(node.stage.world.services['flanneld']).toMatchObject({state: 'running'})
    expect(node.stage.world.services['flanneld']?.restarts).toBeGreaterThan(3)
  })

  it('review A3-7: obeys --kube-api-url, whatever its kubeconfig says', async () => {
    const node = await ran({flanneldArgs: withFlags(FLANNELD_ARGS, {'kube-api-url': 'https://10.0.0.66:6443'})})
    expect(overlay(node)).toBeUndefined()
    expect(await node.log('flanneld')).toContain('https://10.0.0.66:6443')
  })

  it('where it may not patch the node', async () => {
    const node = await makeNode()
    await node.win32.startService('kubelet')
    await node.stage.elapse(5000)
    node.stage.world.cluster.permissions = ['* nodes']
    await node.win32.startService('flanneld')
    await node.stage.elapse(5000)
    expect(overlay(node)).toBeUndefined()
    expect(await node.log('flanneld')).toContain('timeout contacting kube-api, failed to patch node')
  })

  it.each([
    ['--net-config-path=x', '0.11.0', '0.12.0'],
    ['--iface-can-reach=x', '0.17.0', '0.18.0'],
    ['--ip-masq-fully-random-disable', '0.27.3', '0.27.4'],
  ])('on %s in %s, and not in %s', (flag, before, since) => {
    expect(parseGoFlags([flag], flannelFlags(before)).error).toContain('flag provided but not defined')
    expect(parseGoFlags([flag], flannelFlags(since)).error).toBeUndefined()
  })

  it('on a hyphen for the underscore of log_backtrace_at, which Go does not take for one', () => {
    const errors = ['log_backtrace_at', 'log-backtrace-at'].map(
      (name) => parseGoFlags([`--${name}=:0`], flannelFlags('0.28.9')).error,
    )
    expect(errors).toEqual([undefined, 'flag provided but not defined: -log-backtrace-at'])
  })

  it('on an unknown flag', async () => {
    const node = await ran({flanneldArgs: [...FLANNELD_ARGS, '--no-such-flag']})
    expect(await node.log('flanneld')).toContain('flag provided but not defined: -no-such-flag')
    expect(overlay(node)).toBeUndefined()
  })
})

describe('what was fine in its time', () => {
  it('a pod CIDR outside Network below 0.18', async () => {
    const node = await ran({flannel: 'v0.13.0', netConf: {...NET_CONF, Network: '192.168.0.0/16'}})
    expect(overlay(node)).toBeDefined()
  })

  it('External for 0.11, which takes its adapter', async () => {
    const node = await ran({flannel: 'v0.11.0'}, async ({stage, win32}) => {
      await win32.hnsCall('POST', '/networks/', EXTERNAL)
      await stage.elapse(10_000)
    })
    expect(overlay(node)).toMatchObject({Flags: 0, ManagementIP: '10.0.0.5', NetworkAdapterName: 'Ethernet0'})
  })

  it('names in lower case, as the original script wrote them', async () => {
    const node = await ran({netConf: {Backend: {name: 'vxlan0', type: 'vxlan'}, Network: '10.244.0.0/16'}})
    expect(overlay(node)).toBeDefined()
  })

  it('a name of its own making where none is given', async () => {
    const node = await ran(backend({Name: undefined}))
    expect(overlay(node, 'flannel.4096')).toBeDefined()
  })
})

describe('the first network on the adapter', () => {
  it('cuts the host off for seconds, then gives everything back under another name', async () => {
    const node = await makeNode()
    const {stage, win32} = node
    const [before] = stage.world.adapters
    const routes = stage.world.routes.length
    await win32.startService('kubelet')
    await stage.elapse(5000)
    await win32.startService('flanneld')
    await stage.elapse(3000)
    expect(overlay(node)).toBeDefined()
    expect(stage.world.os.offlineUntil).toBeGreaterThan(stage.now())
    expect(stage.world.adapters.flatMap(({addresses}) => addresses.map(({address}) => address))).not.toContain(
      '10.0.0.5',
    )
    await stage.elapse(10_000)
    const after = stage.world.adapters.find(({name}) => name === 'vEthernet (Ethernet0)')
    expect(after).toMatchObject({addresses: before?.addresses, gateways: before?.gateways})
    expect(after?.index).not.toBe(before?.index)
    expect(stage.world.routes).toHaveLength(routes)
    expect(stage.world.services['flanneld']).toMatchObject({restarts: 0, stage: 'running'})
  })

  it('is too much for flannel below 0.25.1 at first: it ends, and finds its network when started again', async () => {
    const node = await ran({flannel: 'v0.22.0'})
    expect(await node.log('flanneld')).toContain('timeout, failed to get net interface')
    expect(await node.log('flanneld')).toContain('Found existing HostComputeNetwork vxlan0')
    expect(node.stage.world.services['flanneld']?.stage).toBe('running')
  })

  it('may take the address and the routes for good', async () => {
    const node = await ran({}, ({stage}) => void (stage.world.os.vswitch = {losesAddress: true}))
    expect(node.stage.world.adapters.find(({name}) => name === 'vEthernet (Ethernet0)')?.addresses[0]?.address).toMatch(
      /^169\.254\./,
    )
    await node.stage.elapse(60_000)
    expect(await node.log('flanneld')).toContain('Could not find valid interface matching 10.0.0.5')
    const other = await ran({}, ({stage}) => {
      stage.world.routes.push({
        destination: '169.254.169.254/32',
        interfaceIndex: stage.world.adapters[0]?.index ?? 0,
        metric: 1,
        nextHop: '10.0.0.1',
      })
      stage.world.os.vswitch = {losesRoutes: ['169.254.169.254/32']}
    })
    expect(other.stage.world.routes.map(({destination}) => destination)).not.toContain('169.254.169.254/32')
    expect(other.stage.world.routes.map(({destination}) => destination)).toContain('0.0.0.0/0')
  })

  it('may never come on the first start; a restart cures it', async () => {
    const node = await ran({}, ({stage}) => void (stage.world.hns.stuckOnce = true))
    await node.stage.elapse(120_000)
    expect(overlay(node)).toBeUndefined()
    expect(node.stage.world.services['flanneld']).toMatchObject({restarts: 0, state: 'running'})
    await node.win32.stopService('flanneld')
    await node.stage.elapse(2000)
    await node.win32.startService('flanneld')
    await node.stage.elapse(20_000)
    expect(overlay(node)).toBeDefined()
  })
})

it('uses a network of its name with its subnet again, and replaces one with another', async () => {
  const node = await ran()
  const first = overlay(node)?.['ID']
  const restart = async (): Promise<void> => {
    await node.win32.stopService('flanneld')
    await node.stage.elapse(2000)
    await node.win32.startService('flanneld')
    await node.stage.elapse(60_000)
  }

  await restart()
  expect(overlay(node)?.['ID']).toBe(first)
  const own = node.stage.world.cluster.nodes.find(({name}) => name === 'win-1')
  if (own) own.podCIDR = '10.244.77.0/24'
  await restart()
  expect(overlay(node)).toMatchObject({Subnets: [{AddressPrefix: '10.244.77.0/24', GatewayAddress: '10.244.77.1'}]})
})

it('is not a service by itself: 1053', async () => {
  const node = await makeNode()
  await node.win32.createService('bare', serviceConfig([String.raw`"C:\k\flanneld.exe"`, ...FLANNELD_ARGS].join(' ')))
  expect(await codeOf(node.win32.startService('bare'))).toBe(1053)
})

it('waits where the API server does not answer, and continues when it does', async () => {
  const node = await makeNode()
  await node.win32.startService('kubelet')
  await node.stage.elapse(5000)
  node.stage.world.cluster.reachable = false
  await node.win32.startService('flanneld')
  await node.stage.elapse(60_000)
  expect(overlay(node)).toBeUndefined()
  expect(node.stage.world.services['flanneld']?.restarts).toBe(0)
  node.stage.world.cluster.reachable = true
  await node.stage.elapse(5000)
  expect(overlay(node)).toBeDefined()
})
