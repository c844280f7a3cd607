// How kubelet.exe and kube-proxy.exe are started for recordings: our own command lines, and what is wrong with others.
import {kubeletConfiguration, kubeletService} from '../../../src/components/kubelet.js'
import {kubeProxyService} from '../../../src/components/kube-proxy.js'
import {CLUSTER_CA, NODE_CERTIFICATE} from '../../../src/simulator/cluster/certificates.js'
import {exampleNode} from '../../components/example.js'

export interface DaemonStart {
  readonly args: readonly string[]
  readonly name: string
  /** For --log-dir; its newest INFO file is part of the recording. */
  readonly logs?: string
}

const base64 = (text: string): string => Buffer.from(text).toString('base64')
const node = exampleNode()
const [KUBELET = '', ...kubeletArgs] = kubeletService(node).command
const [KUBE_PROXY = '', ...kubeProxyArgs] = kubeProxyService(node, '10.244.3.2').command
export const PROGRAMS = {KUBELET, KUBE_PROXY}

/** Nobody listens at the server's address. */
const KUBECONFIG = `apiVersion: v1
kind: Config
current-context: node@lab
clusters: [{name: lab, cluster: {server: "https://127.0.0.1:1", certificate-authority-data: ${base64(CLUSTER_CA)}}}]
contexts: [{name: node@lab, context: {cluster: lab, user: node}}]
users: [{name: node, user: {client-certificate-data: ${base64(NODE_CERTIFICATE.cert)}, client-key-data: ${base64(NODE_CERTIFICATE.key)}}}]
`
const KUBELET_CONFIG = kubeletConfiguration(node)
export const FILES: Readonly<Record<string, string>> = {
  'C:\\k\\bad-type.yaml': KUBELET_CONFIG.replace('readOnlyPort: 0', 'readOnlyPort: none'),
  'C:\\k\\client-ca.crt': CLUSTER_CA,
  'C:\\k\\kubeconfig': KUBECONFIG,
  'C:\\k\\kubelet-config.yaml': KUBELET_CONFIG,
  'C:\\k\\no-kind.yaml': 'readOnlyPort: 0\n',
  'C:\\k\\no-yaml.yaml': 'kind: [\n',
  'C:\\k\\other-kind.yaml': 'apiVersion: v1\nkind: Config\n',
  'C:\\k\\unknown-field.yaml': `${KUBELET_CONFIG}nonsense: true\n`,
}

/** A process of its own, not a service: what it says is on its standard error. */
const asProcess = (args: readonly string[], changes: Readonly<Record<string, string | undefined>> = {}): string[] => {
  const names = Object.keys(changes)
  const kept = args.filter((arg) => arg !== '--windows-service' && !names.some((name) => arg.startsWith(`--${name}=`)))
  const set = Object.entries(changes).filter(([, value]) => value !== undefined)
  return [...kept, ...set.map(([name, value]) => `--${name}=${value}`)]
}

/** Drive letters: in Wine a path from the root of the drive is not found. */
const IN_WINE = {'cert-dir': 'C:\\var\\lib\\kubelet\\pki', 'root-dir': 'C:\\var\\lib\\kubelet'}
const kubelet = (changes: Readonly<Record<string, string | undefined>> = {}): string[] =>
  asProcess(kubeletArgs, {...IN_WINE, ...changes})
const kubeProxy = (changes: Readonly<Record<string, string | undefined>> = {}): string[] =>
  asProcess(kubeProxyArgs, changes)
const KUBELET_LOGS = 'C:\\k\\logs\\kubelet'
const KUBE_PROXY_LOGS = 'C:\\k\\logs\\kubeproxy'

export const KUBELET_STARTS: readonly DaemonStart[] = [
  {args: ['--help'], name: 'help'},
  {args: ['--nonsense'], name: 'unknown-flag'},
  {args: ['-x'], name: 'unknown-short-flag'},
  {args: ['--v'], name: 'flag-without-value'},
  {args: ['--v=loud'], name: 'flag-no-number'},
  {args: ['--fail-swap-on=perhaps'], name: 'flag-no-bool'},
  {args: ['--sync-frequency=often'], name: 'flag-no-duration'},
  {args: kubelet({config: 'C:\\k\\gone.yaml'}), logs: KUBELET_LOGS, name: 'config-missing'},
  {args: kubelet({config: 'C:\\k\\no-kind.yaml'}), logs: KUBELET_LOGS, name: 'config-no-kind'},
  {args: kubelet({config: 'C:\\k\\no-yaml.yaml'}), logs: KUBELET_LOGS, name: 'config-no-yaml'},
  {args: kubelet({config: 'C:\\k\\other-kind.yaml'}), logs: KUBELET_LOGS, name: 'config-other-kind'},
  {args: kubelet({config: 'C:\\k\\unknown-field.yaml'}), logs: KUBELET_LOGS, name: 'config-unknown-field'},
  {args: kubelet({config: 'C:\\k\\bad-type.yaml'}), logs: KUBELET_LOGS, name: 'config-bad-type'},
  {args: kubelet({'cgroups-per-qos': undefined}), logs: KUBELET_LOGS, name: 'cgroups-per-qos'},
  {args: kubelet({'enforce-node-allocatable': undefined}), logs: KUBELET_LOGS, name: 'enforce-node-allocatable'},
  {args: kubelet({kubeconfig: 'C:\\k\\gone'}), logs: KUBELET_LOGS, name: 'kubeconfig-missing'},
  {args: kubelet({'feature-gates': 'Nonsense=true'}), logs: KUBELET_LOGS, name: 'unknown-feature-gate'},
  {args: kubelet({'node-labels': 'kubernetes.io/nonsense=x'}), logs: KUBELET_LOGS, name: 'forbidden-label'},
  {args: kubelet(), logs: KUBELET_LOGS, name: 'our-command-line'},
]

export const KUBE_PROXY_STARTS: readonly DaemonStart[] = [
  {args: ['--help'], name: 'help'},
  {args: ['--nonsense'], name: 'unknown-flag'},
  {args: ['--v=loud'], name: 'flag-no-number'},
  {args: kubeProxy({kubeconfig: 'C:\\k\\gone'}), logs: KUBE_PROXY_LOGS, name: 'kubeconfig-missing'},
  {args: kubeProxy({'feature-gates': 'Nonsense=true'}), logs: KUBE_PROXY_LOGS, name: 'unknown-feature-gate'},
  {args: kubeProxy({'feature-gates': 'WinOverlay=perhaps'}), logs: KUBE_PROXY_LOGS, name: 'feature-gate-no-bool'},
  {args: kubeProxy({'cluster-cidr': '10.244.0.0'}), logs: KUBE_PROXY_LOGS, name: 'cluster-cidr-no-cidr'},
  {args: kubeProxy({'proxy-mode': 'nonsense'}), logs: KUBE_PROXY_LOGS, name: 'unknown-proxy-mode'},
  {args: kubeProxy(), logs: KUBE_PROXY_LOGS, name: 'our-command-line'},
]
