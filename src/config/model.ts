// The shapes of a node's configuration: Given (text, options.ts), then Asked, then Decided, then Node, each with more known.
import type {K8sWinError} from '../errors/k8s-win-error.js'
import type {ArtifactId} from './artifact-ids.js'
import type {Layered} from './options/layers.js'
import type {StepId} from './step-ids.js'
import type {Version} from './version.js'

export interface Digest {
  readonly algorithm: 'sha256' | 'sha512'
  readonly hex: string
}

/** The daemons that speak to the cluster, each of which can have an identity of its own. */
export const IDENTITIES = ['kubelet', 'kube-proxy', 'flanneld'] as const
export type Identity = (typeof IDENTITIES)[number]

/** What runs the containers of a node. */
export type RuntimeName = 'containerd' | 'docker'

/** A step or a check that names no runtime is for both. */
export const fits = (
  part: {readonly runtime?: RuntimeName | undefined},
  {runtime}: {readonly runtime: RuntimeName},
): boolean => (part.runtime ?? runtime) === runtime

/** Kubernetes' own names for what a taint does to pods. */
export const TAINT_EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'] as const

export interface Taint {
  readonly effect: (typeof TAINT_EFFECTS)[number]
  readonly key: string
  /** Empty where it has none. */
  readonly value: string
}

/** Where this host runs, as far as its network differs by that. `none`: anywhere else. */
export const CLOUDS = ['aws', 'azure', 'gce', 'openstack', 'none'] as const
export type CloudName = (typeof CLOUDS)[number]

/** By the last part of their repository. */
export const BASE_IMAGES = ['nanoserver', 'servercore'] as const
export type BaseImageName = (typeof BASE_IMAGES)[number]

/** Where secrets can be fetched from. */
export const SECRET_SERVICES = ['aws-ssm', 'aws-sm', 'azure-kv', 'gcp-sm'] as const
export type SecretService = (typeof SECRET_SERVICES)[number]

export interface SecretSource {
  /** The client ID of a user-assigned managed identity of Azure. */
  readonly identity?: string
  /** The member of the JSON object that the secret is. */
  readonly key?: string
  readonly name: string
  /** The Key Vault, or the project of Google Cloud. */
  readonly place?: string
  /** Of an ARN. */
  readonly region?: string
  readonly service: SecretService
  /** As it was given, without the key. */
  readonly text: string
}

/** How the node joins its cluster without a kubeconfig: with a bootstrap token. */
export interface JoinOptions {
  /** SHA-256 of the public key (SubjectPublicKeyInfo) of an authority of the cluster: sha256:<hex>, lower case. */
  readonly caCertHashes: readonly string[]
  /** The token alone proves the cluster. */
  readonly isVerificationSkipped: boolean
  /** https://<host>:<port> */
  readonly server: string
  /** A secret: never stored. */
  readonly token?: string
  /** Where the token is read from; - is standard input. */
  readonly tokenFile?: string
  /** Where the token is fetched from. */
  readonly tokenFrom?: SecretSource
}

/** What --kubeconfig-from names, fetched: written as a file of --kubeconfig is. */
export interface FetchedKubeconfig {
  /** Where it is written; files that it names are beside it. */
  readonly path: string
  readonly source: string
  /** A secret: never stored. */
  readonly text: string
}

/** The identity of a node that has no certificate yet, as the cluster's own cluster-info describes it. */
export interface Bootstrap {
  /** PEM: the authorities of the API server. */
  readonly ca: string
  readonly server: string
  /** A secret. */
  readonly token: string
}

/** The machine on which setup stored the options of a node. */
export interface StoredMachine {
  readonly computerName: string
  /** Empty where its firmware gave none. */
  readonly uuid: string
}

/** A file below certs.d: `path` is <registry>\\<name>. */
export interface RegistryFile {
  readonly content: string
  readonly path: string
}

/** What --registry-config names, read. Its files hold secrets. */
export interface Registries {
  readonly files: readonly RegistryFile[]
  /** Why it cannot be used: setup refuses it, and a node keeps what it has. */
  readonly problems: readonly K8sWinError[]
}

export type Arguments = Readonly<Record<string, string>>
export type Fields = Readonly<Record<string, unknown>>

