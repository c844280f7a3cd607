// A node as docs/facts.md#a-node-with-the-defaults describes it, on a stage in memory: the tests of the daemons change one thing and look.
import type {ServiceConfig, Win32} from '../../src/machine/win32.js'
import {createWin32} from '../../src/simulator/windows/win32.js'
import type {TestStage} from './stage.js'
import {install, makeStage} from './stage.js'

export interface NodeOptions {
  readonly flannel?: string
  readonly flanneldArgs?: readonly string[]
  readonly kubelet?: string
  readonly kubeletArgs?: readonly string[]
  readonly kubeProxyArgs?: readonly string[]
  readonly netConf?: unknown
  readonly nodeName?: string
  readonly release?: string
  readonly shawlArgs?: readonly string[]
}

export interface TestNode {
  /** Lines of all files in a log folder. */
  log(folder: 'flanneld' | 'kubelet' | 'kubeproxy'): Promise<string>
  readonly stage: TestStage
  readonly win32: Win32
}

export const KUBELET_ARGS = [
  '--windows-service',
  String.raw`--config=C:\k\kubelet-config.yaml`,
  String.raw`--kubeconfig=C:\k\kubeconfig`,
  '--hostname-override=win-1',
  '--node-ip=10.0.0.5',
  '--pod-infra-container-image=kubeletwin/pause',
  '--network-plugin=cni',
  String.raw`--cni-bin-dir=C:\k\cni`,
  String.raw`--cni-conf-dir=C:\k\cni\config`,
  '--image-pull-progress-deadline=20m',
  '--cgroups-per-qos=false',
  '--enforce-node-allocatable=',
  '--resolv-conf=',
  String.raw`--log-dir=C:\k\logs\kubelet`,
  '--logtostderr=false',
  '--v=2',
]
export const FLANNELD_ARGS = [
  String.raw`--kubeconfig-file=C:\k\kubeconfig`,
  '--iface=10.0.0.5',
  '--kube-subnet-mgr',
  '--iptables-forward-rules=false',
]
export const NET_CONF = {Backend: {Name: 'vxlan0', Port: 4789, Type: 'vxlan', VNI: 4096}, Network: '10.244.0.0/16'}
const CNI_CONF = {cniVersion: '0.2.0', delegate: {type: 'win-overlay'}, name: 'vxlan0', type: 'flannel'}

export const kubeProxyArgs = (sourceVip: string, gates = 'WinOverlay=true,IPv6DualStack=false'): string[] => [
  '--windows-service',
  '--proxy-mode=kernelspace',
  String.raw`--kubeconfig=C:\k\kubeconfig`,
  '--hostname-override=win-1',
  '--bind-address=10.0.0.5',
  '--network-name=vxlan0',
  `--source-vip=${sourceVip}`,
  '--cluster-cidr=10.244.0.0/16',
  `--feature-gates=${gates}`,
  String.raw`--log-dir=C:\k\logs\kubeproxy`,
  '--logtostderr=false',
  '--v=2',
]

