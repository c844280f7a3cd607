// A kubelet since 1.24 behind its CRI endpoint: when it runs, when its node is Ready, and the network of its pods.
import {describe, expect, it} from 'vitest'

import {cniConflist} from '../../../src/components/cni.js'
import type {HnsEndpoint} from '../../../src/simulator/windows/hns-objects.js'
import {CONFIG_2, type ContainerdNode, ENDPOINT, makeContainerdNode} from '../containerd-node.js'
import {FLANNELD_ARGS, NET_CONF, serviceConfig} from '../node.js'
import {install} from '../stage.js'

const BIN = String.raw`C:\k\kubernetes\node\bin`
const LOG = String.raw`C:\k\logs\kubelet\kubelet.log`
const CONFLIST = String.raw`C:\k\cni\config\10-flannel.conflist`
const CIDRS = {clusterCIDR: '10.244.0.0/16', serviceCIDR: '10.10.0.0/16'}
const POD = {name: 'web', namespace: 'default', node: 'win-1'}

interface Options {
  /** undefined: no endpoint is given. */
  readonly endpoint?: string | undefined
  readonly isFlag?: boolean
  readonly plugins?: string
  readonly profile?: string
  readonly release?: string
  readonly runtime?: string
}

async function makeKubelet(options: Options = {}): Promise<ContainerdNode> {
  const {endpoint = ENDPOINT, isFlag = false, plugins = 'v1.9.1', profile, release = 'v1.36.4', runtime} = options
  const node = await makeContainerdNode({
    ...(profile !== undefined && {profile}),
    ...(runtime !== undefined && {config: CONFIG_2, version: runtime}),
  })
  const {stage, win32} = node
  stage.world.cluster.version = release
  for (const name of ['kubelet', 'kube-log-runner']) await install(stage, `${BIN}\\${name}.exe`, name, release)
  await install(stage, String.raw`C:\k\flanneld.exe`, 'flanneld', 'v0.28.9')
  for (const plugin of ['flannel', 'host-local', 'win-overlay']) {
    await install(stage, `C:\\k\\cni\\${plugin}.exe`, plugin, plugins)
  }

  for (const folder of ['k\\logs\\kubelet', 'k\\cni\\config', 'etc\\kube-flannel']) {
    await stage.files.makeDirectory(`C:\\${folder}`)
  }

  await stage.files.write(String.raw`C:\etc\kube-flannel\net-conf.json`, JSON.stringify(NET_CONF))
  const field = options.endpoint === undefined && 'endpoint' in options ? '' : `containerRuntimeEndpoint: ${endpoint}\n`
  await stage.files.write(
    String.raw`C:\k\kubelet-config.yaml`,
    `apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n${isFlag ? '' : field}`,
  )
  const kubelet = [
    `${BIN}\\kubelet.exe`,
    '--windows-service',
    String.raw`--config=C:\k\kubelet-config.yaml`,
    String.raw`--kubeconfig=C:\k\kubeconfig`,
    '--hostname-override=win-1',
    '--node-ip=10.0.0.5',
    ...(isFlag ? [`--container-runtime-endpoint=${endpoint}`] : []),
    ...(release < 'v1.31' ? ['--cgroups-per-qos=false', '--enforce-node-allocatable='] : []),
    '--resolv-conf=',
    '--v=2',
  ]
  const runner = [`"${BIN}\\kube-log-runner.exe"`, `-log-file=${LOG}`]
  await win32.createService('kubelet', serviceConfig([...runner, ...kubelet].join(' ')))
  const flanneld = ['"C:\\k\\shawl.exe" run --name flanneld --', String.raw`C:\k\flanneld.exe`, ...FLANNELD_ARGS]
  await win32.createService('flanneld', serviceConfig(flanneld.join(' ')))
  await win32.setRegistryValue('HKLM', String.raw`SYSTEM\CurrentControlSet\Services\flanneld`, 'Environment', {
    data: ['NODE_NAME=win-1'],
    type: 'REG_MULTI_SZ',
  })
  return node
}

async function start(node: ContainerdNode, conflist: string | undefined = cniConflist(CIDRS)): Promise<ContainerdNode> {
  for (const name of ['containerd', 'kubelet', 'flanneld']) {
    await node.win32.startService(name)
    await node.stage.elapse(6000)
  }

  if (conflist !== undefined) await node.stage.files.write(CONFLIST, conflist)
  await node.stage.elapse(30_000)
  return node
}

