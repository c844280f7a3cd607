// The digests of downloads that k8s-win knows. They are data, read only where a download is verified or planned: status
// does not load them.
import type {Digest} from '../config/model.js'
import type {Artifact} from './catalog.js'

export interface KnownDigest extends Digest {
  /** The source of the digest, for messages. */
  readonly source: string
}

type Pins = Readonly<Record<string, Readonly<Record<string, {digest: string; sources: readonly string[]}>>>>

/** The digest of --digest, else the pinned one. Undefined for a version that only its publisher has a digest of. */
export async function knownDigest({digest, id, version}: Artifact): Promise<KnownDigest | undefined> {
  if (digest) return digest
  if (id === 'kubernetes') {
    const pinned = (await kubernetesDigests())[version]
    return pinned === undefined ? undefined : {...parsed(pinned), source: 'CHANGELOG of kubernetes/kubernetes'}
  }

  const {default: pins} = (await import('./pins.json', {with: {type: 'json'}})) as {default: Pins}
  const pin = pins[id]?.[version]
  return pin && {...parsed(pin.digest), source: pin.sources.join(', ')}
}

/** The sha512 of kubernetes-node-windows-amd64.tar.gz by release, oldest first. */
export async function kubernetesDigests(): Promise<Readonly<Record<string, string>>> {
  return (await import('./kubernetes-digests.json', {with: {type: 'json'}})).default
}

/** The newest patch of a minor that is pinned; undefined for a minor without one. */
export async function newestRelease(minor: number): Promise<string | undefined> {
  return Object.keys(await kubernetesDigests()).findLast((release) => release.startsWith(`1.${minor}.`))
}

function parsed(text: string): Digest {
  const [algorithm = '', hex = ''] = text.split(':')
  return {algorithm: algorithm as Digest['algorithm'], hex}
}
