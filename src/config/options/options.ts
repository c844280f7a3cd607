// Every option of `setup`, once: flags, environment variables, the configuration file, its schema and the help are made from
// this table.
import {LAUNCHER_SUMMARY} from '../launchers.js'
import {ARTIFACT_IDS} from '../artifact-ids.js'
import {list, names, type OptionSpec, pairs, type Spec, text, toggle, valued} from './option-spec.js'

const daemonArguments = <const Name extends string>(daemon: Name, who: string, key: string): Spec<`${Name}-arg`> =>
  valued('arguments')(
    `${daemon}-arg`,
    '<name>=<value>',
    `Flag of ${who}, without its hyphens: <name>=<value>. It replaces the value of k8s-win; what k8s-win needs is refused. Repeatable.`,
    {group: 'NODE', key: `${key}.args`, unchecked: true},
  )

const kubeconfig = <const Name extends string>(daemon: Name, who: string, key: string): Spec<`${Name}-kubeconfig`> =>
  text(`${daemon}-kubeconfig`, '<file>', `Kubeconfig of ${who}, instead of --kubeconfig.`, {
    absent: "the node's kubeconfig",
    group: 'CLUSTER',
    key: `${key}.kubeconfig`,
    path: true,
    stored: 'copy',
  })

const version = <const Flag extends string>(
  flag: Flag,
  summary: string,
  key: string,
  rest: Pick<OptionSpec, 'default' | 'stored' | 'unchecked'>,
): Spec<Flag> => text(flag, '<version>', summary, {...rest, group: 'VERSIONS', key: `versions.${key}`})

const SOURCES =
  'aws-ssm:<name>, aws-sm:<name>, azure-kv:[<client ID>@]<vault>/<name> or gcp-sm:<project>/<name>; #<key> picks a member of a JSON object.'