/** What a user sets for the daemons themselves. */
export interface DaemonSettings {
  /** Flags by their names without hyphens, sorted. */
  readonly args: Readonly<Record<Identity, Arguments>>
  /** Of the KubeletConfiguration. */
  readonly kubeletConfig: Fields
}

/** What needs neither the host nor the cluster to be decided. */
interface NodeOptions extends DaemonSettings {
  /** Take over things with k8s-win's names that another tool created. */
  readonly adopt: boolean
  /** Restart Windows where it is required. */
  readonly allowRestart: boolean
  readonly baseDir: string
  /** Pulled, proven and tagged before pods need them. */
  readonly baseImages: readonly BaseImageName[]
  readonly clientCAFile?: string
  readonly clusterDNS?: string
  readonly digests: Readonly<Partial<Record<ArtifactId, Digest>>>
  /** \\.\pipe\… */
  readonly dockerPipe: string
  /** Direct server return in kube-proxy. */
  readonly enableDSR: boolean
  /** Enable the Windows feature Containers where it is missing. */
  readonly enableFeatures: boolean
  /** Feature gates of the kubelet and kube-proxy, by name. */
  readonly featureGates: Readonly<Record<string, boolean>>
  readonly identityFiles: Readonly<Partial<Record<Identity, string>>>
  /** Checks whose failure is only a warning. */
  readonly ignoreChecks: readonly string[]
  readonly imageRegistry: string
  /** Undefined where the user named none: then any suitable adapter will do. */
  readonly interfaceName?: string
  /** Absent where the node has a kubeconfig that was given to it. */
  readonly join?: JoinOptions
  readonly kubeconfig?: FetchedKubeconfig | string
  readonly kubeconfigFrom?: SecretSource
  /** Absent before the first setup has finished. */
  readonly madeOn?: StoredMachine
  /** Where watch writes metrics for windows_exporter. */
  readonly metricsFile?: string
  readonly nanoserverTag?: string
  readonly nodeIP?: string
  /** What the node registers with, sorted by key. */
  readonly nodeLabels: Readonly<Record<string, string>>
  readonly nodeName?: string
  /** Every option that has a value as text, who set it and how. */
  readonly origin: Layered
  /** The cluster gets to see what watch finds. */
  readonly publish: boolean
  /** A folder in the form of containerd's certs.d, or the copy of one among the records of setup. */
  readonly registryConfig?: string
  /** https://<host> */
  readonly secretEndpoint?: string
  /** Hosts that may get credentials of this machine beside those of the secret stores. */
  readonly secretHosts: readonly string[]
  readonly servercoreTag?: string
  /** Steps to leave out. */
  readonly skip: readonly StepId[]
  readonly taints: readonly Taint[]
  /** Why node.yaml cannot be used: its copy was used instead. */
  readonly storedDamage?: K8sWinError
  /** The base directory as the last setup stored it. Another one than `baseDir`: node.yaml was edited, or copied from there. */
  readonly storedFolder?: string
  /** For the whole run. */
  readonly timeoutMs: number
  /** The service k8s-win keeps the node alive. Undefined: where the program can run as a service. */
  readonly watch?: boolean
}

interface CniVersions {
  readonly cni: Version
  readonly flannel: Version
  readonly flannelCNI: Version
}

/** What was asked for: valid by itself. What is absent is decided by the host and the cluster. */
export interface Asked extends NodeOptions {
  readonly cloud?: CloudName | 'auto'
  readonly clusterCIDR?: string
  readonly clusterDomain?: string
  /** The last setup has stored its options. What is not among them had its default. */
  readonly isStored: boolean
  readonly release?: Version
  readonly runtime: RuntimeName | 'auto'
  readonly serviceCIDR?: string
  /** What the last setup joined with, where that was a token. */
  readonly storedJoin?: {readonly caCertHashes: readonly string[]; readonly server: string}
  readonly versions: CniVersions & {readonly containerd?: Version; readonly crictl?: Version}
}

