// The artifacts of the simulated mirror: their URLs, contents and real sizes.
import {gzipSync} from 'node:zlib'

import {isAtLeast} from '../versions.js'
import {makeStandIn} from './stand-in.js'
import {writeTar} from '../../machine/tar.js'

export type ArtifactId = 'cni-plugins' | 'containerd' | 'crictl' | 'flannel-cni' | 'flanneld' | 'kubernetes'

export interface MirrorArtifact {
  readonly id: ArtifactId
  readonly url: string
  /** Without "v". */
  readonly version: string
}

interface ArtifactKind {
  /** About the real size, which decides how long a download takes. */
  readonly megabytes: number
  /** The members of an archive; undefined for a single program. */
  readonly members?: (version: string) => readonly string[]
  /** The member that a "missing-member" fault leaves out. */
  readonly needed?: string
  /** Published digests by the end of their name (docs/facts.md#downloads): alone, or in a line as sha256sum writes it. */
  readonly sidecars: Readonly<Partial<Record<string, 'bare' | 'line'>>>
  readonly url: (version: string) => string
}

const GITHUB = 'https://github.com'
export const ARTIFACT_KINDS: Readonly<Record<ArtifactId, ArtifactKind>> = {
  'cni-plugins': {
    megabytes: 10,
    // Without flannel.exe since v1.0.0 (docs/facts.md#cni-configuration).
    members: (version) => [
      './LICENSE',
      './README.md',
      ...(isAtLeast(version, '1.0.0') ? [] : ['./flannel.exe']),
      './host-local.exe',
      './win-bridge.exe',
      './win-overlay.exe',
    ],
    needed: './win-overlay.exe',
    sidecars: {sha256: 'line', sha512: 'line'},
    url: (version) =>
      `${GITHUB}/containernetworking/plugins/releases/download/v${version}/cni-plugins-windows-amd64-v${version}.tgz`,
  },
  // containerd, Makefile (pack_release) and Makefile.windows of 1.7.25 and 2.3.4: the same names.
  containerd: {
    megabytes: 40,
    members: () => [
      'bin/ctr.exe',
      'bin/containerd.exe',
      'bin/containerd-stress.exe',
      'bin/containerd-shim-runhcs-v1.exe',
    ],
    needed: 'bin/containerd.exe',
    sidecars: {sha256sum: 'line'},
    url: (version) =>
      `${GITHUB}/containerd/containerd/releases/download/v${version}/containerd-${version}-windows-amd64.tar.gz`,
  },
  // cri-tools, hack/release.sh.
  crictl: {
    megabytes: 18,
    members: () => ['crictl.exe'],
    needed: 'crictl.exe',
    sidecars: {sha256: 'bare', sha512: 'bare'},
    url: (version) =>
      `${GITHUB}/kubernetes-sigs/cri-tools/releases/download/v${version}/crictl-v${version}-windows-amd64.tar.gz`,
  },
  'flannel-cni': {
    megabytes: 3,
    sidecars: {},
    url: (version) => `${GITHUB}/flannel-io/cni-plugin/releases/download/v${version}/flannel-amd64.exe`,
  },
  flanneld: {
    megabytes: 45,
    sidecars: {},
    url: (version) => `${GITHUB}/flannel-io/flannel/releases/download/v${version}/flanneld.exe`,
  },
  kubernetes: {
    megabytes: 88,
    members: (version) => [
      'kubernetes/LICENSES',
      ...(isAtLeast(version, '1.23.0') ? ['kubernetes/node/bin/kube-log-runner.exe'] : []),
      'kubernetes/node/bin/kube-proxy.exe',
      'kubernetes/node/bin/kubeadm.exe',
      'kubernetes/node/bin/kubectl.exe',
      'kubernetes/node/bin/kubelet.exe',
    ],
    needed: 'kubernetes/node/bin/kubelet.exe',
    sidecars: {sha512: 'bare'},
    url: (version) => `https://dl.k8s.io/v${version}/kubernetes-node-windows-amd64.tar.gz`,
  },
}

export function artifactOf(id: ArtifactId, version: string): MirrorArtifact {
  return {id, url: ARTIFACT_KINDS[id].url(version), version}
}

/** Undefined if the mirror has nothing at this URL. */
export function artifactAt(url: string): MirrorArtifact | undefined {
  const {pathname} = new URL(url)
  // coreos is the old name of the flannel organisation, and redirects.
  const wanted = url.replace('//github.com/coreos/', '//github.com/flannel-io/')
  const version = /\/v(\d+\.\d+\.\d+(?:-[\w.]+)?)\//.exec(pathname)?.[1]
  if (version === undefined) return undefined
  const ids = Object.keys(ARTIFACT_KINDS) as ArtifactId[]
  const found = ids.map((id) => artifactOf(id, version)).find((artifact) => artifact.url === wanted)
  return found && {...found, url}
}

/** The stand-in's bytes, always the same; `broken` leaves a member out. */
export function artifactBytes({id, version}: MirrorArtifact, broken = false): Buffer {
  const {members, needed} = ARTIFACT_KINDS[id]
  if (!members) return makeStandIn({name: id === 'flannel-cni' ? 'flannel' : id, version: `v${version}`})
  const names = members(version).filter((name) => !broken || name !== needed)
  return gzip(writeTar(names.map((name) => ({content: memberBytes(name, version), name}))))
}

/** Stored, without the fields that depend on the platform and the library: the same bytes everywhere. */
function gzip(tar: Buffer): Buffer {
  const bytes = gzipSync(tar, {level: 0})
  bytes[8] = 0
  bytes[9] = 255
  return bytes
}

function memberBytes(name: string, version: string): Buffer {
  const program = /(?<![\w-])([\w-]+)\.exe$/.exec(name)?.[1]
  return program ? makeStandIn({name: program, version: `v${version}`}) : Buffer.from(`${name}: a stand-in\n`)
}
