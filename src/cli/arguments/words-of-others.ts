// Words of kubeadm, kubectl, rke2, eksctl and the original scripts (Nirmata's, SIG Windows' and Microsoft's SDN), and what
// they are called here: for "Did you mean". Case and dashes do not matter.
import {plainName} from '../../config/nearest.js'

/** By command. */
export const COMMANDS_OF_OTHERS: Readonly<Record<string, string>> = {
  attach: 'follow',
  doctor: 'check diagnose preflight troubleshoot validate',
  explain: 'error errors why',
  'logs --bundle support.zip': 'bundle dump must-gather support support-bundle',
  'manifest flannel': 'cni flannel network',
  'manifest node-access': 'rbac',
  recover: 'fix repair',
  report: 'html timeline',
  reset: 'clean cleanup cordon delete destroy drain leave remove rm undo uninstall unjoin',
  setup: 'add agent apply bootstrap create deploy init install join node provision register server start.ps1 up',
  'setup --dry-run': 'diff plan',
  status: 'describe get health info ls ps',
  upgrade: 'update',
  userdata: 'cloud-init cloudinit ignition startup-script user-data',
  verify: 'conformance smoke test',
}

/** By flag: the first of these that the command has. */
export const FLAGS_OF_OTHERS: Readonly<Record<string, string>> = {
  'base-dir': 'base-directory data-dir dest-dir dir install-dir root-dir',
  'base-images': 'images',
  'ca-cert-hash': 'ca-hash discovery-token-ca-cert-hash',
  'cluster-cidr': 'cluster-pool-cidr pod-cidr pod-network pod-network-cidr pod-subnet',
  'cluster-dns': 'cluster-dns-ip dns-ip dns-service-ip kube-dns-service-ip',
  'cluster-domain': 'dns-domain service-dns-domain',
  config: 'config-file f file filename',
  'dry-run': 'diff noop plan',
  'feature-gate': 'feature-gates',
  'ignore-check': 'ignore-preflight-errors skip-preflight-checks',
  'image-registry': 'image-repository private-registry registry system-default-registry',
  'interface-name': 'adapter adapter-name flannel-iface iface interface network-adapter',
  kubeconfig: 'bootstrap-kubeconfig discovery-file kubeconfig-file',
  level: 'log-level severity',
  'nanoserver-tag': 'nano-server-image-tag nanos-server-image-tag',
  'node-ip': 'advertise-address apiserver-advertise-address management-ip node-address',
  'node-label': 'label labels node-labels',
  'node-name': 'hostname hostname-override name',
  output: 'format',
  purge: 'all remove-all',
  release: 'k8s-version kube-version kubernetes-version',
  runtime: 'container-runtime container-runtime-endpoint cri cri-socket',
  server: 'api-server api-server-endpoint control-plane-endpoint master server-url',
  'servercore-tag': 'server-core-image-tag',
  'service-cidr': 'service-cluster-ip-range service-subnet svc-cidr',
  skip: 'skip-phases skip-steps',
  tail: 'last lines n',
  taint: 'node-taint node-taints register-with-taints taints',
  'token-file': 'agent-token bootstrap-token discovery-token join-token tls-bootstrap-token',
  'unsafe-skip-ca-verification': 'discovery-token-unsafe-skip-ca-verification insecure-skip-tls-verify',
  verbose: 'debug log-level trace',
  yes: 'approve assume-yes f no-prompt non-interactive y',
}

/** What is not a flag of a command. */
const NO_FLAGS: Readonly<Record<string, string>> = {
  '"k8s-win --version"': 'version',
  'the environment variable HTTPS_PROXY': 'http-proxy https-proxy proxy web-proxy',
}

const named = (table: Readonly<Record<string, string>>, word: string): string[] =>
  Object.keys(table).filter((name) => table[name]?.split(' ').some((one) => plainName(one) === plainName(word)))

export const commandMeant = (word: string): string | undefined => named(COMMANDS_OF_OTHERS, word)[0]

export const flagMeant = (word: string, flags: readonly string[]): string | undefined =>
  named(FLAGS_OF_OTHERS, word).find((name) => flags.includes(name))

export const otherMeant = (word: string): string | undefined => named(NO_FLAGS, word)[0]
