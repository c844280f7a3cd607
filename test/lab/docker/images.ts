// Tiny images, made by hand and pushed into the registry over its API: no network, no engine is needed for them.
import {createHash} from 'node:crypto'
import {gzipSync} from 'node:zlib'
import {writeTar} from '../../../src/machine/tar.js'

export interface ImageRecipe {
  readonly labels?: Readonly<Record<string, string>>
  /** Files by name, layer by layer. */
  readonly layers: readonly Readonly<Record<string, Buffer>>[]
  readonly repository: string
  readonly tag: string
}

const SCHEMA = 'application/vnd.docker'
const MANIFEST = `${SCHEMA}.distribution.manifest.v2+json`
const MANIFEST_LIST = `${SCHEMA}.distribution.manifest.list.v2+json`
export const ARCHITECTURE = process.arch === 'arm64' ? 'arm64' : 'amd64'

/** Answers with the digests of the layers, which are the names of their blobs. */
export async function pushImage(registry: string, {labels, layers, repository, tag}: ImageRecipe): Promise<string[]> {
  const tars = layers.map((files) => writeTar(Object.entries(files).map(([name, content]) => ({content, name}))))
  const blobs = tars.map((tar) => gzipSync(tar, {level: 1}))
  const config = Buffer.from(
    JSON.stringify({
      architecture: ARCHITECTURE,
      config: {Cmd: ['cmd'], Env: ['PATH=/bin'], Labels: labels ?? null},
      created: '2021-11-15T02:41:00Z',
      history: tars.map((_, index) => ({created: '2021-11-15T02:41:00Z', created_by: `layer ${index + 1}`})),
      os: 'linux',
      rootfs: {diff_ids: tars.map(digestOf), type: 'layers'},
    }),
  )
  for (const blob of [config, ...blobs]) await pushBlob(registry, repository, blob)
  const manifest = {
    config: described(config, `${SCHEMA}.container.image.v1+json`),
    layers: blobs.map((blob) => described(blob, `${SCHEMA}.image.rootfs.diff.tar.gzip`)),
    mediaType: MANIFEST,
    schemaVersion: 2,
  }
  await put(`http://${registry}/v2/${repository}/manifests/${tag}`, MANIFEST, JSON.stringify(manifest))
  return blobs.map(digestOf)
}

/** A tag for other systems only, as the base images of Windows are on a Linux engine. */
export async function pushForeignImage(registry: string, repository: string, tag: string): Promise<void> {
  const inner = `${tag}-inner`
  await pushImage(registry, {layers: [{'license.txt': Buffer.from('Windows')}], repository, tag: inner})
  const url = `http://${registry}/v2/${repository}/manifests`
  const manifest = Buffer.from(await (await fetch(`${url}/${inner}`, {headers: {accept: MANIFEST}})).arrayBuffer())
  const platform = {architecture: 'amd64', os: 'windows', 'os.version': '10.0.20348.288'}
  const list = {
    manifests: [{...described(manifest, MANIFEST), platform}],
    mediaType: MANIFEST_LIST,
    schemaVersion: 2,
  }
  await put(`${url}/${tag}`, MANIFEST_LIST, JSON.stringify(list))
}

export async function pushBlob(registry: string, repository: string, blob: Buffer): Promise<void> {
  const begun = await fetch(`http://${registry}/v2/${repository}/blobs/uploads/`, {method: 'POST'})
  const location = new URL(begun.headers.get('location') ?? '', `http://${registry}`)
  location.searchParams.set('digest', digestOf(blob))
  await put(location.href, 'application/octet-stream', blob)
}

export async function put(url: string, type: string, body: Buffer | string): Promise<void> {
  const answer = await fetch(url, {
    body: new Uint8Array(Buffer.from(body)),
    headers: {'content-type': type},
    method: 'PUT',
  })
  if (answer.status !== 201) throw new Error(`${url}: ${answer.status} ${await answer.text()}`)
}

export const described = (blob: Buffer, mediaType: string) => ({digest: digestOf(blob), mediaType, size: blob.length})
export const digestOf = (bytes: Buffer): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`
