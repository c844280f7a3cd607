// Objects of the simulated cluster as the Kubernetes API returns them, with the fields that k8s-win reads.
import {formatAddress, guidOf, parseCidr} from '../windows/names.js'
import type {ClusterNode, ClusterState, World} from '../world.js'
import {isAtLeast} from '../versions.js'
import type {ClusterDaemonSet, ClusterService, ServiceEndpoint} from './state.js'

export interface KubernetesObject {
  readonly metadata: {
    readonly labels?: Readonly<Record<string, string>>
    readonly name: string
    readonly namespace?: string
    readonly uid: string
  }
  readonly spec?: Readonly<Record<string, unknown>>
  /** Of a Secret. */
  readonly type?: string
}

/** As the API writes a moment: without milliseconds. */
export const timeOf = (moment: number): string => new Date(moment).toISOString().replace(/\.\d+Z$/, 'Z')

/** The same name always has the same uid. */
export const uidOf = (kind: string, name: string, namespace = ''): string =>
  guidOf(`${kind} ${namespace} ${name}`).toLowerCase()

interface Named {
  readonly name: string
  readonly namespace?: string
}

/** `metadata`: what it has besides what every object has; `kind` may have its group and version before it, if that is not v1. */
export function objectOf(kind: string, {name, namespace, ...metadata}: Named, rest: object): KubernetesObject {
  const [, apiVersion = 'v1', type = kind] = /^(.+)\/(.+)$/s.exec(kind) ?? []
  const own = {name, ...(namespace && {namespace}), uid: uidOf(type, name, namespace)}
  const common = {resourceVersion: '1000', creationTimestamp: '2021-10-01T08:00:00Z'}
  return {kind: type, apiVersion, metadata: {...own, ...common, ...metadata}, ...rest} as KubernetesObject
}

export function nodeObject({cluster, os}: World, node: ClusterNode): KubernetesObject {
  const {annotations, labels, name} = node
  const named = {name, labels, annotations}
  return objectOf('Node', named, {
    spec: {
      ...(node.podCIDR && {podCIDR: node.podCIDR, podCIDRs: [node.podCIDR]}),
      ...nodeTaints(node),
    },
    status: {
      addresses: node.addresses,
      allocatable: {cpu: '4', memory: '8285140Ki', pods: '110'},
      conditions: [...conditions(node, os.time), ...(node.conditions ?? [])],
      nodeInfo: {
        kubeletVersion: node.kubeletVersion ?? cluster.version,
        // The kubelet for Windows reports the computer's name (pkg/kubelet/winstats/perfcounter_nodestats.go).
        machineID: node.machineID ?? node.name,
        operatingSystem: node.labels['kubernetes.io/os'] === 'windows' ? 'windows' : 'linux',
      },
    },
  })
}

/** The node lifecycle controller also taints a cordoned node. */
function nodeTaints({taints, unschedulable}: ClusterNode): object {
  const all = unschedulable ? [...taints, {effect: 'NoSchedule', key: 'node.kubernetes.io/unschedulable'}] : taints
  return {...(all.length > 0 && {taints: all}), ...(unschedulable && {unschedulable})}
}

