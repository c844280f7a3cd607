// PullImage of the CRI: the variant of an index that fits the host, its time, and how it fails.
import {win32} from 'node:path'
import {parse as parseToml, type TomlTable} from 'smol-toml'

import {findIndex, type RegistryImage, splitReference} from '../docker/registry.js'
import {buildOf, BYTES_PER_MS, piecesOf, SILENCE_MS} from '../docker/pull.js'
import type {Stage} from '../model.js'
import {isAtLeast} from '../versions.js'
import type {DownloadState, World} from '../world.js'
import {beginPull, endPull, type PullContent} from './content.js'
import {fullName, nameImage} from './images.js'
import {RpcError} from './cri-endpoint.js'
import {pipeOwner} from './lifetime.js'
import type {ContainerdImage} from './state.js'

type Fail = (code: RpcError['code'], reason: string) => RpcError

/** Resolves with the image's ID; rejects with an RpcError. */
export async function pullImage(stage: Stage, reference: string): Promise<string> {
  const name = fullName(reference)
  const fail: Fail = (code, reason) =>
    new RpcError(code, `failed to pull and unpack image ${JSON.stringify(name)}: ${reason}`)
  const {found, problem} = await resolveReference(stage, name)
  if (!found) {
    throw fail(
      problem?.code ?? 'NotFound',
      `failed to resolve reference ${JSON.stringify(name)}: ${problem?.reason ?? ''}`,
    )
  }

  const image = variantFor(stage.world, found.index)
  if (!image) throw fail('NotFound', 'no match for platform in manifest: not found')
  if (!knownImage(stage.world, image)) await load(stage, name, image, found.fault, fail)
  return keep(stage.world, name, image)
}

const knownImage = ({containerd}: World, pulled: RegistryImage): ContainerdImage | undefined =>
  containerd.images.find(({id, namespace}) => id === pulled.id && namespace === undefined)

interface Resolved {
  readonly found?: {readonly fault: DownloadState['fault']; readonly index: readonly RegistryImage[]}
  readonly problem?: {readonly code: RpcError['code']; readonly reason: string}
}

/** core/remotes/docker, resolver.go: the hosts of hosts.toml in their order, then the registry itself. */
async function resolveReference(stage: Stage, name: string): Promise<Resolved> {
  const {name: repository, tag} = splitReference(name.split('@')[0] ?? '')
  const [host = ''] = repository.split('/', 1)
  const path = repository.slice(host.length + 1)
  let problem: Resolved['problem']
  for (const {base, server} of [...(await mirrorsOf(stage, host)), {base: host, server: `https://${host}/v2/`}]) {
    const fault = stage.world.downloads[`${base}/${path}:${tag}`]?.fault
    if (fault === 'unreachable' || stage.world.os.offlineUntil > stage.now()) {
      const lookup = `dial tcp: lookup ${base.split(/[:/]/)[0]}: no such host`
      problem = {code: 'Unknown', reason: `failed to do request: Head "${server}${path}/manifests/${tag}": ${lookup}`}
      continue
    }

    const index = fault === 'not-found' ? undefined : (findIndex(`${base}/${path}`, tag) ?? assumed(stage.world))
    if (index) return {found: {fault, index: fault === 'no-variant' ? [] : index}}
    problem = {code: 'NotFound', reason: `${name}: not found`}
  }

  return {...(problem && {problem})}
}

/** A twin assumes that an unknown tag exists and fits the host. */
function assumed({containerd, os}: World): readonly RegistryImage[] | undefined {
  return containerd.assumesTags
    ? findIndex('assumed.example/windows/nanoserver', `10.0.${os.build}.${os.ubr}`)
    : undefined
}

interface Mirror {
  /** Host and path, as images are named in machine.json. */
  readonly base: string
  readonly server: string
}

/**
 * core/remotes/docker/config, hosts.go and config_windows.go: the folder has no colon in its name, or `_default`. A file
 * that cannot be decoded is only logged.
 */
async function mirrorsOf({files, world}: Stage, host: string): Promise<Mirror[]> {
  const folder = world.containerd.config?.registryConfigPath ?? ''
  if (folder === '') return []
  const named = [host.replace(':', ''), host.replace(/:(\d+)$/, '_$1_'), '_default']
  for (const name of named) {
    const bytes = await files.read(win32.join(folder, name, 'hosts.toml')).catch(() => undefined)
    if (bytes) return mirrorsIn(bytes.toString('utf8'))
  }

  return []
}

/** Hosts are the headers of tables, and no parser of containerd 2.x reads a byte order mark. */
function mirrorsIn(text: string): Mirror[] {
  try {
    const hosts = (text.startsWith('\uFEFF') ? {} : (parseToml(text)['host'] ?? {})) as TomlTable
    const named = Object.entries(hosts).filter(
      ([url]) => text.includes(`[host."${url}"`) || text.includes(`[host.'${url}'`),
    )
    return named.map(([url, options]) => {
      const {host, pathname} = new URL(url)
      const overrides = (options as TomlTable)['override_path'] === true
      const path = pathname.replace(/\/$/, '')
      return {base: `${host}${path.replace(/^\/v2/, '')}`, server: `https://${host}${overrides ? path : `${path}/v2`}/`}
    })
  } catch {
    return []
  }
}

