// The state of the simulated cluster: what machine.json holds under "cluster".

export interface ClusterNode {
  addresses: {address: string; type: string}[]
  annotations: Record<string, string>
  /** When its kubelet last posted its status; the control plane gives up on it 40 s later. Absent: not a simulated one. */
  heartbeatAt?: number
  /** As the kubelet tells it, e.g. "v1.21.5"; without it the cluster's own version is answered. */
  kubeletVersion?: string
  labels: Record<string, string>
  /** As its kubelet tells it; the node's name where it is not said. */
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

export interface ClusterPod {
  annotations?: Record<string, string>
  /** Since when it is asked to go, and when it has gone. */
  deletedAt?: number
  goneAt?: number
  /** As long as it has one, it stays in the cluster after its end. */
  finalizers?: string[]
  /** How long it takes to end; 2 s where it is not said. */
  graceMs?: number
  labels?: Record<string, string>
  name: string
  namespace: string
  /** Where it runs. */
  node: string
  /** Its controller, e.g. ReplicaSet web-5d9c. */
  owner?: {kind: string; name: string}
  phase?: 'Failed' | 'Pending' | 'Running' | 'Succeeded' | 'Unknown'
}

/** A PodDisruptionBudget, as far as it decides on evictions. */
export interface DisruptionBudget {
  /** How many of its pods may be on their way out at the same time. */
  allowed: number
  /** The labels of its pods. */
  labels: Record<string, string>
  name: string
  namespace: string
}

/** With the parts of a pod's specification that decide on which nodes it lands. */
export interface ClusterDaemonSet {
  affinity?: Record<string, unknown>
  name: string
  namespace: string
  nodeName?: string
  nodeSelector?: Record<string, string>
  tolerations?: Record<string, unknown>[]
}

/** A rule of a ClusterRole; the core group where no other is said. */
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
  /** A ClusterRole: of the cluster's own, or one that every API server makes by itself (system:node-proxier). */
  readonly role: string
  readonly user?: string
}

export interface ClusterState {
  /** Does the controller manager give nodes a pod CIDR (--allocate-node-cidrs)? */
  allocateNodeCIDRs: boolean
  /** How far the API server's clock is ahead of this host's. */
  clockAheadMs?: number
  clusterCIDR: string
  /** Beside those that every API server makes by itself. */
  clusterRoles?: Record<string, PolicyRule[]>
  configMaps: {data: Record<string, string>; name: string; namespace: string}[]
  /** Those beside flannel's own, and in its place where one has its name. */
  daemonSets?: ClusterDaemonSet[]
  disruptionBudgets?: DisruptionBudget[]
  /** A twin's copy of a cluster that is elsewhere: whom it lets in was asked there, and is not judged again. */
  elsewhere?: boolean
  nodes: ClusterNode[]
  pods?: ClusterPod[]
  /** A twin's guess: the pod network that the host has already is given to its node again. */
  podCIDRHint?: string
  /** Who decides on requests: the authorizers "Node" and "RBAC"; or what is simply allowed, "*" or "get nodes", … */
  permissions: string[]
  /** The same for users who may do something else, by name. */
  permissionsOf?: Record<string, string[]>
  /** The HTTP proxy that is the only way to it. */
  proxy?: string
  reachable: boolean
  roleBindings?: RoleBinding[]
  serverURL: string
  /** `endpoints`: addresses of its ready endpoints; where it is not said, the API server's or a pod's. */
  services: {clusterIP: string; clusterIPs?: string[]; endpoints?: string[]; name: string; namespace: string}[]
  /** Names of users by bearer token. */
  tokens?: Record<string, string>
  version: string
  /** How late clients hear of a change that they watch for; at once where it is not said. */
  watchDelayMs?: number
}
