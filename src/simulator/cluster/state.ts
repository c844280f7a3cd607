// The state of the simulated cluster: what machine.json holds under "cluster".
import type {Moment, Span} from '../clock.js'

export interface ClusterNode {
  addresses: {address: string; type: string}[]
  annotations: Record<string, string>
  /** Besides those of its kubelet. */
  conditions?: NodeCondition[]
  /** When its kubelet last posted its status; 40 s later the node is NotReady. Absent: its kubelet is not simulated. */
  heartbeatAt?: Moment
  /** As the kubelet reports it, e.g. "v1.21.5"; the cluster's version by default. */
  kubeletVersion?: string
  labels: Record<string, string>
  /** As its kubelet reports it; the node's name by default. */
  machineID?: string
  name: string
  podCIDR: string
  ready: boolean
  /** The message of the Ready condition. */
  readyMessage?: string
  readyReason: string
  taints: {effect: string; key: string; value?: string}[]
  /** Cordoned. */
  unschedulable?: boolean
}

/** As it was written, by whoever it was. */
export interface NodeCondition {
  lastHeartbeatTime?: string
  lastTransitionTime?: string
  message?: string
  reason?: string
  status: string
  type: string
}

/** An Event of the core group. */
export interface ClusterEvent {
  count?: number
  firstTimestamp?: string
  involvedObject: {apiVersion?: string; kind?: string; name?: string; namespace?: string; uid?: string}
  lastTimestamp?: string
  message?: string
  name: string
  namespace: string
  reason?: string
  source?: {component?: string; host?: string}
  type?: string
}

/** As a kubelet reports it (core/v1, ContainerState). */
export interface ContainerState {
  running?: {startedAt: Moment}
  terminated?: {exitCode: number; finishedAt: Moment; message?: string; reason: string; startedAt: Moment}
  waiting?: {message?: string; reason: string}
}

export interface ClusterPod {
  annotations?: Record<string, string>
  /** By the name of the container, of a pod with a `spec`: what its kubelet has reported. */
  containers?: Record<string, ContainerState>
  /** When its deletion was requested, and when it is complete. */
  deletedAt?: Moment
  goneAt?: Moment
  /** While it has one, it stays in the cluster after it has ended. */
  finalizers?: string[]
  /** How long it takes to end; 2 s by default. */
  graceMs?: Span
  ip?: string
  labels?: Record<string, string>
  name: string
  namespace: string
  /** Where it runs. */
  node: string
  /** Its controller, e.g. ReplicaSet web-5d9c. */
  owner?: {kind: string; name: string}
  phase?: 'Failed' | 'Pending' | 'Running' | 'Succeeded' | 'Unknown'
  /** Why it failed as a whole. */
  problem?: {message: string; reason: string}
  /** As it was created through the API: then the kubelet of its node runs its containers. */
  spec?: Record<string, unknown>
  /** When its kubelet began to run it. */
  startedAt?: Moment
  /** From its name by default. */
  uid?: string
  /** Its volumes, where it has no `spec`. */
  volumes?: Record<string, unknown>[]
}

export interface ClusterNamespace {
  /** "pod-security.kubernetes.io/enforce" is the one that is checked. */
  labels?: Record<string, string>
  name: string
  /** ResourceQuotas that count pods. */
  quotas?: {name: string; pods: number}[]
}

/** A PodDisruptionBudget, as far as it decides on evictions. */
export interface DisruptionBudget {
  /** How many of its pods may be terminating at the same time. */
  allowed: number
  /** The labels of its pods. */
  labels: Record<string, string>
  name: string
  namespace: string
}

/** With the fields of a pod's specification that decide on which nodes it runs. */
export interface ClusterDaemonSet {
  affinity?: Record<string, unknown>
  /** Its one container runs on Windows as a host process. */
  hostProcess?: boolean
  image?: string
  name: string
  namespace: string
  nodeName?: string
  nodeSelector?: Record<string, string>
  tolerations?: Record<string, unknown>[]
}

/** One address of an EndpointSlice; ready, and of a pod on another node, unless it says otherwise. */
export interface ServiceEndpoint {
  address: string
  /** Where its pod runs. */
  node?: string
  /** Its pod, in the namespace of the Service. */
  pod?: string
  ready?: boolean
}

/** A rule of a ClusterRole, for the core group by default. */
export interface PolicyRule {
  readonly apiGroups?: readonly string[]
  readonly resourceNames?: readonly string[]
  readonly resources: readonly string[]
  readonly verbs: readonly string[]
}

