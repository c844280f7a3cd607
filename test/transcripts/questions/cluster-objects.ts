// What the recorded cluster holds: two nodes, its DNS service, and flannel as its manifest installs it.

interface ClusterObject {
  readonly document: object
  /** Where it is made. */
  readonly path: string
  /** Its status, which is written on its own. */
  readonly status?: object
}

const at = '2021-11-15T02:41:00Z'
const CONDITIONS = [
  ['MemoryPressure', 'False', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'],
  ['DiskPressure', 'False', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'],
  ['PIDPressure', 'False', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'],
  ['Ready', 'True', 'KubeletReady', 'kubelet is posting ready status'],
].map(([type, status, reason, message]) => ({
  lastHeartbeatTime: at,
  lastTransitionTime: at,
  message,
  reason,
  status,
  type,
}))

function node(name: string, os: 'linux' | 'windows', address: string, podCIDR: string): ClusterObject {
  const resources = {cpu: '4', memory: '8387540Ki', pods: '110'}
  return {
    document: {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: {
        annotations: {'flannel.alpha.coreos.com/backend-type': 'vxlan'},
        labels: {'kubernetes.io/arch': 'amd64', 'kubernetes.io/hostname': name, 'kubernetes.io/os': os},
        name,
      },
      spec: {podCIDR, podCIDRs: [podCIDR]},
    },
    path: '/api/v1/nodes',
    status: {
      addresses: [
        {address, type: 'InternalIP'},
        {address: name, type: 'Hostname'},
      ],
      allocatable: resources,
      capacity: resources,
      conditions: CONDITIONS,
      daemonEndpoints: {kubeletEndpoint: {Port: 10_250}},
      nodeInfo: {
        architecture: 'amd64',
        bootID: '',
        containerRuntimeVersion: 'docker://20.10.9',
        kernelVersion: '10.0.17763.2237',
        kubeProxyVersion: 'v1.21.5',
        kubeletVersion: 'v1.21.5',
        machineID: name,
        operatingSystem: os,
        osImage: 'Windows Server 2019 Standard',
        systemUUID: '',
      },
    },
  }
}

const dnsPort = (name: string, protocol: string): object => ({name, port: 53, protocol, targetPort: 53})

export const CLUSTER_OBJECTS: readonly ClusterObject[] = [
  node('linux-1', 'linux', '10.0.0.11', '10.244.0.0/24'),
  node('win-1', 'windows', '10.0.0.5', '10.244.3.0/24'),
  {document: {apiVersion: 'v1', kind: 'Namespace', metadata: {name: 'kube-flannel'}}, path: '/api/v1/namespaces'},
  {
    document: {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: {
        labels: {'k8s-app': 'kube-dns', 'kubernetes.io/cluster-service': 'true', 'kubernetes.io/name': 'CoreDNS'},
        name: 'kube-dns',
      },
      spec: {
        clusterIP: '10.10.0.10',
        ports: [dnsPort('dns', 'UDP'), dnsPort('dns-tcp', 'TCP')],
        selector: {'k8s-app': 'kube-dns'},
      },
    },
    path: '/api/v1/namespaces/kube-system/services',
  },
  {
    document: {
      apiVersion: 'v1',
      data: {
        'cni-conf.json': '{"name": "cbr0", "cniVersion": "0.3.1", "plugins": [{"type": "flannel"}]}',
        'net-conf.json': '{"Network": "10.244.0.0/16", "Backend": {"Type": "vxlan", "VNI": 4096, "Port": 4789}}',
      },
      kind: 'ConfigMap',
      metadata: {name: 'kube-flannel-cfg'},
    },
    path: '/api/v1/namespaces/kube-flannel/configmaps',
  },
  {
    document: {
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: {labels: {app: 'flannel', tier: 'node'}, name: 'kube-flannel-ds'},
      spec: {
        selector: {matchLabels: {app: 'flannel'}},
        template: {
          metadata: {labels: {app: 'flannel', tier: 'node'}},
          spec: {
            containers: [{image: 'flannel', name: 'kube-flannel'}],
            nodeSelector: {'kubernetes.io/os': 'linux'},
          },
        },
      },
    },
    path: '/apis/apps/v1/namespaces/kube-flannel/daemonsets',
  },
]
