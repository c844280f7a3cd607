// The stable names of the steps, in their order: --skip, journal, JSON, docs.

export const STEP_IDS = [
  'base-dir',
  'fetch-binaries',
  'drain-node',
  'docker',
  'containerd-binaries',
  'containerd-config',
  'containerd-service',
  'base-images',
  'pause-image',
  'sandbox-image',
  'kubernetes-binaries',
  'cni-binaries',
  'flannel-binary',
  'machine-environment',
  'net-conf',
  'kubelet-config',
  'firewall-rules',
  'kubelet-service',
  'node-certificate',
  'node-registered',
  'external-network',
  'flanneld-service',
  'overlay-network',
  'source-vip',
  'kubeproxy-service',
  'cni-config',
  'node-ready',
  'uncordon-node',
] as const

export type StepId = (typeof STEP_IDS)[number]