/** A ClusterRoleBinding, or a RoleBinding where it has a namespace. */
export interface RoleBinding {
  readonly group?: string
  readonly name: string
  readonly namespace?: string
  /** A ClusterRole: one of `clusterRoles`, or a default one of every API server (system:node-proxier). */
  readonly role: string
  readonly user?: string
}

export interface ClusterService {
  clusterIP: string
  clusterIPs?: string[]
  /** Of its EndpointSlice; the API server's address or that of a pod by default. */
  endpoints?: (ServiceEndpoint | string)[]
  /** When they changed; long ago by default. */
  endpointsChangedAt?: Moment
  name: string
  namespace: string
}

/** A Secret; bootstrap tokens are those of type bootstrap.kubernetes.io/token. */
export interface ClusterSecret {
  /** Long ago by default. */
  createdAt?: Moment
  /** Base64, as in the API. */
  data: Record<string, string>
  name: string
  namespace: string
  type: string
}

/** A condition of a CertificateSigningRequest. */
export interface SigningCondition {
  at: Moment
  message: string
  reason: string
  type: 'Approved' | 'Denied' | 'Failed'
}

/** A CertificateSigningRequest of certificates.k8s.io/v1. */
export interface SigningRequest {
  /** PEM, once it is signed. */
  certificate?: string
  conditions?: SigningCondition[]
  createdAt: Moment
  /** Of the user who made it. */
  groups: string[]
  name: string
  /** PEM. */
  request: string
  signerName: string
  usages: string[]
  username: string
}

/** What the ConfigMap kube-public/cluster-info says where that is wrong. */
export interface ClusterInfo {
  /** PEM; the authority of the API server by default. */
  ca?: string
  /** In place of the whole kubeconfig. */
  kubeconfig?: string
  server?: string
  /** By token ID, in place of the bootstrap signer's. */
  signatures?: Record<string, string>
  /** What requests that do not verify the server get: a server in between answers them. */
  unverified?: Omit<ClusterInfo, 'unverified'>
}

export interface ClusterState {
  /** Does the controller manager give nodes a pod CIDR (--allocate-node-cidrs)? */
  allocateNodeCIDRs: boolean
  certificateSigningRequests?: SigningRequest[]
  /** How far the API server's clock is ahead of this host's. */
  clockAheadMs?: Span
  clusterCIDR: string
  /** The ConfigMap kube-public/cluster-info, which is right by default. */
  clusterInfo?: ClusterInfo | 'absent'
  /** Besides the default ones of every API server. */
  clusterRoles?: Record<string, PolicyRule[]>
  configMaps: {data: Record<string, string>; name: string; namespace: string}[]
  /** Besides flannel's own, which one with the same name replaces. */
  daemonSets?: ClusterDaemonSet[]
  disruptionBudgets?: DisruptionBudget[]
  /** The minor that the API server emulates (--emulated-version); its own by default. */
  emulatedMinor?: number
  /** On a twin: the cluster is real and elsewhere, and has judged access already. */
  elsewhere?: boolean
  /** Those of the last hour (--event-ttl). */
  events?: ClusterEvent[]
  /** Those with labels or quotas. */
  namespaces?: ClusterNamespace[]
  nodes: ClusterNode[]
  pods?: ClusterPod[]
  /** On a twin: the pod network that the host already has, which its node gets again. */
  podCIDRHint?: string
  /**
   * The authorizers "Node" (with the admission plugin NodeRestriction) and "RBAC"; or what everybody may do: "*", or a
   * verb and a resource, "get nodes".
   */
  permissions: string[]
  /** In place of `permissions`, by user name. */
  permissionsOf?: Record<string, string[]>
  /** The HTTP proxy through which alone it is reachable. */
  proxy?: string
  reachable: boolean
  roleBindings?: RoleBinding[]
  secrets?: ClusterSecret[]
  /** PEM: the authority that signed the API server's certificate, where it is not the cluster's. */
  serverAuthority?: string
  serverURL: string
  /**
   * ServiceCIDR objects of networking.k8s.io: v1 from 1.33 on; in 1.31 and 1.32 v1beta1, where the feature gate
   * MultiCIDRServiceAllocator and the API are on. Older clusters have none, whatever is here.
   */
  serviceCIDRs?: {cidrs: string[]; name: string}[]
  services: ClusterService[]
  /** How late the controller manager signs: cluster-info for a new bootstrap token, and approved certificates. */
  signerDelayMs?: Span
  /** How long signed certificates are valid (--cluster-signing-duration); a year by default. */
  signingDurationMs?: Span
  /** User names by bearer token. */
  tokens?: Record<string, string>
  version: string
  /** How late clients hear of a change that they watch for; at once by default. */
  watchDelayMs?: Span
}
