// The simulated download hosts: archives of the real shape, their digests, and injected faults.
import {posix} from 'node:path'

import type {DigestAlgorithm} from '../../machine/files.js'
import {ARTIFACT_KINDS, artifactAt, artifactBytes} from './artifact.js'
import {type DigestSources, ownProgram, publishedDigest} from './digests.js'
import kubernetes from './kubernetes-sha512.json' with {type: 'json'}

/** About the size of k8s-win.exe. */
const OWN_MEGABYTES = 90

export const MIRROR_HOSTS: readonly string[] = ['dl.k8s.io', 'github.com']

export interface MirrorFile {
  readonly bytes: Buffer
  /** The connection ends early. */
  readonly isTruncated: boolean
  /** The real size, as Content-Length reports it. */
  readonly size: number
  readonly status: number
}

const notFound: MirrorFile = {bytes: Buffer.from('Not Found'), isTruncated: false, size: 9, status: 404}

/** Undefined if nothing answers (the fault "unreachable"). */
export function fetchFromMirror(url: string, sources: DigestSources): MirrorFile | undefined {
  const fault = sources.downloads[url]?.fault
  if (fault === 'unreachable') return undefined
  if (fault === 'not-found') return notFound
  const text = sources.downloads[url]?.text ?? stableOf(url) ?? sidecarOf(url, sources)
  if (text !== undefined) {
    const bytes = Buffer.from(fault === 'wrong-bytes' ? 'not a digest\n' : text)
    return {bytes, isTruncated: fault === 'truncated', size: bytes.length, status: 200}
  }

  const artifact = artifactAt(url)
  const program = artifact ? undefined : sources.downloads[url]?.sha256
  if (!artifact && program === undefined) return notFound
  const bytes = artifact ? artifactBytes(artifact, fault === 'missing-member') : ownProgram(program ?? '')
  return {
    bytes: fault === 'wrong-bytes' ? Buffer.concat([bytes, Buffer.from('tampered with\n')]) : bytes,
    isTruncated: fault === 'truncated',
    size: (artifact ? ARTIFACT_KINDS[artifact.id].megabytes : OWN_MEGABYTES) * 1_000_000,
    status: 200,
  }
}

/** The newest release of a minor, with "v" and without a newline, as dl.k8s.io has it. */
export function stableOf(url: string): string | undefined {
  const minor = /^https:\/\/dl\.k8s\.io\/release\/stable-(1\.\d+)\.txt$/.exec(url)?.[1]
  const newest = minor && Object.keys(kubernetes).findLast((release) => release.startsWith(`${minor}.`))
  return newest && `v${newest}`
}

function sidecarOf(url: string, sources: DigestSources): string | undefined {
  const [, base = '', end = '', algorithm] = /^(.*)\.((sha256|sha512)\w*)$/.exec(url) ?? []
  const artifact = base ? artifactAt(base) : undefined
  const form = artifact && ARTIFACT_KINDS[artifact.id].sidecars[end]
  if (!artifact || !form) return undefined
  const hex = publishedDigest(artifact, algorithm as DigestAlgorithm, sources)
  return form === 'bare' ? hex : `${hex}  ${posix.basename(base)}\n`
}
