// What a user cannot set for a daemon, because k8s-win needs its own: by name, with the reason and what to use instead.
import type {Identity} from '../model.js'
import {OWN_GATES} from '../options/parse-option.js'
import flags from './daemon-flags.json' with {type: 'json'}
import fields from './kubelet-fields.json' with {type: 'json'}

interface ProtectedSetting {
  /** Of the kubelet: a flag begins with hyphens, a field does not, and one inside of another has a dot. */
  readonly name: string
  /** The option of setup, where there is one. */
  readonly option?: string
  readonly program: Identity
  readonly reason: string
}

const rows = (program: Identity, names: string, reason: string, option?: string): ProtectedSetting[] =>
  names.split(/\s+/).map((name) => ({name, program, reason, ...(option !== undefined && {option})}))

const OWN_OPTION = 'k8s-win has an option for it.'
const ENDS = 'The program would do only this, and end.'
const SERVICE = 'The service manager starts the daemon, and waits for its answer.'
const LOG_FILES = 'k8s-win logs and the bundle read the log where k8s-win puts it, as klog writes it.'
const FILE = 'k8s-win writes this file.'
const SECRET = 'Every user of the host can read the command line of a service, so it must not have a secret.'
const CGROUPS = 'Windows has no cgroups: the kubelet ends, or ignores it with a warning.'

const BY_NAME: readonly ProtectedSetting[] = [
  ...rows('kubelet', '--config --config-dir --dynamic-config-dir', FILE, 'kubelet.config of the configuration file'),
  ...rows('kubelet', 'apiVersion kind', FILE),
  ...rows('kubelet', '--kubeconfig', OWN_OPTION, '--kubelet-kubeconfig'),
  ...rows('kubelet', '--bootstrap-kubeconfig --experimental-bootstrap-kubeconfig', FILE, '--server'),
  ...rows('kubelet', '--cert-dir --root-dir', 'k8s-win closes this folder, and reset removes what is in it.'),
  ...rows('kubelet', '--hostname-override', OWN_OPTION, '--node-name'),
  ...rows('kubelet', '--node-ip', OWN_OPTION, '--node-ip'),
  ...rows('kubelet', '--windows-service', SERVICE),
  ...rows(
    'kubelet',
    `--container-runtime --container-runtime-endpoint containerRuntimeEndpoint
      --image-service-endpoint imageServiceEndpoint`,
    OWN_OPTION,
    '--runtime',
  ),
  ...rows('kubelet', '--docker-endpoint', OWN_OPTION, '--docker-endpoint'),
  ...rows('kubelet', '--network-plugin --cni-bin-dir --cni-conf-dir', 'k8s-win installs the CNI plugins there.'),
  ...rows('kubelet', '--cgroups-per-qos cgroupsPerQOS --enforce-node-allocatable enforceNodeAllocatable', CGROUPS),
  ...rows('kubelet', '--cluster-dns clusterDNS', OWN_OPTION, '--cluster-dns'),
  ...rows('kubelet', '--cluster-domain clusterDomain', OWN_OPTION, '--cluster-domain'),
  ...rows('kubelet', '--client-ca-file authentication.x509.clientCAFile', OWN_OPTION, '--client-ca-file'),
  ...rows(
    'kubelet',
    '--pod-manifest-path staticPodPath --manifest-url --manifest-url-header staticPodURL staticPodURLHeader',
    'Whoever can change what the kubelet reads there would run pods here that the cluster has not admitted.',
  ),
  ...rows(
    'kubelet',
    '--healthz-port healthzPort --healthz-bind-address healthzBindAddress',
    'setup, status and watch ask the kubelet at its default address for its health.',
  ),
  ...rows(
    'kubelet',
    '--port port --address address --enable-server enableServer',
    'The cluster and status reach the kubelet at port 10250 of the node, which a firewall rule of k8s-win opens.',
  ),
  ...rows(
    'kubelet',
    '--volume-plugin-dir volumePluginDir',
    'The kubelet runs the programs in this folder as SYSTEM: k8s-win closes the default one.',
  ),
  ...rows('kubelet', 'podLogsDir', 'k8s-win closes the default folder, and reset removes what is in it.'),
  ...rows(
    'kubelet',
    '--rotate-certificates rotateCertificates',
    'It follows from the kubeconfig: a kubelet without a certificate has none to renew.',
  ),
  ...rows('kubelet', '--node-labels', OWN_OPTION, '--node-label'),
  ...rows('kubelet', '--register-with-taints registerWithTaints', OWN_OPTION, '--taint'),
  ...rows(
    'kubelet',
    '--register-node --register-schedulable registerNode',
    'Without it the node would get no pod network, or no pods.',
  ),
  ...rows('kubelet', OWN_GATES.map((gate) => `featureGates.${gate}`).join(' '), 'The overlay network needs it.'),
  ...rows('kubelet', '--log-dir --log-file --logtostderr --logging-format logging.format', LOG_FILES),
  ...rows('kubelet', '--help --version --runonce runOnce', ENDS),
  ...rows('kube-proxy', '--config --write-config-to', 'With a configuration file kube-proxy ignores its flags.'),
  ...rows('kube-proxy', '--kubeconfig', OWN_OPTION, '--kube-proxy-kubeconfig'),
  ...rows('kube-proxy', '--proxy-mode', 'kernelspace is the only mode on Windows.'),
  ...rows('kube-proxy', '--network-name --source-vip', 'It belongs to the overlay network that k8s-win sets up.'),
  ...rows('kube-proxy', '--cluster-cidr', OWN_OPTION, '--cluster-cidr'),
  ...rows('kube-proxy', '--hostname-override', OWN_OPTION, '--node-name'),
  ...rows('kube-proxy', '--bind-address', OWN_OPTION, '--node-ip'),
  ...rows(
    'kube-proxy',
    '--healthz-bind-address --healthz-port',
    'The firewall rule of k8s-win opens port 10256, where setup and load balancers ask for the health.',
  ),
  ...rows('kube-proxy', '--enable-dsr', OWN_OPTION, '--enable-dsr'),
  ...rows('kube-proxy', '--windows-service', SERVICE),
  ...rows('kube-proxy', '--log-dir --log-file --logtostderr --logging-format', LOG_FILES),
  ...rows('kube-proxy', '--cleanup --help --init-only --version', ENDS),
  ...rows('flanneld', '--kubeconfig-file', OWN_OPTION, '--flanneld-kubeconfig'),
  ...rows('flanneld', '--iface', OWN_OPTION, '--node-ip'),
  ...rows('flanneld', '--kube-subnet-mgr', 'The pod network of a node is assigned by the cluster.'),
  ...rows('flanneld', '--iptables-forward-rules', 'Windows has no iptables.'),
  ...rows('flanneld', '--ip-masq', 'On Windows it only adds a second OutBoundNAT policy beside that of k8s-win.'),
  ...rows('flanneld', '--kube-annotation-prefix', 'All nodes of a cluster must use the same.'),
  ...rows('flanneld', '--net-config-path', FILE),
  ...rows('flanneld', '--subnet-file', 'The CNI plugin reads the file where flanneld writes it by default.'),
  ...rows('flanneld', '--etcd-password', SECRET),
  ...rows('flanneld', '--help --version', ENDS),
]

