// The stable names of what is downloaded: --digest, the catalogue, folders of programs.

export const ARTIFACT_IDS = [
  'kubernetes',
  'containerd',
  'crictl',
  'cni-plugins',
  'flannel-cni',
  'flanneld',
  'shawl',
] as const
export type ArtifactId = (typeof ARTIFACT_IDS)[number]