const nodeOf = ({stage}: ContainerdNode) => stage.world.cluster.nodes.find(({name}) => name === 'win-1')
const log = ({stage}: ContainerdNode): Promise<string> => stage.text(LOG)
const endpoints = ({stage}: ContainerdNode): HnsEndpoint[] => stage.world.hns.endpoints as unknown as HnsEndpoint[]

describe('the endpoint', () => {
  it.each([
    ['v1.24.0', true, undefined],
    ['v1.24.17', true, 'v1.7.25'],
    ['v1.25.16', true, undefined],
    ['v1.26.15', true, 'v1.7.25'],
    ['v1.27.16', false, 'v1.7.25'],
    ['v1.36.4', false, undefined],
  ])('%s, as a flag: %s', async (release, isFlag, runtime) => {
    const node = await makeKubelet({isFlag, release, ...(runtime !== undefined && {runtime})})
    await start(node)
    expect(nodeOf(node)).toMatchObject({kubeletVersion: release, ready: true})
  })

  it.each([
    ['v1.24.17', 'was not specified or empty'],
    ['v1.36.4', 'protocol \\"unix\\" not supported'],
  ])('%s has none by default that Windows knows', async (release, reason) => {
    const node = await makeKubelet({endpoint: undefined, release, runtime: 'v1.7.25'})
    await start(node)
    expect(nodeOf(node)).toBeUndefined()
    expect(await log(node)).toContain(reason)
  })

  it('is not containerd where that is stopped', async () => {
    const node = await makeKubelet()
    await node.win32.startService('kubelet')
    await node.stage.elapse(10_000)
    expect(await log(node)).toContain('open //./pipe/containerd-containerd: The system cannot find the file specified.')
    expect(node.stage.world.services['kubelet']).toMatchObject({exitCode: 1067, state: 'stopped'})
  })

  it('is not containerd where that is stopped, in the words of 1.24', async () => {
    const node = await makeKubelet({isFlag: true, release: 'v1.24.17', runtime: 'v1.7.25'})
    await node.win32.startService('kubelet')
    await node.stage.elapse(10_000)
    expect(await log(node)).toMatch(
      /unable to determine runtime API version: rpc error: .+Error while dialing open \/\/\.\/pipe\/containerd-containerd: /,
    )
  })

  it.each([
    // Version 1 is asked for first; containerd 2 has no other, and 1.5 not that one (pkg/kubelet/cri/remote).
    ['v1.25.16', 'v1.5.18', undefined],
    ['v1.26.15', 'v1.5.18', 'unknown service runtime.v1.RuntimeService'],
  ])('review T12: %s with containerd %s', async (release, runtime, reason) => {
    const node = await start(await makeKubelet({isFlag: true, release, runtime}))
    expect(nodeOf(node)?.ready).toBe(reason === undefined ? true : undefined)
    expect(await log(node)).toContain(reason ?? '')
  })

  it.each(['v1.24.17', 'v1.25.16'])('review T12: %s without the CRI plugin fails with v1alpha2', async (release) => {
    const node = await makeKubelet({isFlag: true, release})
    await node.win32.startService('containerd')
    await node.stage.elapse(6000)
    const {config} = node.stage.world.containerd
    if (config) config.criProblem = 'disabled'
    await node.win32.startService('kubelet')
    await node.stage.elapse(10_000)
    expect(await log(node)).toContain('unknown service runtime.v1alpha2.RuntimeService')
  })

  it('a kubelet that runs reports a runtime that has stopped', async () => {
    const node = await start(await makeKubelet())
    await node.win32.stopService('containerd')
    await node.stage.elapse(30_000)
    expect(nodeOf(node)).toMatchObject({ready: false, readyReason: 'KubeletNotReady: container runtime is down'})
  })
})

it('review R2-10: a file that is changed under a kubelet is read at its next start', async () => {
  const node = await start(await makeKubelet())
  const file = String.raw`C:\k\kubelet-config.yaml`
  const text = await node.stage.text(file)
  await node.stage.files.write(
    file,
    text.replace(/containerRuntimeEndpoint: .*/, 'containerRuntimeEndpoint: unix:///none'),
  )
  await node.stage.elapse(30_000)
  expect(nodeOf(node)).toMatchObject({ready: true})
  await node.win32.stopService('kubelet')
  await node.stage.elapse(5000)
  await node.win32.startService('kubelet')
  await node.stage.elapse(10_000)
  expect(node.stage.world.services['kubelet']?.state).toBe('stopped')
})