/**
 * github.com/containerd/platforms, platform_windows_compat.go: up to Windows Server 2019 the same build, then from the
 * previous LTSC to the own build. Before containerd 2.2 the list of LTSCs ends with 2022, and patch levels alone give the
 * order (containerd/containerd#11366).
 */
function variantFor({containerd, os}: World, index: readonly RegistryImage[]): RegistryImage | undefined {
  const host = os.build
  const fits = ({osVersion}: RegistryImage): boolean => {
    const build = buildOf(osVersion)
    return host < 20_348 ? build === host : build >= 20_348 && build <= host
  }
  const rank = ({osVersion}: RegistryImage): number => {
    const [, , build = 0, revision = 0] = osVersion.split('.').map(Number)
    return isAtLeast(containerd.version ?? '', '2.2') ? build * 100_000 + revision : revision
  }
  return index.filter(fits).sort((one, other) => rank(other) - rank(one))[0]
}

/** Of Go, e.g. "1h30m"; nothing in it is for ever, which is a day here. */
function durationMs(text: string): number {
  const units: Readonly<Record<string, number>> = {h: 3_600_000, m: 60_000, ms: 1, s: 1000}
  const parts = [...text.matchAll(/(?<![\d.])([\d.]+)(ms|h|m|s)/g)]
  return parts.reduce((sum, [, count, unit = '']) => sum + Number(count) * (units[unit] ?? 0), 0) || 24 * 3_600_000
}

/** The layers: loaded, then unpacked. */
async function load(
  stage: Stage,
  name: string,
  image: RegistryImage,
  fault: DownloadState['fault'],
  fail: Fail,
): Promise<void> {
  const {world} = stage
  const pull = beginPull(world, name, image)
  try {
    for (const layer of image.layers) await download(stage, pull, layer, fault, fail)
  } finally {
    endPull(world, pull)
  }

  for (const {digest, size} of image.layers) {
    await elapse(stage, size / BYTES_PER_MS / 2)
    if (fault === 'stalled') {
      await stage.elapse(durationMs(world.containerd.config?.pullProgressTimeout ?? ''))
      throw fail('Canceled', `failed to extract layer ${digest}: context canceled`)
    }

    if ((world.os.drives?.['C:']?.freeBytes ?? Infinity) < image.size) {
      throw fail('Unknown', `failed to extract layer ${digest}: There is not enough space on the disk.: unknown`)
    }
  }
}

async function download(
  stage: Stage,
  {active}: PullContent,
  {digest, size}: RegistryImage['layers'][number],
  fault: DownloadState['fault'],
  fail: Fail,
): Promise<void> {
  const pieces = piecesOf(size)
  for (let piece = 1; piece <= pieces; piece++) {
    await elapse(stage, size / BYTES_PER_MS / pieces)
    const isOffline = stage.world.os.offlineUntil > stage.now()
    // Its reader asks for the rest after a cut connection, so that "cut-once" goes unnoticed, and gives up where nothing
    // more comes (core/content/helpers.go; test/lab/containerd).
    if (isOffline || (fault === 'truncated' && piece > pieces / 2)) {
      throw fail('Unknown', 'failed to read expected number of bytes: unexpected EOF')
    }

    const ingest = active.get(digest)
    if (ingest) ingest.bytes = Math.round((size * piece) / pieces)
    if (fault === 'silent' && piece === pieces / 2) await elapse(stage, SILENCE_MS)
  }

  if (fault === 'wrong-bytes') {
    const mismatch = `unexpected commit digest sha256:${'0'.repeat(64)}, expected ${digest}: failed precondition`
    throw fail('Unknown', `failed commit on ref ${JSON.stringify(`layer-${digest}`)}: ${mismatch}`)
  }

  active.delete(digest)
}

async function elapse(stage: Stage, ms: number): Promise<void> {
  await stage.elapse(ms)
  const {containerd} = stage.world
  if (pipeOwner(stage.world, containerd.config?.address ?? '') !== 'containerd') {
    throw new RpcError('Unavailable', 'error reading from server: EOF')
  }
}

function keep(world: World, name: string, pulled: RegistryImage): string {
  const {digest, id, osVersion, size} = pulled
  const {containerd} = world
  // Another pull of the same image may have finished meanwhile: the kubelet's for a pod, for example.
  const known = knownImage(world, pulled)
  const image: ContainerdImage = known ?? {digests: [], id, osVersion, size, tags: []}
  if (!known) containerd.images.push(image)
  // In the configuration, whose digest the ID is.
  image.osVersion = osVersion
  const origin = `${name.replace(/@.*/s, '').replace(/:[^/:]+$/, '')}@${digest}`
  image.digests = [...new Set([...image.digests, origin])]
  // Pinned by the name in its configuration, when it is pulled (image_pull.go, createOrUpdateImageReference).
  if (name === fullName(containerd.config?.sandboxImage ?? '')) image.pinned = true
  if (!name.includes('@')) nameImage(world, image, name)
  return id
}
