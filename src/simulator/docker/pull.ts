// POST /images/create: progress, waiting times and failures of a pull.
import type {Stage} from '../model.js'
import type {DockerImage, DownloadState, World} from '../world.js'
import {DockerRefusal} from './answer.js'
import {decimalSize} from '../programs/go-program.js'
import {findInRegistry, nameImage, type RegistryImage} from './registry.js'

/** About 20 MB per second. */
export const BYTES_PER_MS = 20_000
/** At least eight, and one per second. */
export const piecesOf = (bytes: number): number => 2 * Math.max(4, Math.ceil(bytes / BYTES_PER_MS / 2000))
/** dockerd's --max-download-attempts; it waits 5 s longer before each. */
const RETRIES = 5
const RETRY_SECONDS = 5
const BAR = 50
/** Of the fault "silent". */
export const SILENCE_MS = 3 * 60_000

/** An image that the registry does not have fails before the first line, with an HTTP status. */
export function pullImage(stage: Stage, name: string, tag: string): AsyncIterable<object> {
  const reference = `${name}:${tag}`
  const fault = stage.world.downloads[reference]?.fault
  const host = name.split('/')[0] as string
  if (fault === 'unreachable' || isOffline(stage)) {
    throw new DockerRefusal(500, `Get "https://${host}/v2/": dial tcp: lookup ${host}: no such host`)
  }

  const image = fault === 'not-found' ? undefined : (findInRegistry(name, tag) ?? assumed(stage.world, name))
  if (image) return pullLines(stage, reference, image)
  if (/^[^/]+[.:]/.test(name)) {
    const detail = `manifest unknown: manifest tagged by "${tag}" is not found`
    throw new DockerRefusal(404, `manifest for ${reference} not found: ${detail}`)
  }

  throw new DockerRefusal(
    404,
    `pull access denied for ${name}, repository does not exist or may require 'docker login': denied: requested access to the resource is denied`,
  )
}

/** A twin assumes that an unknown tag exists and fits the host. */
function assumed({docker, os}: World, name: string): RegistryImage | undefined {
  return docker.assumesTags ? findInRegistry(name, `10.0.${os.build}.${os.ubr}`) : undefined
}

async function* pullLines(stage: Stage, reference: string, image: RegistryImage): AsyncIterable<object> {
  const {docker, downloads, os} = stage.world
  const fault = downloads[reference]?.fault
  const tag = reference.slice(reference.lastIndexOf(':') + 1)
  yield {status: `Pulling from ${image.path}`, id: tag}
  // Docker skips manifests of newer builds than the host's (moby, distribution/pull_v2_windows.go); older ones are pulled.
  if (docker.mode === 'linux') throw new DockerRefusal(500, noManifest('linux/amd64'))
  if (buildOf(image.osVersion) > os.build) throw new DockerRefusal(500, noManifest(`windows/amd64 10.0.${os.build}`))

  const there = docker.images.find(({id}) => id === image.id)
  if (!there) {
    for (const {id} of image.layers) yield {status: 'Pulling fs layer', progressDetail: {}, id}
    // dockerd's --max-concurrent-downloads is 3, and none of these images has more layers: the size of each comes at once.
    for (const {id, size} of image.layers) yield progressLine('Downloading', id, 0, size)
    for (const layer of image.layers) yield* downloadLines(stage, layer, fault)
    for (const layer of image.layers) yield* extractLines(stage, layer)
  }

  const isNew = tagImage(stage, reference, image)
  yield {status: `Digest: ${image.digest}`}
  yield {status: `Status: ${isNew ? 'Downloaded newer image' : 'Image is up to date'} for ${reference}`}
}

/** One layer: its bytes, its retries after a cut connection, and its checksum. */
async function* downloadLines(
  stage: Stage,
  {digest, id, size}: RegistryImage['layers'][number],
  fault: DownloadState['fault'],
): AsyncIterable<object> {
  let done = 0
  for (let retries = 0; done < size;) {
    // After a cut it requests the rest, and reports the size of the rest as the total.
    const rest = size - done
    const pieces = piecesOf(rest)
    let problem: string | undefined
    for (let piece = 1; piece <= pieces && problem === undefined; piece++) {
      await stage.elapse(rest / BYTES_PER_MS / pieces)
      problem = cutOf(stage, piece > pieces / 2 && (fault === 'truncated' || (fault === 'cut-once' && retries === 0)))
      const current = Math.round((rest * (problem === undefined ? piece : piece - 1)) / pieces)
      if (problem === undefined) yield progressLine('Downloading', id, current, rest)
      if (fault === 'silent' && piece === pieces / 2) await stage.elapse(SILENCE_MS)
      if (problem !== undefined || piece === pieces) done += current
    }

    if (problem === undefined) break
    if (++retries > RETRIES) throw new DockerRefusal(500, problem)
    for (let left = retries * RETRY_SECONDS; left > 0; left--) {
      yield {status: `Retrying in ${left} second${left === 1 ? '' : 's'}`, progressDetail: {}, id}
      await stage.elapse(1000)
    }
  }

  yield {status: 'Verifying Checksum', progressDetail: {}, id}
  if (fault === 'wrong-bytes') {
    throw new DockerRefusal(500, `filesystem layer verification failed for digest ${digest}`)
  }

  yield {status: 'Download complete', progressDetail: {}, id}
}

async function* extractLines({elapse}: Stage, {id, size}: RegistryImage['layers'][number]): AsyncIterable<object> {
  const pieces = piecesOf(size)
  for (let piece = 1; piece <= pieces; piece++) {
    await elapse(size / BYTES_PER_MS / 2 / pieces)
    yield progressLine('Extracting', id, Math.round((size * piece) / pieces), size)
  }

  yield {status: 'Pull complete', progressDetail: {}, id}
}

/** The engine's connections are cut, too, while the host is offline. */
function cutOf({now, world}: Stage, isFaulty: boolean): string | undefined {
  if (isFaulty) return 'unexpected EOF'
  const isOffline = world.os.offlineUntil > now()
  return isOffline ? 'read tcp: wsarecv: An existing connection was forcibly closed by the remote host.' : undefined
}

/** moby, pkg/jsonmessage: a bar of 50 characters and both numbers. */
function progressLine(status: string, id: string, current: number, total: number): object {
  const filled = Math.min(BAR, Math.floor(Math.floor((current / total) * 100) / 2))
  const bar = `[${'='.repeat(filled)}>${' '.repeat(BAR - filled)}] `
  const progress = `${bar}${decimalSize(current).padStart(8)}/${decimalSize(total)}`
  return {status, progressDetail: {current, total}, progress, id}
}

/** Moves the tag to the image. True if that is new. */
function tagImage({now, world}: Stage, reference: string, {digest, id, osVersion, size}: RegistryImage): boolean {
  const {images} = world.docker
  const known = images.find((one) => one.id === id)
  const image: DockerImage = known ?? {
    created: new Date(now()).toISOString(),
    id,
    labels: {},
    osVersion,
    size,
    tags: [],
  }
  if (!known) images.push(image)
  const origin = `${reference.slice(0, reference.lastIndexOf(':'))}@${digest}`
  image.digests = [...new Set([...(image.digests ?? []), origin])]
  const isNew = !image.tags.includes(reference)
  nameImage(images, image, reference)
  return isNew
}

const isOffline = ({now, world}: Stage): boolean => world.os.offlineUntil > now()
const noManifest = (platform: string): string => `no matching manifest for ${platform} in the manifest list entries`
export const buildOf = (osVersion: string): number => Number(osVersion.split('.')[2])