/** Replaces, adds or (with undefined) leaves out flags. */
export function withFlags(args: readonly string[], changes: Readonly<Record<string, string | undefined>>): string[] {
  const kept = args.filter(
    (arg) => !Object.keys(changes).some((name) => arg === `--${name}` || arg.startsWith(`--${name}=`)),
  )
  return [
    ...kept,
    ...Object.entries(changes).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}=${value}`])),
  ]
}

export function serviceConfig(imagePath: string, changes: Partial<ServiceConfig> = {}): ServiceConfig {
  return {
    account: 'LocalSystem',
    dependencies: [],
    description: '',
    displayName: '',
    failureActions: {resetAfterSeconds: 86_400, restartDelaysMs: []},
    failureFlag: false,
    imagePath,
    startType: 'automatic',
    ...changes,
  }
}

/** Everything is in place and nothing is started. */
export async function makeNode(options: NodeOptions = {}): Promise<TestNode> {
  const stage = await makeStage()
  const win32 = createWin32(stage)
  const release = options.release ?? 'v1.21.5'
  const bin = String.raw`C:\k\kubernetes\node\bin`
  await install(stage, `${bin}\\kubelet.exe`, 'kubelet', release)
  await install(stage, `${bin}\\kube-proxy.exe`, 'kube-proxy', release)
  await install(stage, String.raw`C:\k\flanneld.exe`, 'flanneld', options.flannel ?? 'v0.28.9')
  await install(stage, String.raw`C:\k\shawl.exe`, 'shawl', 'v1.3.0')
  for (const plugin of ['flannel', 'host-local', 'win-overlay'])
    await install(stage, `C:\\k\\cni\\${plugin}.exe`, plugin, 'v1.9.1')
  for (const folder of [
    'k\\logs\\kubelet',
    'k\\logs\\kubeproxy',
    'k\\logs\\flanneld',
    'k\\cni\\config',
    'etc\\kube-flannel',
  ]) {
    await stage.files.makeDirectory(`C:\\${folder}`)
  }

  await stage.files.write(
    String.raw`C:\k\kubelet-config.yaml`,
    'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\nrotateCertificates: true\n',
  )
  await stage.files.write(String.raw`C:\etc\kube-flannel\net-conf.json`, JSON.stringify(options.netConf ?? NET_CONF))
  stage.world.docker.images.push({
    created: '',
    id: 'sha256:1',
    labels: {},
    osVersion: '10.0.17763.2237',
    size: 1,
    tags: ['kubeletwin/pause:latest'],
  })
  const kubelet = [`"${bin}\\kubelet.exe"`, ...(options.kubeletArgs ?? KUBELET_ARGS)].join(' ')
  await win32.createService('kubelet', serviceConfig(options.kubelet ?? kubelet))
  const child = [String.raw`C:\k\flanneld.exe`, ...(options.flanneldArgs ?? FLANNELD_ARGS)]
  const shawl = [
    '"C:\\k\\shawl.exe"',
    'run',
    '--name',
    'flanneld',
    '--log-dir',
    String.raw`C:\k\logs\flanneld`,
    ...(options.shawlArgs ?? []),
    '--',
    ...child,
  ]
  await win32.createService('flanneld', serviceConfig(shawl.join(' ')))
  const proxy = [`"${bin}\\kube-proxy.exe"`, ...(options.kubeProxyArgs ?? kubeProxyArgs('10.244.3.2'))]
  await win32.createService('kubeproxy', serviceConfig(proxy.join(' ')))
  await win32.setRegistryValue('HKLM', String.raw`SYSTEM\CurrentControlSet\Services\flanneld`, 'Environment', {
    data: [`NODE_NAME=${options.nodeName ?? 'win-1'}`],
    type: 'REG_MULTI_SZ',
  })
  return {
    async log(folder) {
      const names = await stage.files.list(`C:\\k\\logs\\${folder}`)
      return (await Promise.all(names.map((name) => stage.text(`C:\\k\\logs\\${folder}\\${name}`)))).join('')
    },
    stage,
    win32,
  }
}

export async function writeCniConf({stage}: TestNode, conf: unknown = CNI_CONF, name = 'cni.conf'): Promise<void> {
  await stage.files.write(`C:\\k\\cni\\config\\${name}`, typeof conf === 'string' ? conf : JSON.stringify(conf))
}

/** The Win32 code a call fails with; 0 where it succeeds. */
export async function codeOf(call: Promise<unknown>): Promise<number> {
  return call.then(
    () => 0,
    (error: unknown) => (error as {code: number}).code,
  )
}

/** kubelet registered, its pod CIDR known; flanneld's network there. */
export async function withNetwork(node: TestNode): Promise<string> {
  await node.win32.startService('kubelet')
  await node.stage.elapse(5000)
  await node.win32.startService('flanneld')
  await node.stage.elapse(30_000)
  return node.stage.world.cluster.nodes.find(({name}) => name === 'win-1')?.podCIDR ?? ''
}