const TABLE = [
  // What this node is.
  text(
    'base-dir',
    '<folder>',
    'Folder for programs, configuration and logs. Absolute, on a local drive. Created only if --kubeconfig, --kubeconfig-from or --server is given.',
    {default: String.raw`c:\k`, key: 'baseDir', stored: 'always'},
  ),
  text(
    'interface-name',
    '<name>',
    'Network adapter of the overlay network. If the default does not exist, the adapter with a default gateway.',
    {default: 'Ethernet0', key: 'interfaceName'},
  ),
  text('node-name', '<name>', 'Name of the node. Default: its current name, or the computer name in lower case.', {
    absent: "the computer's name in lower case",
    group: 'NODE',
    key: 'nodeName',
  }),
  text('node-ip', '<ip>', "Address of the node. Default: the adapter's.", {
    absent: "the adapter's address",
    group: 'NODE',
    key: 'nodeIP',
  }),
  pairs('node-label', '<key>=<value>', 'Label to register the node with: <key>=<value>. Repeatable.', {
    group: 'NODE',
    key: 'nodeLabels',
  }),
  list(
    'taint',
    '<taint>',
    'Taint to register the node with: <key>=<value>:<effect> or <key>:<effect>. Effects: NoSchedule, PreferNoSchedule, NoExecute. Repeatable.',
    {group: 'NODE', key: 'taints'},
  ),
  text('docker-endpoint', '<npipe>', 'Named pipe of the local Docker Engine. A local DOCKER_HOST is used too.', {
    default: 'npipe:////./pipe/docker_engine',
    group: 'NODE',
    key: 'dockerEndpoint',
  }),
  text(
    'cloud',
    '<name>',
    'Where this host runs: aws, azure, gce, openstack, none, or auto: asked of its firmware and its metadata service by the first setup. Decides the routes to the metadata service, if the host had none of its own.',
    {default: 'auto', group: 'NODE', key: 'cloud', unchecked: true},
  ),

  text(
    'runtime',
    '<name>',
    'Container runtime: docker (Kubernetes 1.21 to 1.23), containerd (1.24 and newer), or auto: decided by the release.',
    // The stored release decides it again, so that a newer release does not contradict what was stored.
    {default: 'auto', group: 'NODE', key: 'runtime', stored: 'never'},
  ),
  toggle('enable-dsr', 'Use direct server return in kube-proxy.', {group: 'NODE', key: 'enableDSR', unchecked: true}),

  daemonArguments('kubelet', 'the kubelet', 'kubelet'),
  daemonArguments('kube-proxy', 'kube-proxy', 'kubeProxy'),
  daemonArguments('flanneld', 'flanneld', 'flanneld'),

  // What keeps it alive.
  toggle(
    'watch',
    'Install the service k8s-win, which starts daemons that have ended and repairs the overlay network. --no-watch removes it. Without either: only if this program can run as a service.',
    {default: 'true', group: 'NODE', key: 'watch.enabled'},
  ),
  toggle(
    'publish',
    'Report the health of the node to the cluster: the condition K8sWinUnhealthy and events of the Node. The default; needs --watch.',
    {default: 'true', group: 'NODE', key: 'watch.publish', unchecked: true},
  ),
  text(
    'metrics-file',
    '<x.prom>',
    'File for the textfile collector of windows_exporter, which --watch writes. Absolute, ends in .prom; none stops writing it.',
    {group: 'NODE', key: 'watch.metricsFile'},
  ),

  // Which cluster it joins, and as whom.
  text('cluster-cidr', '<cidr>', 'Pod network of the cluster. The default applies if the cluster does not report it.', {
    default: '10.244.0.0/16',
    group: 'CLUSTER',
    key: 'clusterCIDR',
    stored: 'always',
  }),
  text(
    'service-cidr',
    '<cidr>',
    'Service network of the cluster, or several with commas. The default applies if the cluster does not report it.',
    {default: '10.10.0.0/16', group: 'CLUSTER', key: 'serviceCIDR', stored: 'always'},
  ),
  text('server', '<url>', 'API server (https://<host>:<port>) to join with a token.', {
    absent: 'none: a kubeconfig is used',
    key: 'join.server',
  }),
  text(
    'token-file',
    '<file>',
    'File with the bootstrap token to join with; - prompts for it, or reads standard input.',
    {
      key: 'join.tokenFile',
      path: true,
      // A bootstrap token is valid for hours; the node needs none once it has its certificate.
      stored: 'never',
    },
  ),
  text(
    'token-from',
    '<source>',
    `Secret store to fetch the bootstrap token from, with the identity of this virtual machine. ${SOURCES}`,
    {group: 'CLUSTER', key: 'join.tokenFrom', stored: 'never', unchecked: true},
  ),
  list(
    'ca-cert-hash',
    '<hash>',
    "Hash (sha256:<hex>) of the public key of the cluster's CA, to join with a token. Repeatable.",
    {key: 'join.caCertHashes'},
  ),
  text(
    'token',
    '<token>',
    'Bootstrap token to join with. Other processes can read it from the command line: use --token-file or the variable instead.',
    {group: 'CLUSTER'},
  ),
  toggle(
    'unsafe-skip-ca-verification',
    'Join without --ca-cert-hash: whoever knows the token can pretend to be the cluster.',
    {group: 'CLUSTER'},
  ),
  text(
    'kubeconfig',
    '<file>',
    String.raw`Kubeconfig to copy to <BaseDir>\kubeconfig. Default: the file that is there.`,
    {absent: String.raw`<BaseDir>\kubeconfig is used`, key: 'kubeconfig', path: true, stored: 'never'},
  ),
  text(
    'kubeconfig-from',
    '<source>',
    String.raw`Secret store to fetch <BaseDir>\kubeconfig from, if that does not exist yet. As --token-from.`,
    {group: 'CLUSTER', key: 'kubeconfigFrom', stored: 'never', unchecked: true},
  ),
  text(
    'secret-endpoint',
    '<url>',
    'Address of the secret store of --token-from or --kubeconfig-from: a private endpoint (https://<host>).',
    {
      absent: 'that of the cloud and its region',
      group: 'CLUSTER',
      key: 'secretEndpoint',
      stored: 'never',
      unchecked: true,
    },
  ),
  list(
    'trust-secret-endpoint',
    '<host>',
    'Host that may get the credentials of this virtual machine, although it is none of AWS, Azure or Google Cloud that k8s-win knows. Only on the command line. Repeatable.',
    {absent: 'the hosts of the secret stores', group: 'CLUSTER', stored: 'never', typed: true, unchecked: true},
  ),
  kubeconfig('kubelet', 'the kubelet', 'kubelet'),
  kubeconfig('kube-proxy', 'kube-proxy', 'kubeProxy'),
  kubeconfig('flanneld', 'flanneld', 'flanneld'),
  text(
    'client-ca-file',
    '<file>',
    'CA certificates (PEM) of clients that may call the kubelet. Default: the CA of the kubeconfig.',
    {
      absent: 'the certificate authority of the kubeconfig',
      group: 'CLUSTER',
      key: 'clientCAFile',
      path: true,
      stored: 'copy',
    },
  ),
  text('cluster-dns', '<ip>', "Address of the cluster's DNS service. Default: read from the cluster.", {
    absent: 'read from the cluster',
    group: 'CLUSTER',
    key: 'clusterDNS',
  }),
  text(
    'cluster-domain',
    '<domain>',
    'DNS domain of the cluster. The default applies if the cluster does not report it.',
    {default: 'cluster.local', group: 'CLUSTER', key: 'clusterDomain', stored: 'always'},
  ),
  pairs(
    'feature-gate',
    '<name>=<true|false>',
    'Feature gate of the kubelet and kube-proxy: <name>=<true|false>. Repeatable. A node that joins with a token takes those of the cluster.',
    {group: 'CLUSTER', key: 'featureGates'},
  ),

  // What is installed.
  text(
    'release',
    '<version>',
    'Kubernetes release: 1.36.4, or 1.36 for its newest known patch. Default: the newest known for the API server; with Docker on Server 2019, 1.21.5.',
    {absent: "chosen for the API server's version and the runtime", key: 'release', stored: 'always'},
  ),
  version('flannel-version', 'Version of flanneld.', 'flannel', {default: '0.28.9', stored: 'always'}),
  version('cni-version', 'Version of the CNI plugins.', 'cni', {default: '1.9.1', stored: 'always', unchecked: true}),
  version('flannel-cni-version', 'Version of the flannel CNI plugin.', 'flannelCNI', {
    default: '1.9.1-flannel3',
    stored: 'always',
    unchecked: true,
  }),
  // It serves version 1 of the CRI only, which every kubelet from 1.24.0 on asks for first (determineAPIVersion in
  // pkg/kubelet/cri/remote): assumption containerd-old-kubelets.
  version(
    'containerd-version',
    'Version of containerd. A node keeps the one that it has until it gets another minor version of Kubernetes.',
    'containerd',
    {default: '2.3.4', unchecked: true},
  ),
  // Before 1.32 it fails on Windows (cri-tools#1426, #1566); a newer one speaks to every containerd here.
  version('crictl-version', 'Version of crictl, with containerd.', 'crictl', {default: '1.36.0', unchecked: true}),
  pairs(
    'digest',
    '<artifact>=<digest>',
    `Digest of an artifact that k8s-win has none for: <artifact>=<sha256|sha512>:<hex>. Artifacts: ${ARTIFACT_IDS.join(', ')}. Repeatable.`,
    {absent: "the catalogue's", group: 'VERSIONS', key: 'digests', unchecked: true},
  ),
  names(
    'base-images',
    '<image>',
    'Base images to pull: nanoserver, servercore. With containerd also none. Repeatable, or separated by commas.',
    {default: 'nanoserver,servercore', group: 'IMAGES', key: 'images.base', unchecked: true},
  ),
  text('nanoserver-tag', '<tag>', 'Tag of the nanoserver image. Default: the tag for this Windows build.', {
    absent: 'from the build of Windows',
    group: 'IMAGES',
    key: 'images.nanoserverTag',
  }),
  text('servercore-tag', '<tag>', 'Tag of the servercore image. Default: the tag for this Windows build.', {
    absent: 'from the build of Windows',
    group: 'IMAGES',
    key: 'images.servercoreTag',
  }),
  text(
    'image-registry',
    '<host>',
    'Registry of the base images: a mirror with the same paths. With containerd also a mirror of registry.k8s.io.',
    {default: 'mcr.microsoft.com', group: 'IMAGES', key: 'images.registry', unchecked: true},
  ),
  text(
    'registry-config',
    '<folder>',
    'Registries for containerd, with mirrors, certificates and headers: a folder in the form of its certs.d, which is copied. An empty folder removes those of the last setup.',
    {group: 'IMAGES', key: 'images.registryConfig', path: true, stored: 'copy'},
  ),

  // How to run: of one run only, so setup does not store them.
  toggle(
    'adopt',
    "Take over services, firewall rules and networks with k8s-win's names that something else created, such as the original script.",
    {group: 'RUN', key: 'adopt', stored: 'never'},
  ),
  toggle(
    'enable-features',
    'Enable the Windows feature Containers if it is not installed. Windows must then be restarted: exit code 10.',
    {group: 'UNATTENDED', key: 'enableFeatures', stored: 'never'},
  ),
  toggle(
    'allow-restart',
    'Restart Windows after 30 seconds if setup ends with exit code 10, at most 3 times. Not under launchers that restart Windows themselves.',
    {group: 'UNATTENDED', key: 'allowRestart', stored: 'never', unchecked: true},
  ),
  names('skip', '<step>', 'Skip a step; dependent steps treat it as done. Repeatable, or separated by commas.', {
    group: 'RUN',
    key: 'skip',
    stored: 'never',
    unchecked: true,
  }),
  names('ignore-check', '<check>', 'Downgrade a failed check to a warning. Repeatable, or separated by commas.', {
    group: 'RUN',
    key: 'ignoreChecks',
    stored: 'never',
  }),
  text('timeout', '<duration>', 'Time limit of the whole run: 90s, 15m, 1h.', {
    default: '30m',
    group: 'RUN',
    key: 'timeout',
    stored: 'never',
    unchecked: true,
  }),
  text('config', '<file>', 'Configuration file (YAML). Flags and environment variables take precedence.'),
  toggle('dry-run', 'Only show what would change (-WhatIf).'),
  toggle('yes', 'Do not prompt; assume yes (-Force, -Confirm:$false).'),
  toggle(
    'detach',
    'Continue as a Windows service, which outlives this session; follow it with "k8s-win attach". Over SSH and WinRM without a terminal: on, unless --no-detach is given.',
    {absent: 'false', group: 'UNATTENDED'},
  ),
  text('launcher', '<name>', LAUNCHER_SUMMARY, {absent: 'detected', group: 'UNATTENDED'}),
  text(
    'report',
    '<file.html>',
    'Write a page of this run, with a timeline, to this file (HTML). See "k8s-win report".',
    {
      group: 'RUN',
      path: true,
    },
  ),
  toggle(
    'reset',
    'Remove the node, as -Reset of the original script does. Same as "k8s-win reset"; "-Reset true" implies --yes.',
    {group: 'RUN'},
  ),
] as const

