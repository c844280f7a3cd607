// The state of the simulated containerd: what machine.json holds of it.

/** What the running daemon read from its config.toml. */
export interface ContainerdConfig {
  /** Its pipe, e.g. \\.\pipe\containerd-containerd. */
  address: string
  cniBinDirs: string[]
  cniConfDir: string
  /** The folder was removed, and with it the watch: what is written there later is not read. Before 2.1 only. */
  cniConfDirLost?: boolean
  /** Why its CRI plugin is not loaded: no kubelet and no crictl can use it then. */
  criProblem?: string
  /** After how long without progress a pull is cancelled, e.g. "30m"; "0" for never. */
  pullProgressTimeout: string
  /** The folder with a hosts.toml per registry. */
  registryConfigPath: string
  root: string
  sandboxImage: string
  state: string
}

export interface ContainerdImage {
  /** As "repository@sha256:…". */
  digests: string[]
  id: string
  /** Labels of the image's configuration. */
  labels?: Record<string, string>
  /** k8s.io where absent. The kubelet and crictl see no other. */
  namespace?: string
  osVersion: string
  /** Kept by the kubelet's garbage collection: sandbox images. */
  pinned?: boolean
  size: number
  /** Full names; containerd completes none of them. */
  tags: string[]
}

export interface ContainerdContainer {
  attempt: number
  /** Milliseconds since 1970. */
  createdAt: number
  id: string
  image: string
  imageId: string
  labels: Record<string, string>
  name: string
  state: 'CONTAINER_EXITED' | 'CONTAINER_RUNNING'
}

export interface ContainerdSandbox {
  attempt: number
  containers: ContainerdContainer[]
  /** Milliseconds since 1970. */
  createdAt: number
  id: string
  /** Its address, while it has a network. */
  ip?: string
  labels: Record<string, string>
  name: string
  namespace: string
  state: 'SANDBOX_NOTREADY' | 'SANDBOX_READY'
  uid: string
}

export interface ContainerdState {
  /** On a twin: unknown tags are assumed to exist. */
  assumesTags?: boolean
  /** Containers that ctr made, which belong to no pod. Those of `runOnce` run for no longer than the call. */
  containers?: {id: string; image: string; isRunning?: boolean; namespace: string}[]
  config?: ContainerdConfig
  images: ContainerdImage[]
  /** Whether a service on this host runs containerd, or did until it was stopped. */
  installed: boolean
  /** The newest version that has opened its root, e.g. "v2.3.4". */
  openedBy?: string
  running: boolean
  sandboxes: ContainerdSandbox[]
  /** The program that runs once for each pod, beside containerd.exe. */
  shim?: string
  /** On a twin: what the containerd of the host holds could not be read. */
  unseen?: true
  /** As containerd reports it, e.g. "v2.3.4". */
  version?: string
}

export const KUBERNETES_NAMESPACE = 'k8s.io'

export const makeContainerd = (): ContainerdState => ({images: [], installed: false, running: false, sandboxes: []})
