// The parts of Kubernetes API objects that k8s-win uses. A response of another shape reads as an empty one.
import {parseAddress} from '../../config/cidr.js'
import {shortened} from '../../errors/shortened.js'
import {at, listAt, parseJson, textAt, textsAt} from '../document.js'
import {CONDITION} from './node-condition.js'

/** What the metadata of a Node says: its labels, and what its flanneld annotates. */
export interface NodeMetadata {
  /** The backend that its flanneld reports: "vxlan". */
  readonly backendType?: string
  readonly labels: Readonly<Record<string, string>>
  readonly name: string
  /** "linux", "windows", or '' before anybody has said. */
  readonly os: string
  /** Where its flanneld wants the overlay's packets sent. */
  readonly publicIP?: string
  /** A person has set it, to one that the node itself need not have, as behind NAT (flannel: Annotations, public-ip-overwrite). */
  readonly isPublicIPGiven?: true
  /** The VXLAN network identifier that its flanneld reports. */
  readonly vni?: number
  /** The MAC address of its tunnel end, as its flanneld published it; '' where it published none. */
  readonly vtepMac: string
}

export interface ClusterNode extends NodeMetadata {
  readonly addresses: readonly string[]
  /** It has the condition of k8s-win. */
  readonly isPublished?: true
  /** Cordoned: no new pods are to land on it. */
  readonly isUnschedulable: boolean
  /** "v1.21.5", as its kubelet last reported. */
  readonly kubeletVersion?: string
  /** What its kubelet calls the machine: on Windows the computer's name. '' before it has said anything. */
  readonly machineID: string
  readonly podCIDR: string
  readonly ready: boolean
  /** Why it is not Ready, in the kubelet's words. */
  readonly readyMessage: string
  /** key=value:effect, or key:effect. */
  readonly taints: readonly string[]
}

/** What decides on which nodes its pods land. */
export interface DaemonSet {
  /** The images of its containers, where they run as host processes on Windows. */
  readonly hostProcessImages?: readonly string[]
  readonly name: string
  readonly namespace: string
  /** Where its template names the one node of its pods. */
  readonly nodeName?: string
  readonly nodeSelector: Readonly<Record<string, string>>
  /** requiredDuringSchedulingIgnoredDuringExecution; undefined where there is none. */
  readonly requiredTerms?: readonly unknown[]
  readonly tolerations: readonly unknown[]
}

export function readNode(document: unknown, name = textAt(document, 'metadata', 'name')): ClusterNode {
  const conditions = listAt(document, 'status', 'conditions')
  const ready = conditions.find((condition) => textAt(condition, 'type') === 'Ready')
  const kubeletVersion = textAt(document, 'status', 'nodeInfo', 'kubeletVersion')
  const metadata = readNodeMetadata(document, name)
  return {
    ...metadata,
    addresses: listAt(document, 'status', 'addresses')
      .filter((entry) => textAt(entry, 'type') === 'InternalIP')
      .map((entry) => textAt(entry, 'address')),
    ...(conditions.some((condition) => textAt(condition, 'type') === CONDITION) && {isPublished: true}),
    isUnschedulable: at(document, 'spec', 'unschedulable') === true,
    ...(kubeletVersion === '' ? {} : {kubeletVersion}),
    machineID: textAt(document, 'status', 'nodeInfo', 'machineID'),
    os: textAt(document, 'status', 'nodeInfo', 'operatingSystem') || metadata.os,
    podCIDR: textAt(document, 'spec', 'podCIDR'),
    ready: textAt(ready, 'status') === 'True',
    readyMessage: shortened(textAt(ready, 'message')) || textAt(ready, 'reason') || 'the kubelet has not reported yet',
    taints: listAt(document, 'spec', 'taints').map(taintOf),
  }
}

export function readNodeMetadata(document: unknown, name = textAt(document, 'metadata', 'name')): NodeMetadata {
  const annotation = (key: string): string =>
    textAt(document, 'metadata', 'annotations', `flannel.alpha.coreos.com/${key}`)
  const [backendType, publicIP, vni] = [
    annotation('backend-type'),
    annotation('public-ip'),
    vniOf(annotation('backend-data')),
  ]
  return {
    ...(backendType === '' ? {} : {backendType}),
    labels: textsAt(document, 'metadata', 'labels'),
    name,
    os: textAt(document, 'metadata', 'labels', 'kubernetes.io/os'),
    ...(publicIP === '' ? {} : {publicIP}),
    ...(annotation('public-ip-overwrite') !== '' && {isPublicIPGiven: true}),
    ...(vni === undefined ? {} : {vni}),
    vtepMac: textAt(parseJson(annotation('backend-data')), 'VtepMAC'),
  }
}

export function readDaemonSet(document: unknown): DaemonSet {
  const pod = at(document, 'spec', 'template', 'spec')
  const nodeName = textAt(pod, 'nodeName')
  const containers = listAt(pod, 'containers')
  // Of the pod or of its containers; a pod has only containers of one kind (validateWindowsHostProcessPod).
  const isHostProcess = [pod, ...containers].some(
    (one) => at(one, 'securityContext', 'windowsOptions', 'hostProcess') === true,
  )
  const required = at(pod, 'affinity', 'nodeAffinity', 'requiredDuringSchedulingIgnoredDuringExecution')
  return {
    ...(isHostProcess && {hostProcessImages: containers.map((one) => textAt(one, 'image'))}),
    name: textAt(document, 'metadata', 'name'),
    namespace: textAt(document, 'metadata', 'namespace'),
    ...(nodeName === '' ? {} : {nodeName}),
    nodeSelector: textsAt(pod, 'nodeSelector'),
    ...(required === undefined ? {} : {requiredTerms: listAt(required, 'nodeSelectorTerms')}),
    tolerations: listAt(pod, 'tolerations'),
  }
}

/** Of a service: its IPv4 address, whichever family the cluster puts first; undefined where it has none. */
export function serviceAddressOf(service: unknown): string | undefined {
  const all = [...listAt(service, 'spec', 'clusterIPs'), textAt(service, 'spec', 'clusterIP')]
  return all.find((address): address is string => typeof address === 'string' && parseAddress(address) !== undefined)
}

function taintOf(taint: unknown): string {
  const value = textAt(taint, 'value')
  return `${textAt(taint, 'key')}${value === '' ? '' : `=${value}`}:${textAt(taint, 'effect')}`
}

/** flannel before 0.12 reports only its MAC address. */
function vniOf(backendData: string): number | undefined {
  const vni = at(parseJson(backendData), 'VNI')
  return typeof vni === 'number' ? vni : undefined
}
