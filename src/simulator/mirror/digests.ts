// Published digests: a stand-in answers with the digest of the real artifact.
import {createHash} from 'node:crypto'
import {gunzipSync} from 'node:zlib'

import type {DigestAlgorithm} from '../../machine/files.js'
import type {DownloadState} from '../world.js'
import type {ArtifactId, MirrorArtifact} from './artifact.js'
import {artifactBytes, artifactOf} from './artifact.js'
import {readStandIn} from './stand-in.js'
import {readTar} from './tar.js'

export interface Digest {
  readonly algorithm: DigestAlgorithm
  readonly hex: string
}

/** Digests that the user declares, by artifact. */
export type DeclaredDigests = Readonly<Partial<Record<string, Digest>>>

/** Of the real artifacts (docs/facts.md#downloads, CHANGELOG-1.22.md and -1.23.md of kubernetes/kubernetes), as "<artifact> <version> <algorithm>". */
const PUBLISHED: Readonly<Record<string, string>> = {
  'cni-plugins 1.9.1 sha256': 'c09a62523d76b32b883b6a9ee824c997b5c3cc8b3caebc8612c2f64fbbe97334',
  'flannel-cni 1.9.1-flannel3 sha256': '768c4a04e6ee3f7e3f9280488359b7e4bba4220246795261994a77a366860cc6',
  'flanneld 0.28.9 sha256': '7d43b3de5635891e68b36458d912a94c2eb94e15d878d486f539309db5845861',
  'kubernetes 1.21.14 sha512':
    'e18f2ecc27026cdc59c019e4a9011f2d9740945f949ff3b40b768e870fb1d2da378391de5c08b070589d87aebe1284d215010397d984a31e1e1fc37fec697c65',
  'kubernetes 1.21.5 sha512':
    '75e478e1fbbb34d6992470769f4e61a3a73546b1481897aedeb2d1db0c71aa344284ef57f25a81bc2013993fe9f1fe76b36fc136f422809d2fce2393c0e4fa82',
  'kubernetes 1.22.12 sha512':
    '1b1bdcb6a59657f97bc6d1cb65d13e57c62e6ad54f0c0d4849d2a051d6e6203445bafff3e957ce287b9c308e00118fa02d5dfed4ed31c403dd89360870ee1d8e',
  'kubernetes 1.23.17 sha512':
    'fecc305f6047044dc3d50213922e0d317b45f210bb066e442cb6ce04a9096fe6d8377d98f2b9b4adabebfa29d58a6c7a835ab9ea6d496f98973416098225243d',
  'kubernetes 1.36.4 sha512':
    'dd7bc39fb370f259bb27ad1de670dc9284220611d17678ce7b4f8f8faadc6047980be72b6466b52618b2808754c25bc74ca3dd4f889d6c49e88537b6816fbad9',
}

export interface DigestSources {
  /** On a twin, which downloads nothing: the user's digests have priority. */
  readonly believesDeclared?: boolean
  readonly declared: DeclaredDigests
  readonly downloads: Readonly<Record<string, DownloadState>>
}

/** The real one, then that of machine.json or the user, else one that is always the same. */
export function publishedDigest(artifact: MirrorArtifact, algorithm: DigestAlgorithm, sources: DigestSources): string {
  const {id, url, version} = artifact
  const declared = sources.declared[id]
  const own = declared?.algorithm === algorithm ? declared.hex.toLowerCase() : undefined
  return (
    (sources.believesDeclared ? own : undefined) ??
    PUBLISHED[`${id} ${version} ${algorithm}`] ??
    sources.downloads[url]?.[algorithm] ??
    own ??
    createHash(algorithm).update(`stands for ${id} ${version}`).digest('hex')
  )
}

/** Undefined if the bytes are not a stand-in of the mirror. */
export function standInDigest(bytes: Buffer, algorithm: DigestAlgorithm, sources: DigestSources): string | undefined {
  const artifact = recognised.has(bytes) ? recognised.get(bytes) : genuineArtifact(bytes)
  recognised.set(bytes, artifact)
  return artifact && publishedDigest(artifact, algorithm, sources)
}

/** Bytes of a drive in memory are never changed, and are asked for again and again. */
const recognised = new WeakMap<Buffer, MirrorArtifact | undefined>()

function genuineArtifact(bytes: Buffer): MirrorArtifact | undefined {
  const artifact = recognise(bytes)
  // An archive that lacks a member has the right digest, too.
  const isGenuine = artifact && [false, true].some((broken) => artifactBytes(artifact, broken).equals(bytes))
  return isGenuine ? artifact : undefined
}

const BY_PROGRAM: Readonly<Record<string, ArtifactId>> = {flannel: 'flannel-cni', flanneld: 'flanneld'}
const BY_MEMBER: Readonly<Record<string, ArtifactId>> = {'host-local': 'cni-plugins', kubectl: 'kubernetes'}

function recognise(bytes: Buffer): MirrorArtifact | undefined {
  const single = readStandIn(bytes)
  if (single) return named(BY_PROGRAM[single.name], single.version)
  if (bytes.length > 100_000) return undefined
  try {
    const standIns = readTar(gunzipSync(bytes)).flatMap(({content}) => readStandIn(content) ?? [])
    const known = standIns.find(({name}) => BY_MEMBER[name])
    return known && named(BY_MEMBER[known.name], known.version)
  } catch {
    return undefined
  }
}

const named = (id: ArtifactId | undefined, version: string): MirrorArtifact | undefined =>
  id && artifactOf(id, version.replace(/^v/, ''))
