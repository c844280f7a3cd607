// The cluster of a fresh host: a Linux control plane and two Linux workers, flannel set up so that Windows can join.
import type {PolicyRule, RoleBinding} from '../cluster/state.js'
import type {ClusterNode, ClusterState} from '../world.js'

const CLUSTER_CIDR = '10.244.0.0/16'

/** The ClusterRole of kube-flannel.yml, and the right to read flannel's configuration. */
const CLUSTER_ROLES: Record<string, PolicyRule[]> = {
  flannel: [
    {resources: ['pods'], verbs: ['get']},
    {resources: ['nodes'], verbs: ['get', 'list', 'watch']},
    {resources: ['nodes/status'], verbs: ['patch']},
  ],
  'k8s-win-flannel-config': [{resourceNames: ['kube-flannel-cfg'], resources: ['configmaps'], verbs: ['get']}],
}
/** What an administrator grants kube-proxy and flanneld that run as the node. */
const NODE_ACCESS: RoleBinding[] = [
  {group: 'system:nodes', name: 'k8s-win-kube-proxy', role: 'system:node-proxier'},
  {group: 'system:nodes', name: 'k8s-win-flanneld', role: 'flannel'},
  {
    group: 'system:nodes',
    name: 'k8s-win-flannel-config',
    namespace: 'kube-flannel',
    role: 'k8s-win-flannel-config',
  },
]

export function makeCluster(): ClusterState {
  return {
    allocateNodeCIDRs: true,
    clusterCIDR: CLUSTER_CIDR,
    clusterRoles: CLUSTER_ROLES,
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
    ],
    nodes: [
      linuxNode('control-plane-1', '10.0.0.10', '10.244.0.0/24', true),
      linuxNode('linux-1', '10.0.0.11', '10.244.1.0/24', false),
      linuxNode('linux-2', '10.0.0.12', '10.244.2.0/24', false),
    ],
    permissions: ['Node', 'RBAC'],
    reachable: true,
    roleBindings: NODE_ACCESS,
    serverURL: 'https://10.0.0.10:6443',
    services: [
      {clusterIP: '10.10.0.1', name: 'kubernetes', namespace: 'default'},
      {clusterIP: '10.10.0.10', name: 'kube-dns', namespace: 'kube-system'},
    ],
    // The newest that supports nodes of 1.21, 1.22 and 1.23 (the version skew policy of those releases).
    version: 'v1.23.17',
  }
}

function linuxNode(name: string, address: string, podCIDR: string, isControlPlane: boolean): ClusterNode {
  const role = isControlPlane ? {'node-role.kubernetes.io/control-plane': ''} : {}
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
    taints: isControlPlane ? [{effect: 'NoSchedule', key: 'node-role.kubernetes.io/master'}] : [],
  }
}
