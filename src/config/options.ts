// Every option of `setup`, once: the flags, the environment variables and the help are made from this table.

export interface OptionSpec {
  /** Shown in help; undefined where the value comes from the host or the cluster. */
  readonly default?: string
  readonly flag: string
  /** Heading in help. */
  readonly group: 'CLUSTER' | 'IMAGES' | 'NODE' | 'VERSIONS'
  /** Key of the configuration file; a dot goes one level down. */
  readonly key: string
  readonly multiple?: true
  readonly summary: string
  /** What stands for the value in help. */
  readonly value: string
}

export const OPTIONS = [
  {
    default: String.raw`c:\k`,
    flag: 'base-dir',
    group: 'NODE',
    key: 'baseDir',
    summary:
      'Folder for binaries, configuration and logs: absolute, on a local drive. Made only if --kubeconfig is given.',
    value: '<folder>',
  },
  {
    default: '10.244.0.0/16',
    flag: 'cluster-cidr',
    group: 'CLUSTER',
    key: 'clusterCIDR',
    summary: "The cluster's pod network.",
    value: '<cidr>',
  },
  {
    default: '10.10.0.0/16',
    flag: 'service-cidr',
    group: 'CLUSTER',
    key: 'serviceCIDR',
    summary: "The cluster's service network.",
    value: '<cidr>',
  },
  {
    default: 'Ethernet0',
    flag: 'interface-name',
    group: 'NODE',
    key: 'interfaceName',
    summary:
      'Network adapter of the overlay. If you name none and there is no Ethernet0, the one with a default gateway.',
    value: '<name>',
  },
  {
    default: '1.21.5',
    flag: 'release',
    group: 'VERSIONS',
    key: 'release',
    summary: 'Kubernetes release, with or without "v".',
    value: '<version>',
  },
  {
    flag: 'kubeconfig',
    group: 'CLUSTER',
    key: 'kubeconfig',
    summary: String.raw`Kubeconfig to copy to <BaseDir>\kubeconfig. Without it, the one that is there is used.`,
    value: '<file>',
  },
  {
    flag: 'kubelet-kubeconfig',
    group: 'CLUSTER',
    key: 'kubelet.kubeconfig',
    summary: "The kubelet's own identity, in place of --kubeconfig.",
    value: '<file>',
  },
  {
    flag: 'kube-proxy-kubeconfig',
    group: 'CLUSTER',
    key: 'kubeProxy.kubeconfig',
    summary: "kube-proxy's own identity, in place of --kubeconfig.",
    value: '<file>',
  },
  {
    flag: 'flanneld-kubeconfig',
    group: 'CLUSTER',
    key: 'flanneld.kubeconfig',
    summary: "flanneld's own identity, in place of --kubeconfig.",
    value: '<file>',
  },
  {
    flag: 'client-ca-file',
    group: 'CLUSTER',
    key: 'clientCAFile',
    summary: "Who may call the kubelet: PEM certificates. Without it, the kubeconfig's authority.",
    value: '<file>',
  },
  {
    flag: 'node-name',
    group: 'NODE',
    key: 'nodeName',
    summary: "The node's name. Without it, the computer's name in lower case.",
    value: '<name>',
  },
  {
    flag: 'node-ip',
    group: 'NODE',
    key: 'nodeIP',
    summary: "The node's address. Without it, the adapter's.",
    value: '<ip>',
  },
  {
    flag: 'cluster-dns',
    group: 'CLUSTER',
    key: 'clusterDNS',
    summary: "Address of the cluster's DNS service. Without it, the cluster is asked.",
    value: '<ip>',
  },
  {
    default: 'cluster.local',
    flag: 'cluster-domain',
    group: 'CLUSTER',
    key: 'clusterDomain',
    summary: "The cluster's DNS domain.",
    value: '<domain>',
  },
  {
    flag: 'nanoserver-tag',
    group: 'IMAGES',
    key: 'images.nanoserverTag',
    summary: 'Tag of the nanoserver image. Without it, the one for this build of Windows.',
    value: '<tag>',
  },
  {
    flag: 'servercore-tag',
    group: 'IMAGES',
    key: 'images.servercoreTag',
    summary: 'Tag of the servercore image. Without it, the one for this build of Windows.',
    value: '<tag>',
  },
  {
    default: 'mcr.microsoft.com',
    flag: 'image-registry',
    group: 'IMAGES',
    key: 'images.registry',
    summary: 'Registry of the base images: a mirror with the same paths.',
    value: '<host>',
  },
  {
    default: 'npipe:////./pipe/docker_engine',
    flag: 'docker-endpoint',
    group: 'NODE',
    key: 'dockerEndpoint',
    summary: 'Local pipe of the Docker Engine. DOCKER_HOST is honoured if it is local.',
    value: '<npipe>',
  },
  {
    default: '0.28.9',
    flag: 'flannel-version',
    group: 'VERSIONS',
    key: 'versions.flannel',
    summary: 'Version of flanneld.',
    value: '<version>',
  },
  {
    default: '1.9.1',
    flag: 'cni-version',
    group: 'VERSIONS',
    key: 'versions.cni',
    summary: 'Version of the CNI plugins.',
    value: '<version>',
  },
  {
    default: '1.9.1-flannel3',
    flag: 'flannel-cni-version',
    group: 'VERSIONS',
    key: 'versions.flannelCNI',
    summary: 'Version of the flannel CNI plugin.',
    value: '<version>',
  },
  {
    flag: 'digest',
    group: 'VERSIONS',
    key: 'digests',
    multiple: true,
    summary:
      'Digest of an artifact that has none of its own: <artifact>=<sha256|sha512>:<hex>. Artifacts: kubernetes, cni-plugins, flannel-cni, flanneld, shawl. Repeatable.',
    value: '<artifact>=<digest>',
  },
] as const satisfies readonly OptionSpec[]

export type OptionFlag = (typeof OPTIONS)[number]['flag']

/** What was given, as text, before anything is checked. */
export type GivenOptions = Readonly<Partial<Record<OptionFlag, string | readonly string[]>>>

/** K8S_WIN_BASE_DIR for base-dir. */
export function environmentVariable(flag: string): string {
  return `K8S_WIN_${flag.replaceAll('-', '_').toUpperCase()}`
}