const HEALTHY = [
  ['MemoryPressure', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'],
  ['DiskPressure', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'],
  ['PIDPressure', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'],
] as const

function conditions({heartbeatAt, ready, readyMessage, readyReason}: ClusterNode, time: number): object[] {
  const at = timeOf(heartbeatAt ?? time)
  const condition = (type: string, status: string, reason: string, message: string): object => ({
    type,
    status,
    lastHeartbeatTime: at,
    lastTransitionTime: at,
    reason,
    message,
  })
  // A reason is one word; the rest is the message.
  const [reason = '', said = ''] = readyReason.split(/: (.*)/s)
  const message = readyMessage ?? (ready ? 'kubelet is posting ready status' : said)
  // The node lifecycle controller sets all conditions of a lost node to Unknown.
  const isLost = reason === 'NodeStatusUnknown'
  return [
    ...HEALTHY.map(([type, why, text]) =>
      isLost ? condition(type, 'Unknown', reason, message) : condition(type, 'False', why, text),
    ),
    condition(
      'Ready',
      isLost ? 'Unknown' : ready ? 'True' : 'False',
      reason || (ready ? 'KubeletReady' : 'KubeletNotReady'),
      message,
    ),
  ]
}

// Every installer gives CoreDNS' Service a name like kubeadm's.
const isDns = ({name, namespace}: ClusterService): boolean => namespace === 'kube-system' && /dns/.test(name)

export const portsOf = (service: ClusterService): readonly ServicePort[] =>
  isDns(service)
    ? [
        {name: 'dns', protocol: 'UDP', port: 53, targetPort: 53},
        {name: 'dns-tcp', protocol: 'TCP', port: 53, targetPort: 53},
        // cmd/kubeadm/app/phases/addons/dns/manifests.go
        {name: 'metrics', protocol: 'TCP', port: 9153, targetPort: 9153},
      ]
    : [{name: 'https', protocol: 'TCP', port: 443, targetPort: 6443}]

interface ServicePort {
  readonly name: string
  readonly port: number
  readonly protocol: 'TCP' | 'UDP'
  readonly targetPort: number
}

export function serviceObject(service: ClusterService): KubernetesObject {
  const {clusterIP, clusterIPs = [clusterIP], name, namespace} = service
  // Clients look for this label, not for the name.
  const labels: Record<string, string> = isDns(service)
    ? {'k8s-app': 'kube-dns', 'kubernetes.io/cluster-service': 'true', 'kubernetes.io/name': 'CoreDNS'}
    : {}
  const named = {name, namespace, labels}
  return objectOf('Service', named, {
    spec: {
      ports: portsOf(service),
      clusterIP,
      clusterIPs,
      ...(isDns(service) && {selector: {'k8s-app': 'kube-dns'}}),
      type: 'ClusterIP',
    },
  })
}

export const configMapObject = ({data, name, namespace}: ClusterState['configMaps'][number]): KubernetesObject =>
  objectOf('ConfigMap', {name, namespace}, {data})

/** pkg/features/kube_features.go, MultiCIDRServiceAllocator: beta in 1.31, off by default, and GA in 1.33. */
export function serviceCIDRVersion({serviceCIDRs, version}: ClusterState): string | undefined {
  if (!serviceCIDRs || !isAtLeast(version, '1.31')) return undefined
  return isAtLeast(version, '1.33') ? 'v1' : 'v1beta1'
}

export function serviceCIDRObjects(cluster: ClusterState): KubernetesObject[] {
  const version = serviceCIDRVersion(cluster)
  if (version === undefined) return []
  const conditions = [{type: 'Ready', status: 'True', reason: '', message: 'Kubernetes Service CIDR is ready'}]
  return (cluster.serviceCIDRs ?? []).map(({cidrs, name}) =>
    objectOf(`networking.k8s.io/${version}/ServiceCIDR`, {name}, {spec: {cidrs}, status: {conditions}}),
  )
}

/** By default the API server itself, and for other services a pod on another node. */
function endpointsOfService(cluster: ClusterState, service: ClusterService): readonly ServiceEndpoint[] {
  const listed = service.endpoints?.map((one) => (typeof one === 'string' ? {address: one} : one))
  if (listed) return listed
  if (service.namespace === 'default' && service.name === 'kubernetes') {
    return [{address: new URL(cluster.serverURL).hostname}]
  }
  const number = cluster.services.indexOf(service)
  const address = formatAddress((parseCidr(cluster.clusterCIDR)?.base ?? 0) + 10 + number)
  return [{address, node: cluster.nodes[0]?.name ?? '', pod: `${service.name}-${number}`}]
}

export const readyAddresses = (cluster: ClusterState, service: ClusterService): readonly string[] =>
  endpointsOfService(cluster, service)
    .filter(({ready = true}) => ready)
    .map(({address}) => address)

export function endpointSlice(cluster: ClusterState, service: ClusterService): KubernetesObject {
  const {endpointsChangedAt: at, name, namespace} = service
  const manager = {manager: 'kube-controller-manager', operation: 'Update', apiVersion: 'discovery.k8s.io/v1'}
  const named = {
    name: `${name}-x7k2p`,
    namespace,
    labels: {'kubernetes.io/service-name': name},
    ...(at !== undefined && {managedFields: [{...manager, time: timeOf(at)}]}),
  }
  return objectOf('discovery.k8s.io/v1/EndpointSlice', named, {
    addressType: 'IPv4',
    endpoints: endpointsOfService(cluster, service).map(({address, node, pod, ready = true}) => ({
      addresses: [address],
      conditions: {ready, serving: ready, terminating: false},
      ...(node !== undefined && {nodeName: node}),
      ...(pod !== undefined && {
        targetRef: {kind: 'Pod', name: pod, namespace, uid: uidOf('Pod', pod, namespace)},
      }),
    })),
    // The ports of the pods, by the names that the Service gives them.
    ports: portsOf(service).map(({name: title, protocol, targetPort}) => ({name: title, port: targetPort, protocol})),
  })
}

/** flannel's own exists with its configuration, for Linux nodes only, unless machine.json replaces it. */
export function daemonSetObjects({configMaps, daemonSets = []}: ClusterState): KubernetesObject[] {
  const ofFlannel = configMaps
    .filter(({name}) => name === 'kube-flannel-cfg')
    .map(({namespace}) => ({name: 'kube-flannel-ds', namespace, nodeSelector: {'kubernetes.io/os': 'linux'}}))
    .filter(({name, namespace}) => !daemonSets.some((set) => set.name === name && set.namespace === namespace))
  return [...ofFlannel, ...daemonSets].map(daemonSetObject)
}

function daemonSetObject(set: ClusterDaemonSet): KubernetesObject {
  const {affinity, hostProcess, image, name, namespace, nodeName, nodeSelector, tolerations} = set
  // The labels of kube-flannel.yml; others are labelled with their name.
  const isFlannel = name === 'kube-flannel-ds'
  const app = isFlannel ? 'flannel' : name
  const labels = isFlannel ? {app, tier: 'node'} : {app}
  const named = {name, namespace, labels}
  return objectOf('apps/v1/DaemonSet', named, {
    spec: {
      selector: {matchLabels: {app}},
      template: {
        metadata: {labels},
        spec: {
          containers: [{name: isFlannel ? 'kube-flannel' : name, ...(image && {image})}],
          ...(hostProcess && {hostNetwork: true, securityContext: {windowsOptions: {hostProcess}}}),
          ...(nodeName && {nodeName}),
          ...(nodeSelector && {nodeSelector}),
          ...(affinity && {affinity}),
          ...(tolerations && {tolerations}),
        },
      },
    },
  })
}
