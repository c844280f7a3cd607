// What is downloaded: where from, and which members are wanted. The digests are in digests.ts.
import type {ArtifactId} from '../config/artifact-ids.js'
import type {Decided, Digest} from '../config/model.js'
import {isBelow} from '../config/version.js'
import type {KnownDigest} from './digests.js'

export interface Artifact {
  /** As --digest gives it. */
  readonly digest?: KnownDigest
  /** Name in the downloads folder. */
  readonly fileName: string
  readonly id: ArtifactId
  /** No release of it comes near: more is not what was asked for, and is not saved. */
  readonly maxBytes: number
  /** Name in the archive → name on the node; undefined where the artifact is the program itself. */
  readonly members?: Readonly<Record<string, string>>
  /** Where its publisher puts the digest. */
  readonly sidecar?: {readonly algorithm: Digest['algorithm']; readonly url: string}
  readonly url: string
  readonly version: string
}

/** In MiB. The node archive of Kubernetes has 100 to 300, cni-plugins and flannel 10 to 60. */
const LARGEST: Readonly<Record<ArtifactId, number>> = {
  'cni-plugins': 256,
  containerd: 512,
  crictl: 128,
  'flannel-cni': 128,
  flanneld: 256,
  kubernetes: 1024,
  shawl: 64,
}

export function kubernetesArtifact(config: Decided): Artifact {
  const version = config.release.text
  const url = `https://dl.k8s.io/v${version}/kubernetes-node-windows-amd64.tar.gz`
  const programs = ['kubeadm.exe', 'kubectl.exe', 'kubelet.exe', 'kube-proxy.exe']
  // Writes the log files of the services from the release on that does not write them itself (components/log-runner.ts).
  if (!isBelow(config.release, 1, 26)) programs.push('kube-log-runner.exe')
  return artifact(config, 'kubernetes', version, url, {
    fileName: `kubernetes-node-windows-amd64-v${version}.tar.gz`,
    members: Object.fromEntries(programs.map((name) => [`kubernetes/node/bin/${name}`, name])),
    sidecar: {algorithm: 'sha512', url: `${url}.sha512`},
  })
}

/** The daemon, its shim, which starts each pod, and ctr. */
export function containerdArtifact(config: Decided): Artifact {
  const version = config.versions.containerd.text
  const fileName = `containerd-${version}-windows-amd64.tar.gz`
  const url = `https://github.com/containerd/containerd/releases/download/v${version}/${fileName}`
  const programs = ['containerd.exe', 'containerd-shim-runhcs-v1.exe', 'ctr.exe']
  return artifact(config, 'containerd', version, url, {
    fileName,
    members: Object.fromEntries(programs.map((name) => [`bin/${name}`, name])),
    sidecar: {algorithm: 'sha256', url: `${url}.sha256sum`},
  })
}

export function crictlArtifact(config: Decided): Artifact {
  const version = config.versions.crictl.text
  const fileName = `crictl-v${version}-windows-amd64.tar.gz`
  const url = `https://github.com/kubernetes-sigs/cri-tools/releases/download/v${version}/${fileName}`
  return artifact(config, 'crictl', version, url, {
    fileName,
    members: {'crictl.exe': 'crictl.exe'},
    sidecar: {algorithm: 'sha256', url: `${url}.sha256`},
  })
}

export function cniPluginsArtifact(config: Decided): Artifact {
  const version = config.versions.cni.text
  const fileName = `cni-plugins-windows-amd64-v${version}.tgz`
  const url = `https://github.com/containernetworking/plugins/releases/download/v${version}/${fileName}`
  return artifact(config, 'cni-plugins', version, url, {
    fileName,
    members: {'host-local.exe': 'host-local.exe', 'win-overlay.exe': 'win-overlay.exe'},
    sidecar: {algorithm: 'sha256', url: `${url}.sha256`},
  })
}

export function flannelCniArtifact(config: Decided): Artifact {
  const version = config.versions.flannelCNI.text
  const url = `https://github.com/flannel-io/cni-plugin/releases/download/v${version}/flannel-amd64.exe`
  return artifact(config, 'flannel-cni', version, url, {fileName: `flannel-amd64-v${version}.exe`})
}

export function flanneldArtifact(config: Decided): Artifact {
  const version = config.versions.flannel.text
  const url = `https://github.com/flannel-io/flannel/releases/download/v${version}/flanneld.exe`
  return artifact(config, 'flanneld', version, url, {fileName: `flanneld-v${version}.exe`})
}

/** Comes with k8s-win, not by download: which one does not follow from the configuration (Assets.shawlVersion). */
export function shawlArtifact(config: Decided, version = '1.3.0'): Artifact {
  return artifact(config, 'shawl', version, `shawl ${version}, inside k8s-win`, {fileName: `shawl-v${version}.exe`})
}

function artifact(
  config: Decided,
  id: ArtifactId,
  version: string,
  url: string,
  rest: Pick<Artifact, 'fileName' | 'members' | 'sidecar'>,
): Artifact {
  const given = config.digests[id]
  return {
    ...rest,
    ...(given && {digest: {...given, source: `--digest ${id}`}}),
    id,
    maxBytes: LARGEST[id] * 1024 ** 2,
    url,
    version,
  }
}
