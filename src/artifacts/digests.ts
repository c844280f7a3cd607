// The digests of downloads that k8s-win knows. They are data, read only where a download is verified or planned: status
// does not load them.
import type {Digest} from '../config/model.js'
import type {Artifact} from './catalog.js'

export interface KnownDigest extends Digest {
  /** The source of the digest, for messages. */
  readonly source: string
}

type Pins = Readonly<Record<string, Readonly<Record<string, {digest: string; sources: readonly string[]}>>>>

/** Setup loads them before its steps begin. */
let data: Promise<readonly [Readonly<Record<string, string>>, Pins]> | undefined
export const loadDigests = () =>
  (data ??= Promise.all([
    import('./kubernetes-digests.json', {with: {type: 'json'}}).then(
      (module): Readonly<Record<string, string>> => module.default,
    ),
    import('./pins.json', {with: {type: 'json'}}).then((module) => module.default as Pins),
  ]))

/** The digest of --digest, else the pinned one. Undefined for a version that only its publisher has a digest of. */
export async function knownDigest({digest, id, version}: Artifact): Promise<KnownDigest | undefined> {
  if (digest) return digest
  const [kubernetes, pins] = await loadDigests()
  if (id === 'kubernetes') {
    const pinned = kubernetes[version]
    return pinned === undefined ? undefined : {...parsed(pinned), source: 'CHANGELOG of kubernetes/kubernetes'}
  }

  const pin = pins[id]?.[version]
  return pin && {...parsed(pin.digest), source: pin.sources.join(', ')}
}

/** The sha512 of kubernetes-node-windows-amd64.tar.gz by release, oldest first. */
export async function kubernetesDigests(): Promise<Readonly<Record<string, string>>> {
  return (await loadDigests())[0]
}

/** The newest patch of a minor that is pinned; undefined for a minor without one. */
export async function newestRelease(minor: number): Promise<string | undefined> {
  return Object.keys(await kubernetesDigests()).findLast((release) => release.startsWith(`1.${minor}.`))
}

function parsed(text: string): Digest {
  const [algorithm = '', hex = ''] = text.split(':')
  return {algorithm: algorithm as Digest['algorithm'], hex}
}
