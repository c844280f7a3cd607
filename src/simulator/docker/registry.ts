// The image registry behind the simulated Docker: Windows base images, under Microsoft's name or any mirror's.
import {createHash} from 'node:crypto'

export interface RegistryImage {
  readonly digest: string
  readonly id: string
  /** Digests, the short IDs that Docker shows, and sizes in bytes. */
  readonly layers: readonly {readonly digest: string; readonly id: string; readonly size: number}[]
  readonly osVersion: string
  /** The path without the registry, as "Pulling from" shows it. */
  readonly path: string
  readonly size: number
}

/** Patch levels of the moving tags; every full version of these builds exists, too. */
const PATCH_LEVELS: Readonly<Record<number, number>> = {
  17763: 2237,
  20348: 288,
  26100: 1742,
}

/** docs/facts.md#windows-builds. Neither repository has a tag "latest". */
const TAGS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  nanoserver: {'1809': 17763, ltsc2022: 20348, ltsc2025: 26100},
  servercore: {ltsc2019: 17763, ltsc2022: 20348, ltsc2025: 26100},
}

/** Builds in the index of each tag (registry.k8s.io/pause; build/pause/CHANGELOG.md of kubernetes/kubernetes). */
const PAUSE_BUILDS: Readonly<Record<string, readonly number[]>> = {
  ...Object.fromEntries(['3.6', '3.7', '3.8', '3.9', '3.10', '3.10.1'].map((tag) => [tag, [17763, 20348]])),
  '3.10.2': [17763, 20348, 26100],
}

const MEGABYTES: Readonly<Record<string, readonly number[]>> = {
  nanoserver: [103],
  pause: [103, 1],
  servercore: [1530, 740],
}

export function splitReference(reference: string): {name: string; tag: string} {
  const colon = reference.lastIndexOf(':')
  return colon > reference.lastIndexOf('/')
    ? {name: reference.slice(0, colon), tag: reference.slice(colon + 1)}
    : {name: reference, tag: 'latest'}
}

/** A name stands for one image only: it is taken from the others. */
export function nameImage<T extends {tags: string[]}>(images: readonly T[], image: T, tag: string): void {
  for (const other of images) if (other !== image) other.tags = other.tags.filter((one) => one !== tag)
  if (!image.tags.includes(tag)) image.tags.push(tag)
}

/** Undefined if the registry has no such repository or tag. */
export function findInRegistry(name: string, tag: string): RegistryImage | undefined {
  const [, repository = ''] = /^[^/][^/.:]*[.:][^/]*\/(?:.*\/)?windows\/(nanoserver|servercore)$/.exec(name) ?? []
  const osVersion = TAGS[repository] && versionOf(repository, tag)
  return osVersion === undefined ? undefined : imageOf(repository, osVersion, name)
}

/** The Windows images of a tag, as its index lists them. */
export function findIndex(name: string, tag: string): readonly RegistryImage[] | undefined {
  const single = findInRegistry(name, tag)
  if (single) return [single]
  if (!/^[^/][^/.:]*[.:][^/]*\/(?:.*\/)?pause$/.test(name)) return undefined
  // The digest is the index's.
  const digest = `sha256:${sha256(`index pause ${tag}`)}`
  return PAUSE_BUILDS[tag]?.map((build) => ({
    ...imageOf('pause', `10.0.${build}.${PATCH_LEVELS[build]}`, name, tag),
    digest,
  }))
}

function imageOf(repository: string, osVersion: string, name: string, tag = ''): RegistryImage {
  const seed = [repository, tag, osVersion].filter(Boolean).join(' ')
  const layers = (MEGABYTES[repository] ?? []).map((megabytes, index) => {
    const hash = sha256(`layer ${seed} ${index}`)
    return {digest: `sha256:${hash}`, id: hash.slice(0, 12), size: megabytes * 1_000_000}
  })
  return {
    digest: `sha256:${sha256(`manifest ${seed}`)}`,
    id: `sha256:${sha256(`image ${seed}`)}`,
    layers,
    osVersion,
    path: name.slice(name.indexOf('/') + 1),
    size: Math.round(layers.reduce((sum, {size}) => sum + size, 0) * 2.5),
  }
}

function versionOf(repository: string, tag: string): string | undefined {
  const [, full] = /^10\.0\.(\d+)\.\d+(?:-amd64)?$/.exec(tag) ?? []
  if (full !== undefined) return PATCH_LEVELS[Number(full)] === undefined ? undefined : tag.replace('-amd64', '')
  const build = TAGS[repository]?.[tag]
  return build === undefined ? undefined : `10.0.${build}.${PATCH_LEVELS[build]}`
}

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
