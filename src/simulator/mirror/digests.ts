// Published digests: a stand-in answers with the digest of the real artifact.
import {createHash} from 'node:crypto'
import {gunzipSync} from 'node:zlib'

import type {DigestAlgorithm} from '../../machine/files.js'
import type {DownloadState} from '../world.js'
import {artifactBytes, type ArtifactId, artifactOf, type MirrorArtifact} from './artifact.js'
import {makeStandIn, readStandIn} from './stand-in.js'
import {readTar} from '../../machine/tar.js'
import kubernetes from './kubernetes-sha512.json' with {type: 'json'}

export interface Digest {
  readonly algorithm: DigestAlgorithm
  readonly hex: string
}

/** Digests that the user declares, by artifact. */
export type DeclaredDigests = Readonly<Partial<Record<string, Digest>>>

/** Of the real artifacts (docs/facts.md#downloads), as "<artifact> <version> <algorithm>". */
const PUBLISHED: Readonly<Record<string, string>> = {
  'cni-plugins 1.9.1 sha256': 'c09a62523d76b32b883b6a9ee824c997b5c3cc8b3caebc8612c2f64fbbe97334',
  'containerd 1.7.25 sha256': 'ec819a29d81b52a1aa8ffd995751639de7102ac08d54a0248d1d1484809e0460',
  'containerd 2.3.4 sha256': '5a61f42abd362cf21a9af6dff03edf1df2261e6fe6f3c2e45d132d12b99fdf49',
  'crictl 1.36.0 sha256': '73ef455b8a5a1e43f19372eba0ec40455e4abde3b9441a21db32c2a3172fb7ea',
  'flannel-cni 1.9.1-flannel3 sha256': '768c4a04e6ee3f7e3f9280488359b7e4bba4220246795261994a77a366860cc6',
  'flanneld 0.28.9 sha256': '7d43b3de5635891e68b36458d912a94c2eb94e15d878d486f539309db5845861',
  // Read from the CHANGELOG files of kubernetes/kubernetes, and not from k8s-win's own pins: a second witness.
  ...Object.fromEntries(Object.entries(kubernetes).map(([version, hex]) => [`kubernetes ${version} sha512`, hex])),
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
  const own = ownDigest(bytes)
  if (own !== undefined && algorithm === 'sha256') return own
  const artifact = recognised.has(bytes) ? recognised.get(bytes) : genuineArtifact(bytes)
  recognised.set(bytes, artifact)
  return artifact && publishedDigest(artifact, algorithm, sources)
}

const OWN_VERSION = 'sha256:'

/** The k8s-win.exe that a user publishes at an address of their own: all that is known of it is its digest. */
export const ownProgram = (sha256: string): Buffer => makeStandIn({name: 'k8s-win', version: `${OWN_VERSION}${sha256}`})

function ownDigest(bytes: Buffer): string | undefined {
  const {name, version = ''} = readStandIn(bytes) ?? {}
  const digest = name === 'k8s-win' && version.startsWith(OWN_VERSION) ? version.slice(OWN_VERSION.length) : undefined
  return digest !== undefined && ownProgram(digest).equals(bytes) ? digest : undefined
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
const BY_MEMBER: Readonly<Record<string, ArtifactId>> = {
  crictl: 'crictl',
  ctr: 'containerd',
  'host-local': 'cni-plugins',
  kubectl: 'kubernetes',
}

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