/** Only the configuration file has it. */
export const KUBELET_FIELDS = {
  absent: 'none',
  flag: 'kubelet-config',
  key: 'kubelet.config',
  kind: 'fields',
  summary:
    'Fields of the KubeletConfiguration (kubelet.config.k8s.io/v1beta1), without apiVersion and kind. They replace the values of k8s-win; what k8s-win needs is refused.',
} as const satisfies OptionSpec

/** Of those that have a flag and an environment variable. */
export type FlagName = (typeof TABLE)[number]['flag']
export type OptionFlag = FlagName | typeof KUBELET_FIELDS.flag
export type Option = OptionSpec & {readonly flag: OptionFlag}

export const OPTIONS: readonly (OptionSpec & {readonly flag: FlagName})[] = TABLE
export const ALL_OPTIONS: readonly Option[] = [...TABLE, KUBELET_FIELDS]

/** What was given, as text, before anything is checked. Undefined: what a weaker source says does not count. */
export type Given<Flag extends string> = Readonly<
  Partial<Record<Flag, boolean | string | readonly string[] | undefined>>
>
export type GivenOptions = Given<OptionFlag>

export function optionOf(flag: OptionFlag): Option {
  const found = ALL_OPTIONS.find((option) => option.flag === flag)
  if (!found) throw new Error(`no option ${flag}`)
  return found
}

/**
 * A value that may be given several times, as a list: commas separate too, and an empty text is not an entry. The arguments of
 * a daemon have commas in their values; a variable, which is one text, separates them with semicolons.
 */
export function entriesOf(given: GivenOptions[OptionFlag], kind?: OptionSpec['kind']): string[] {
  const texts = typeof given === 'object' ? given : given === undefined ? [] : [String(given)]
  const separator = kind !== 'arguments' ? ',' : typeof given === 'object' ? undefined : ';'
  return texts
    .flatMap((text) => (separator === undefined ? [text] : text.split(separator)))
    .map((text) => text.trim())
    .filter((text) => text !== '')
}

/** An entry name=value; without "=" the value is empty. */
export function splitPair(entry: string): [name: string, value: string] {
  const [, name = '', value = ''] = /^([^=]*)=?([^]*)$/.exec(entry) ?? []
  return [name, value]
}

/** K8S_WIN_BASE_DIR for base-dir. */
export function environmentVariable(flag: string): string {
  return `K8S_WIN_${flag.replaceAll('-', '_').toUpperCase()}`
}