/** A containerd on this host, and where it looks for what k8s-win adds to it. */
export interface ContainerdPlace {
  readonly cniBinaries: string
  readonly cniConfigFolder: string
  readonly config: string
  readonly ctr: string
  /** Where it keeps images, snapshots and containers. */
  readonly data: string
  /** Installed by k8s-win, as it would be on a node with Docker. One that was there before is used as it is. */
  readonly isOurs: boolean
  /** Where it listens: \\.\pipe\… */
  readonly pipe: string
  readonly program: string
  /** The image of pods' sandboxes in the configuration of a containerd that was there before. */
  readonly sandboxImage?: string
  readonly service: string
}

/** What was asked for, and a value for everything else: of the cluster, of the host, or the default. */
export interface Decided extends NodeOptions {
  /** A kubeconfig that reset uses in the cluster in place of the node's own: read once, stored nowhere. */
  readonly administratorKubeconfig?: string
  /** Present where the node joins in this run: once it has its certificate, it needs none. */
  readonly bootstrap?: Bootstrap
  /** Why there is no `bootstrap`, or no fetched kubeconfig: reported by the checks, with everything else. */
  readonly joinProblem?: K8sWinError
  readonly cloud: CloudName
  readonly clusterCIDR: string
  readonly clusterDomain: string
  readonly containerd: ContainerdPlace
  /** False: a running containerd is not stopped, because that ends the pods (recover without --yes). */
  readonly endsPods?: boolean
  /** What died is started as it is: whatever was changed stays (watch). */
  readonly revivesOnly?: true
  /** Absent without --registry-config. */
  readonly registries?: Registries
  readonly release: Version
  readonly runtime: RuntimeName
  readonly serviceCIDR: string
  /** Why the cluster could not be asked, where that may pass: then its values are the defaults. */
  readonly unasked?: unknown
  readonly upgrade?: Upgrade
  readonly versions: CniVersions & {readonly containerd: Version; readonly crictl: Version}
}

/** Another release, or another containerd, over a node that is set up. */
export interface Upgrade {
  /** How long pods have to leave; undefined where the node is not drained. */
  readonly drainMs?: number
  /** As the last setup stored it. Equal to what is wanted where an upgrade that did not finish is taken back. */
  readonly from: Decided
  /** Pods that nothing recreates are evicted too. */
  readonly losesPods?: boolean
}

/** All a step needs to know: what was decided, and what this host and its cluster are. */
export interface Node extends Decided {
  /** PEM: who may call the kubelet. */
  readonly clientCA: string
  readonly clusterDNS: string
  /** The Windows build, e.g. 17763. */
  readonly hostBuild: number
  /** The proxy of the kubelet's kubeconfig, for its environment: empty without one, undefined where it is not known. */
  readonly kubeletProxy: string | undefined
  /** The kubelet has a client certificate, and renews it. */
  readonly kubeletRotates: boolean
  /** The adapter that carries the overlay, as it is called now. */
  readonly adapterName: string
  readonly nanoserverTag: string
  readonly nodeIP: string
  readonly nodeName: string
  /** The machine's HTTP_PROXY, HTTPS_PROXY and NO_PROXY, for the daemons; undefined where they are not known. */
  readonly proxy: Readonly<Record<string, string>> | undefined
  readonly servercoreTag: string
}

/** The names of the services. */
export const CONTAINERD = 'containerd'
export const FLANNELD = 'flanneld'
export const KUBE_PROXY = 'kubeproxy'
export const KUBELET = 'kubelet'
/** The one network name, in net-conf.json, cni.conf and kube-proxy. */
export const NETWORK_NAME = 'vxlan0'
export const VXLAN_ID = 4096
export const VXLAN_PORT = 4789
export const KUBELET_PORT = 10_250
/** kube-proxy's health, which load balancers outside of the cluster ask for. */
export const KUBE_PROXY_PORT = 10_256
/** The name of Docker's service, on which the kubelet depends. */
export const DOCKER_SERVICE = 'docker'
/** Where containerd listens (containerd, defaults/defaults_windows.go). */
export const CONTAINERD_PIPE = String.raw`\\.\pipe\containerd-containerd`
/** A pipe, as the kubelet and crictl name it. */
export const endpointOf = ({pipe}: Pick<ContainerdPlace, 'pipe'>): string => `npipe://${pipe.replaceAll('\\', '/')}`
export const PAUSE_IMAGE = 'kubeletwin/pause'
