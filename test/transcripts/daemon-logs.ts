// Why kubelet and kube-proxy ended, by recording: the last words of their logs, read by eye.
const NO_FILE = 'File not found.'

export const LAST_WORDS: Readonly<Record<string, string>> = {
  'kube-proxy/cluster-cidr-no-cidr': 'Invalid value: "10.244.0.0": must be a valid CIDR block',
  'kube-proxy/kubeconfig-missing': String.raw`CreateFile C:\k\gone: ${NO_FILE}`,
  'kube-proxy/our-command-line': 'unable to create proxier: failed to select a host interface',
  'kube-proxy/unknown-feature-gate': 'failed complete: unrecognized feature gate: Nonsense',
  'kube-proxy/unknown-proxy-mode': 'Invalid value: "nonsense": must be kernelspace,userspace or blank',
  'kubelet/cgroups-per-qos': 'CgroupsPerQOS',
  'kubelet/config-bad-type': 'KubeletConfiguration.ReadOnlyPort: readUint32: unexpected character',
  'kubelet/config-missing': String.raw`failed to load Kubelet config file C:\k\gone.yaml`,
  'kubelet/config-no-kind': 'failed to load Kubelet config file',
  'kubelet/config-no-yaml': 'yaml: line 1: did not find expected node content',
  'kubelet/config-other-kind': 'no kind "Config" is registered',
  'kubelet/config-unknown-field': `failed to run Kubelet: ${NO_FILE}`,
  'kubelet/enforce-node-allocatable': 'EnforceNodeAllocatable',
  'kubelet/forbidden-label': 'kubernetes.io/nonsense',
  'kubelet/kubeconfig-missing': String.raw`unable to load kubeconfig: CreateFile C:\k\gone: ${NO_FILE}`,
  'kubelet/our-command-line': `failed to run Kubelet: ${NO_FILE}`,
  'kubelet/unknown-feature-gate': 'unrecognized feature gate: Nonsense',
}
