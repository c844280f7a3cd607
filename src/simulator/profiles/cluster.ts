// The cluster of a fresh host: a Linux control plane and two Linux workers, flannel set up so that Windows can join.
import {makeTokenSecret} from '../cluster/bootstrap-tokens.js'
import type {PolicyRule, RoleBinding} from '../cluster/state.js'
import {isAtLeast} from '../versions.js'
import type {ClusterNode, ClusterState} from '../world.js'
import {kubeadmAccess, kubeadmConfigMaps, kubeadmRoles} from './kubeadm.js'

const CLUSTER_CIDR = '10.244.0.0/16'
const SERVICE_CIDR = '10.10.0.0/16'
const CLUSTER_DNS = '10.10.0.10'
const SERVER_URL = 'https://10.0.0.10:6443'

/** The ClusterRole of kube-flannel.yml, and those of `k8s-win manifest node-access`. */
const CLUSTER_ROLES: Record<string, PolicyRule[]> = {
  flannel: [
    {resources: ['pods'], verbs: ['get']},
    {resources: ['nodes'], verbs: ['get', 'list', 'watch']},
    {resources: ['nodes/status'], verbs: ['patch']},
  ],
  'k8s-win-nodes-flannel': [
    {resources: ['nodes'], verbs: ['get', 'list', 'watch']},
    {resources: ['nodes/status'], verbs: ['patch']},
  ],
  'k8s-win-nodes-flannel-config': [{resourceNames: ['kube-flannel-cfg'], resources: ['configmaps'], verbs: ['get']}],
  'k8s-win-nodes-kube-proxy-config': [{resourceNames: ['kube-proxy'], resources: ['configmaps'], verbs: ['get']}],
}
/** What an administrator grants kube-proxy and flanneld that run as the node: `k8s-win manifest node-access`. */
const NODE_ACCESS: RoleBinding[] = [
  {group: 'system:nodes', name: 'k8s-win-nodes-kube-proxy', role: 'system:node-proxier'},
  {group: 'system:nodes', name: 'k8s-win-nodes-flannel', role: 'k8s-win-nodes-flannel'},
  ...['system:nodes', 'system:bootstrappers:kubeadm:default-node-token'].map((group) => ({
    group,
    name: 'k8s-win-nodes-flannel-config',
    namespace: 'kube-flannel',
    role: 'k8s-win-nodes-flannel-config',
  })),
  {
    group: 'system:nodes',
    name: 'k8s-win-nodes-kube-proxy-config',
    namespace: 'kube-system',
    role: 'k8s-win-nodes-kube-proxy-config',
  },
]

export function makeCluster(version: string): ClusterState {
  return {
    allocateNodeCIDRs: true,
    clusterCIDR: CLUSTER_CIDR,
    clusterRoles: {...CLUSTER_ROLES, ...kubeadmRoles(version)},
    configMaps: [
      {
        data: {
          'cni-conf.json': JSON.stringify({
            name: 'cbr0',
            cniVersion: '0.3.1',
            plugins: [
              {type: 'flannel', delegate: {hairpinMode: true, isDefaultGateway: true}},
              {type: 'portmap', capabilities: {portMappings: true}},
            ],
          }),
          // Windows needs this VNI and port; flannel's defaults on Linux are 1 and 8472 (docs/facts.md#flannel).
          'net-conf.json': JSON.stringify({
            Network: CLUSTER_CIDR,
            Backend: {Type: 'vxlan', VNI: 4096, Port: 4789},
          }),
        },
        name: 'kube-flannel-cfg',
        namespace: 'kube-flannel',
      },
      {
        data: {ClusterConfiguration: clusterConfiguration(version)},
        name: 'kubeadm-config',
        namespace: 'kube-system',
      },
      ...kubeadmConfigMaps(version, {clusterCIDR: CLUSTER_CIDR, clusterDNS: CLUSTER_DNS, serverURL: SERVER_URL}),
    ],
    nodes: [
      linuxNode('control-plane-1', '10.0.0.10', '10.244.0.0/24', controlPlaneTaint(version)),
      linuxNode('linux-1', '10.0.0.11', '10.244.1.0/24'),
      linuxNode('linux-2', '10.0.0.12', '10.244.2.0/24'),
    ],
    permissions: ['Node', 'RBAC'],
    reachable: true,
    roleBindings: [...kubeadmAccess(version), ...NODE_ACCESS],
    // The token of kubeadm's documentation, for nodes and without an end.
    secrets: [makeTokenSecret('abcdef', '0123456789abcdef')],
    serverURL: SERVER_URL,
    serviceCIDRs: [{cidrs: [SERVICE_CIDR], name: 'kubernetes'}],
    services: [
      {clusterIP: '10.10.0.1', name: 'kubernetes', namespace: 'default'},
      {clusterIP: CLUSTER_DNS, name: 'kube-dns', namespace: 'kube-system'},
    ],
    version,
  }
}

/** What k8s-win reads of it, as kubeadm writes it: v1beta3 from 1.22 on, v1beta4 from 1.31 on (cmd/kubeadm/app/apis/kubeadm). */
function clusterConfiguration(version: string): string {
  return [
    `apiVersion: kubeadm.k8s.io/${isAtLeast(version, '1.31') ? 'v1beta4' : 'v1beta3'}`,
    'kind: ClusterConfiguration',
    `kubernetesVersion: ${version}`,
    'networking:',
    '  dnsDomain: cluster.local',
    `  podSubnet: ${CLUSTER_CIDR}`,
    `  serviceSubnet: ${SERVICE_CIDR}`,
    '',
  ].join('\n')
}

/** kubeadm's; up to 1.24 the old name (kubernetes#107533). */
const controlPlaneTaint = (version: string): string =>
  `node-role.kubernetes.io/${isAtLeast(version, '1.25') ? 'control-plane' : 'master'}`

function linuxNode(name: string, address: string, podCIDR: string, taint?: string): ClusterNode {
  const role = taint === undefined ? {} : {'node-role.kubernetes.io/control-plane': ''}
  return {
    addresses: [
      {address, type: 'InternalIP'},
      {address: name, type: 'Hostname'},
    ],
    annotations: {
      'flannel.alpha.coreos.com/backend-data': JSON.stringify({VNI: 4096, VtepMAC: '0a:58:0a:f4:00:01'}),
      'flannel.alpha.coreos.com/backend-type': 'vxlan',
      'flannel.alpha.coreos.com/kube-subnet-manager': 'true',
      'flannel.alpha.coreos.com/public-ip': address,
    },
    labels: {
      'beta.kubernetes.io/arch': 'amd64',
      'beta.kubernetes.io/os': 'linux',
      'kubernetes.io/arch': 'amd64',
      'kubernetes.io/hostname': name,
      'kubernetes.io/os': 'linux',
      ...role,
    },
    name,
    podCIDR,
    ready: true,
    readyReason: 'KubeletReady',
    taints: taint === undefined ? [] : [{effect: 'NoSchedule', key: taint}],
  }
}