/** What the value of a setting names (`is` in the data), and why a user does not choose it here. */
const REASONS: Readonly<Record<string, string>> = {
  identity: 'The kubeconfig of the daemon says as whom it calls the API server, and k8s-win judges that file.',
  interface: 'The overlay network is on the interface of the address of the node, which k8s-win passes.',
  path: 'The daemon, which runs as SYSTEM, would read or write files there that k8s-win does not protect.',
  server: 'The kubeconfig of the daemon says which API server it obeys, and k8s-win judges that file.',
}

const OPTIONS_OF: Readonly<Record<string, string>> = {
  'flanneld --iface-can-reach': '--node-ip',
  'flanneld --iface-regex': '--node-ip',
  'flanneld --kube-api-url': '--flanneld-kubeconfig',
  'kube-proxy --master': '--kube-proxy-kubeconfig',
  // With it the cluster signs the certificate, for a key that never leaves a folder for administrators.
  'kubelet --tls-cert-file': 'serverTLSBootstrap of kubelet.config',
  'kubelet --tls-private-key-file': 'serverTLSBootstrap of kubelet.config',
  'kubelet tlsCertFile': 'serverTLSBootstrap of kubelet.config',
  'kubelet tlsPrivateKeyFile': 'serverTLSBootstrap of kubelet.config',
}

/** Paths of which the check `credential-provider` demands that only administrators can change what is there. */
const JUDGED: ReadonlySet<string> = new Set([
  '--image-credential-provider-bin-dir',
  '--image-credential-provider-config',
])

type Table = Readonly<Record<string, object>>

const byKind = (program: Identity, table: Table, hyphens: string): ProtectedSetting[] =>
  Object.entries(table).flatMap(([word, entry]) => {
    const name = `${hyphens}${word}`
    const reason = 'is' in entry ? REASONS[String(entry.is)] : undefined
    if (reason === undefined || JUDGED.has(name)) return []
    if (BY_NAME.some((one) => one.program === program && one.name === name)) return []
    return rows(program, name, reason, OPTIONS_OF[`${program} ${name}`])
  })

export const PROTECTED: readonly ProtectedSetting[] = [
  ...BY_NAME,
  ...byKind('kubelet', flags.kubelet, '--'),
  ...byKind('kubelet', fields.types.KubeletConfiguration, ''),
  ...byKind('kube-proxy', flags['kube-proxy'], '--'),
  ...byKind('flanneld', flags.flanneld, '--'),
]

export const protectedAs = (program: Identity, name: string): ProtectedSetting | undefined =>
  PROTECTED.find((one) => one.program === program && one.name === name)

export const insteadOf = ({option}: ProtectedSetting): string =>
  option === undefined ? 'a value for another setting' : `another setting: this one is the option ${option}`
