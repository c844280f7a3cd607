// The content store of the simulated containerd: the blobs of its images, and the transfers of pulls under way.
import {findIndex, type RegistryImage, sha256, splitReference} from '../docker/registry.js'
import type {World} from '../world.js'
import {imagesIn} from './images.js'
import {KUBERNETES_NAMESPACE} from './state.js'

export interface Blob {
  readonly digest: string
  readonly labels: Readonly<Record<string, string>>
  readonly size: number
  /** Where k8s-win may read it: indexes and manifests. */
  readonly text?: string
}

/** A transfer that has not ended. */
export interface Ingest {
  bytes: number
  readonly ref: string
}

/** A pull under way. It ends with the process that simulates it, so machine.json does not have it. */
export interface PullContent {
  readonly active: Map<string, Ingest>
  readonly blobs: readonly Blob[]
}

const PULLS = new WeakMap<World, Set<PullContent>>()
const pullsOf = (world: World): ReadonlySet<PullContent> => PULLS.get(world) ?? new Set()

/** Up to three layers are loaded at once (max_concurrent_downloads), and no image here has more: all are active. */
export function beginPull(world: World, name: string, image: RegistryImage): PullContent {
  const active = image.layers.map(({digest}) => [digest, {bytes: 0, ref: `layer-${digest}`}] as const)
  const pull = {active: new Map<string, Ingest>(active), blobs: blobsOf(name, image)}
  PULLS.set(world, new Set([...pullsOf(world), pull]))
  return pull
}

export function endPull(world: World, pull: PullContent): void {
  PULLS.set(world, new Set([...pullsOf(world)].filter((one) => one !== pull)))
}

/** Only the CRI pulls here. */
export const ingestsIn = (world: World, namespace: string): Ingest[] =>
  namespace === KUBERNETES_NAMESPACE ? [...pullsOf(world)].flatMap(({active}) => [...active.values()]) : []

export function blobsIn(world: World, namespace: string): Blob[] {
  const complete = imagesIn(world, namespace).flatMap(({id, tags}) =>
    tags.flatMap((reference) => {
      const {name, tag} = splitReference(reference)
      const image = findIndex(name, tag)?.find((one) => one.id === id)
      return image ? blobsOf(reference, image) : []
    }),
  )
  const pulled = namespace === KUBERNETES_NAMESPACE ? [...pullsOf(world)] : []
  const stored = pulled.flatMap(({active, blobs}) => blobs.filter(({digest}) => !active.has(digest)))
  return [...new Map([...complete, ...stored].map((blob) => [blob.digest, blob])).values()]
}

/** With the labels of core/remotes/docker, AppendDistributionSourceLabel, and core/images, ChildGCLabels. */
function blobsOf(reference: string, {digest, id, layers}: RegistryImage): Blob[] {
  const {name} = splitReference(reference.split('@')[0] ?? '')
  const [host = ''] = name.split('/', 1)
  const source = {[`containerd.io/distribution.source.${host.replace(/:\d+$/, '')}`]: name.slice(host.length + 1)}
  const gc = 'containerd.io/gc.ref.content'
  const type = 'application/vnd.docker.distribution.manifest'
  const rows = layers.map((layer) => ({digest: layer.digest, mediaType: LAYER_TYPE, size: layer.size}))
  const manifest = JSON.stringify({config: {digest: id}, layers: rows, mediaType: `${type}.v2+json`, schemaVersion: 2})
  const manifestDigest = `sha256:${sha256(manifest)}`
  const index = JSON.stringify({manifests: [{digest: manifestDigest}], mediaType: `${type}.list.v2+json`})
  const children = Object.fromEntries(layers.map((layer, at) => [`${gc}.l.${at}`, layer.digest]))
  return [
    {digest, labels: {...source, [`${gc}.m.0`]: manifestDigest}, size: index.length, text: index},
    {
      digest: manifestDigest,
      labels: {...source, [`${gc}.config`]: id, ...children},
      size: manifest.length,
      text: manifest,
    },
    {digest: id, labels: source, size: 1500},
    ...layers.map((layer) => ({digest: layer.digest, labels: source, size: layer.size})),
  ]
}

const LAYER_TYPE = 'application/vnd.docker.image.rootfs.diff.tar.gzip'