describe('the network', () => {
  it('is not ready without a configuration, and ready with one', async () => {
    const node = await start(await makeKubelet(), '')
    await node.stage.files.remove(CONFLIST)
    await node.stage.elapse(30_000)
    expect(nodeOf(node)).toMatchObject({
      ready: false,
      readyReason: expect.stringContaining('cni plugin not initialized') as string,
    })
    await node.stage.files.write(CONFLIST, cniConflist(CIDRS))
    await node.stage.elapse(10_000)
    expect(nodeOf(node)?.ready).toBe(true)
  })

  it('of a pod has an address, an endpoint and our policies', async () => {
    const node = await makeKubelet()
    node.stage.world.cluster.pods = [POD]
    await start(node)
    const [sandbox] = node.stage.world.containerd.sandboxes
    expect(sandbox).toMatchObject({name: 'web', namespace: 'default', state: 'SANDBOX_READY'})
    expect(endpoints(node)).toMatchObject([
      {
        IPAddress: sandbox?.ip,
        MacAddress: expect.stringMatching(/^0E-2A-0A-F4-/) as string,
        Name: `${sandbox?.id}_vxlan0`,
        Policies: [
          {ExceptionList: ['10.244.0.0/16', '10.10.0.0/16'], Type: 'OutBoundNAT'},
          {DestinationPrefix: '10.10.0.0/16', NeedEncap: true, Type: 'ROUTE'},
          {PA: '10.0.0.5', Type: 'PA'},
        ],
        VirtualNetworkName: 'vxlan0',
      },
    ])
    const listed = JSON.parse((await node.crictl('pods', '-o', 'json')).stdout) as {items: unknown[]}
    expect(listed.items).toHaveLength(1)
  })

  it('has a way back to itself with loopbackDSR, where HNS knows direct server return', async () => {
    const policies = async (version: {Major: number; Minor: number}) => {
      const node = await makeKubelet()
      node.stage.world.cluster.pods = [POD]
      node.stage.world.hns.version = version
      await start(node, cniConflist({...CIDRS, enableDSR: true}))
      return endpoints(node)[0]?.Policies
    }
    const address = expect.stringMatching(/^10\.244\./) as string
    const loop = {Destinations: [address], Type: 'OutBoundNAT'}
    expect(await policies({Major: 15, Minor: 5})).toContainEqual(loop)
    expect(await policies({Major: 9, Minor: 2})).not.toContainEqual(loop)
  })

  it('drops policies of another form without a word', async () => {
    const node = await makeKubelet()
    node.stage.world.cluster.pods = [POD]
    const wrong = [
      {name: 'EndpointPolicy', value: {ExceptionList: ['10.244.0.0/16'], Type: 'OutBoundNAT'}},
      {name: 'EndpointPolicy', value: 'SDNRoute'},
      {name: 'EndpointPolicy', value: {Settings: {}, Type: 5}},
      {name: 'Other', value: {Type: 'SDNRoute'}},
    ]
    const plugin = {delegate: {apiVersion: 2, policies: wrong, type: 'win-overlay'}, type: 'flannel'}
    await start(node, JSON.stringify({cniVersion: '1.0.0', name: 'vxlan0', plugins: [plugin]}))
    expect(nodeOf(node)?.ready).toBe(true)
    expect(endpoints(node)[0]?.Policies).toEqual([{Type: 'OutBoundNAT'}, {PA: '10.0.0.5', Type: 'PA'}])
    expect(await log(node)).not.toContain('CreatePodSandbox')
  })

  it('is that of the first file by name', async () => {
    const node = await makeKubelet()
    node.stage.world.cluster.pods = [POD]
    const conf = {cniVersion: '1.0.0', name: 'other', plugins: [{type: 'flannel'}]}
    await node.stage.files.write(String.raw`C:\k\cni\config\05-other.conflist`, JSON.stringify(conf))
    await start(node)
    expect(nodeOf(node)?.ready).toBe(true)
    expect(endpoints(node)).toEqual([])
    expect(await log(node)).toContain('failed to find plugin')
  })

  it.each<[string, Options, object, string]>([
    ['HNS v1', {}, {policies: [], type: 'win-overlay'}, 'AddHnsEndpoint'],
    ['plugins before 1.2', {plugins: 'v1.1.1'}, {apiVersion: 2, type: 'win-overlay'}, 'AddHnsEndpoint'],
    ['a plugin that is not there', {}, {apiVersion: 2, type: 'sdnoverlay'}, 'sdnoverlay'],
  ])('fails with %s', async (_, options, delegate, reason) => {
    const node = await makeKubelet(options)
    node.stage.world.cluster.pods = [POD]
    await start(node, JSON.stringify({cniVersion: '1.0.0', name: 'vxlan0', plugins: [{delegate, type: 'flannel'}]}))
    expect(node.stage.world.containerd.sandboxes).toEqual([])
    expect(await log(node)).toContain(reason)
  })

  it('fails before flanneld has its network', async () => {
    const node = await makeKubelet()
    node.stage.world.cluster.pods = [POD]
    await node.win32.startService('containerd')
    await node.stage.elapse(5000)
    await node.stage.files.write(CONFLIST, cniConflist(CIDRS))
    await node.win32.startService('kubelet')
    await node.stage.elapse(20_000)
    expect(await log(node)).toContain("failed to load flannel 'subnet.env' file")
  })
})

