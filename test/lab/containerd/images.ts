// OCI indexes made by hand, with a manifest per version of Windows: pushed into the registry, or written as an archive.
import {gzipSync} from 'node:zlib'
import {writeTar} from '../../../src/machine/tar.js'
import {ARCHITECTURE, described, digestOf, pushBlob, put} from '../docker/images.js'

const SCHEMA = 'application/vnd.oci.image'
const MANIFEST = `${SCHEMA}.manifest.v1+json`
const INDEX = `${SCHEMA}.index.v1+json`

/**
 * A variant of an image. The one that a Linux containerd takes is of Linux and has the `os.version` of a Windows image:
 * containerd compares that on Windows only, and shows it everywhere.
 */
export interface Variant {
  readonly labels?: Readonly<Record<string, string>>
  readonly layer: Buffer
  readonly os: 'linux' | 'windows'
  readonly osVersion: string
}

export interface Index {
  /** Configurations and layers. */
  readonly blobs: readonly Buffer[]
  readonly bytes: Buffer
  readonly manifests: readonly Buffer[]
}

export function makeIndex(variants: readonly Variant[]): Index {
  const made = variants.map(({labels, layer, os, osVersion}) => {
    const tar = writeTar([{content: layer, name: 'Files/data'}])
    const packed = gzipSync(tar, {level: 1})
    const platform = {architecture: ARCHITECTURE, os, 'os.version': osVersion}
    const config = jsonOf({
      ...platform,
      config: {Cmd: ['cmd'], ...(labels && {Labels: labels})},
      rootfs: {diff_ids: [digestOf(tar)], type: 'layers'},
    })
    const manifest = jsonOf({
      config: described(config, `${SCHEMA}.config.v1+json`),
      layers: [described(packed, `${SCHEMA}.layer.v1.tar+gzip`)],
      mediaType: MANIFEST,
      schemaVersion: 2,
    })
    return {blobs: [config, packed], entry: {...described(manifest, MANIFEST), platform}, manifest}
  })
  const bytes = jsonOf({manifests: made.map(({entry}) => entry), mediaType: INDEX, schemaVersion: 2})
  return {
    blobs: made.flatMap(({blobs}) => blobs),
    bytes,
    manifests: made.map(({manifest}) => manifest),
  }
}

export async function pushIndex(registry: string, repository: string, tag: string, index: Index): Promise<void> {
  for (const blob of index.blobs) await pushBlob(registry, repository, blob)
  const url = `http://${registry}/v2/${repository}/manifests`
  for (const manifest of index.manifests) await put(`${url}/${digestOf(manifest)}`, MANIFEST, manifest)
  await put(`${url}/${tag}`, INDEX, index.bytes)
}

/** An archive as "docker save" writes it (moby image/tarexport/save.go), which ctr imports too. */
export function archiveOf({layer, os, osVersion}: Variant, name: string): Buffer {
  const tar = writeTar([{content: layer, name: 'Files/data'}])
  const platform = {architecture: ARCHITECTURE, os, 'os.version': osVersion}
  const config = jsonOf({...platform, config: {}, rootfs: {diff_ids: [digestOf(tar)], type: 'layers'}})
  const manifest = [{Config: 'config.json', Layers: ['layer.tar'], RepoTags: [name]}]
  return writeTar([
    {content: jsonOf(manifest), name: 'manifest.json'},
    {content: config, name: 'config.json'},
    {content: tar, name: 'layer.tar'},
  ])
}

const jsonOf = (value: object): Buffer => Buffer.from(JSON.stringify(value))
