// What kubeadm leaves in a cluster besides its own configuration: how new nodes join, and what they read
// (cmd/kubeadm/app/phases/{bootstraptoken,kubelet,addons/proxy,uploadconfig}, the same from 1.21 to 1.36).
import type {ClusterState, PolicyRule, RoleBinding} from '../cluster/state.js'
import {isAtLeast} from '../versions.js'

/** The group of the tokens that kubeadm creates. */
const NEW_NODES = 'system:bootstrappers:kubeadm:default-node-token'
const NODES = 'system:nodes'
const PUBLIC_INFO = 'kubeadm:bootstrap-signer-clusterinfo'
const SIGNING = 'system:certificates.k8s.io:certificatesigningrequests'

/** The ConfigMap of the kubelets: with the minor in its name until 1.23 (feature gate UnversionedKubeletConfigMap). */
function kubeletConfigName(version: string): string {
  return isAtLeast(version, '1.24') ? 'kubelet-config' : `kubelet-config-${/(?<!\d)\d+\.\d+/.exec(version)?.[0] ?? ''}`
}

const readsConfigMap = (name: string): PolicyRule[] => [
  {resourceNames: [name], resources: ['configmaps'], verbs: ['get']},
]

export function kubeadmRoles(version: string): Record<string, PolicyRule[]> {
  const kubelet = kubeletConfigName(version)
  return {
    [PUBLIC_INFO]: readsConfigMap('cluster-info'),
    'kube-proxy': readsConfigMap('kube-proxy'),
    'kubeadm:get-nodes': [{resources: ['nodes'], verbs: ['get']}],
    [`kubeadm:${kubelet}`]: readsConfigMap(kubelet),
    'kubeadm:nodes-kubeadm-config': readsConfigMap('kubeadm-config'),
  }
}

export function kubeadmAccess(version: string): RoleBinding[] {
  const kubelet = `kubeadm:${kubeletConfigName(version)}`
  const inSystem = (name: string, ...groups: readonly string[]): RoleBinding[] =>
    groups.map((group) => ({group, name, namespace: 'kube-system', role: name}))
  return [
    ...inSystem('kubeadm:nodes-kubeadm-config', NEW_NODES, NODES),
    ...inSystem(kubelet, NODES, NEW_NODES),
    ...inSystem('kube-proxy', NEW_NODES),
    {group: NEW_NODES, name: 'kubeadm:kubelet-bootstrap', role: 'system:node-bootstrapper'},
    {group: NEW_NODES, name: 'kubeadm:get-nodes', role: 'kubeadm:get-nodes'},
    {group: NEW_NODES, name: 'kubeadm:node-autoapprove-bootstrap', role: `${SIGNING}:nodeclient`},
    {group: NODES, name: 'kubeadm:node-autoapprove-certificate-rotation', role: `${SIGNING}:selfnodeclient`},
    {name: PUBLIC_INFO, namespace: 'kube-public', role: PUBLIC_INFO, user: 'system:anonymous'},
  ]
}

interface Addresses {
  readonly clusterCIDR: string
  readonly clusterDNS: string
  readonly serverURL: string
}

/** componentconfigs/{kubelet,kubeproxy}.go, Default: the keys of both, and of their values what k8s-win reads. */
export function kubeadmConfigMaps(
  version: string,
  {clusterCIDR, clusterDNS, serverURL}: Addresses,
): ClusterState['configMaps'] {
  const kubelet = `apiVersion: kubelet.config.k8s.io/v1beta1
clusterDNS:
- ${clusterDNS}
kind: KubeletConfiguration
`
  const proxy = `apiVersion: kubeproxy.config.k8s.io/v1alpha1
clusterCIDR: ${clusterCIDR}
kind: KubeProxyConfiguration`
  const client = `apiVersion: v1
clusters:
- cluster:
    server: ${serverURL}
  name: default
kind: Config`
  return [
    {data: {kubelet}, name: kubeletConfigName(version), namespace: 'kube-system'},
    {data: {'config.conf': proxy, 'kubeconfig.conf': client}, name: 'kube-proxy', namespace: 'kube-system'},
  ]
}