describe('pods', () => {
  const running = async (): Promise<ContainerdNode> => {
    const node = await makeKubelet()
    node.stage.world.cluster.pods = [POD]
    return start(node)
  }

  it('go with their endpoint and their address while the configuration is there', async () => {
    const node = await running()
    const address = node.stage.world.containerd.sandboxes[0]?.ip ?? ''
    const reserved = String.raw`C:\var\lib\cni\networks\vxlan0`
    expect(await node.stage.files.list(reserved)).toContain(address)
    await node.win32.stopService('kubelet')
    await node.stage.elapse(5000)
    expect((await node.crictl('rmp', '-fa')).exitCode).toBe(0)
    expect(endpoints(node)).toEqual([])
    expect(await node.stage.files.list(reserved)).not.toContain(address)
    expect(node.stage.world.containerd.sandboxes).toEqual([])
  })

  it("cannot be removed without it; and without flannel's file the endpoint stays, without an error", async () => {
    const node = await running()
    await node.win32.stopService('kubelet')
    await node.stage.elapse(5000)
    const conflist = await node.stage.text(CONFLIST)
    await node.stage.files.remove(CONFLIST)
    const {exitCode, stderr} = await node.crictl('rmp', '-fa')
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('failed to destroy network for sandbox')])
    await node.stage.files.write(CONFLIST, conflist)
    await node.stage.files.remove(String.raw`C:\var\lib\cni\flannel`)
    expect((await node.crictl('rmp', '-fa')).exitCode).toBe(0)
    expect(endpoints(node)).toHaveLength(1)
  })

  it('are made anew by a running kubelet, also after a stop of containerd', async () => {
    const node = await running()
    const [first] = node.stage.world.containerd.sandboxes
    await node.crictl('rmp', '-fa')
    await node.stage.elapse(10_000)
    expect(node.stage.world.containerd.sandboxes).toMatchObject([{name: 'web', state: 'SANDBOX_READY'}])
    expect(node.stage.world.containerd.sandboxes[0]?.id).not.toBe(first?.id)
    await node.win32.stopService('containerd')
    await node.stage.elapse(10_000)
    await node.win32.startService('containerd')
    await node.stage.elapse(20_000)
    expect(node.stage.world.containerd.sandboxes).toMatchObject([{attempt: 1, state: 'SANDBOX_READY'}])
    expect(endpoints(node)).toHaveLength(1)
  })

  it('are removed when the cluster has them no more', async () => {
    const node = await running()
    node.stage.world.cluster.pods = []
    await node.stage.elapse(10_000)
    expect(node.stage.world.containerd.sandboxes).toEqual([])
    expect(endpoints(node)).toEqual([])
  })

  it('do not start with a sandbox image for another Windows', async () => {
    const node = await makeKubelet()
    node.stage.world.cluster.pods = [POD]
    node.stage.world.containerd.images = [
      {digests: [], id: 'sha256:1', osVersion: '10.0.20348.1', size: 1, tags: ['registry.k8s.io/pause:3.10.2']},
    ]
    await start(node)
    expect(await log(node)).toContain('does not match the host operating system')
    expect(endpoints(node)).toEqual([])
  })

  it('need a sandbox image that the registry has', async () => {
    const node = await makeKubelet()
    node.stage.world.cluster.pods = [POD]
    node.stage.world.downloads['registry.k8s.io/pause:3.10.2'] = {fault: 'unreachable'}
    await start(node)
    expect(await log(node)).toContain('failed to get sandbox image')
  })
})
