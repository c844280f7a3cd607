// Bringing an artifact to the downloads folder: verified there, or not there at all.
import {win32} from 'node:path'
import type {Digest} from '../config/model.js'
import {downloadFailed, noDigest, wrongDigest} from '../errors/downloads-and-images.js'
import type {Files} from '../machine/files.js'
import {type Http, HttpError} from '../machine/http.js'
import type {Artifact} from './catalog.js'
import {type KnownDigest, knownDigest} from './digests.js'

export interface FetchContext {
  readonly files: Files
  readonly folder: string
  readonly http: Http
  onProgress(bytes: number, total: number | undefined): void
  readonly signal: AbortSignal
}

const DOWNLOAD_MS = 30 * 60_000
const SIDECAR_MS = 60_000
/** A digest, and perhaps the name of a file. */
const LARGEST_SIDECAR = 64 * 1024

/** The path of the verified file. One that is there already and right is not fetched again. */
export async function fetchArtifact(artifact: Artifact, context: FetchContext): Promise<string> {
  const path = win32.join(context.folder, artifact.fileName)
  const wanted = (await knownDigest(artifact)) ?? (await publishedDigest(artifact, context))
  if (await isVerified(context.files, path, wanted)) return path
  const {onProgress, signal} = context
  const download = await explained(artifact.url, () =>
    context.http.download({
      deadlineMs: DOWNLOAD_MS,
      digest: wanted.algorithm,
      maxBytes: artifact.maxBytes,
      onProgress,
      signal,
      to: path,
      url: artifact.url,
    }),
  )
  if (download.status !== 200) {
    const failed = downloadFailed({reason: `The server returned ${download.status}.`, url: artifact.url})
    const fix = `Check that version ${artifact.version} exists: the server responded that it has no file at this address.`
    throw download.status === 404 || download.status === 410 ? failed.with({fix}) : failed
  }

  await demandDigest(context.files, artifact, path, wanted, download.digest)
  return path
}

/** Throws, and removes the file, where the digest found is not the wanted one. */
export async function demandDigest(
  files: Files,
  artifact: Artifact,
  path: string,
  wanted: KnownDigest,
  found: string,
): Promise<void> {
  if (found === wanted.hex) return
  await files.remove(path)
  throw wrongDigest({
    artifact: artifact.id,
    found: `${wanted.algorithm}:${found}`,
    source: wanted.source,
    url: artifact.url,
    wanted: `${wanted.algorithm}:${wanted.hex}`,
  })
}

/** Whether it is in the downloads folder already, as its publisher made it. */
export async function isFetched(artifact: Artifact, context: FetchContext): Promise<boolean> {
  const wanted = (await knownDigest(artifact)) ?? (await publishedDigest(artifact, context))
  return isVerified(context.files, win32.join(context.folder, artifact.fileName), wanted)
}

async function isVerified(files: Files, path: string, wanted: Digest): Promise<boolean> {
  if ((await files.status(path))?.kind !== 'file') return false
  return (await files.digest(path, wanted.algorithm)) === wanted.hex
}

async function publishedDigest(artifact: Artifact, context: FetchContext): Promise<KnownDigest> {
  if (!artifact.sidecar) throw noDigest({artifact: artifact.id, url: artifact.url})
  const {algorithm, url} = artifact.sidecar
  const response = await explained(url, () =>
    context.http.request({
      deadlineMs: SIDECAR_MS,
      effect: 'read',
      maxBytes: LARGEST_SIDECAR,
      method: 'GET',
      signal: context.signal,
      url,
    }),
  )
  if (response.status >= 500) throw downloadFailed({reason: `The server returned ${response.status}.`, url})
  // Either the bare digest, or a line as sha256sum writes it.
  const hex = response.status === 200 ? /^[\da-f]+/i.exec(response.body.toString('utf8').trim())?.[0] : undefined
  if (hex?.length !== (algorithm === 'sha256' ? 64 : 128)) throw noDigest({artifact: artifact.id, url: artifact.url})
  return {algorithm, hex: hex.toLowerCase(), source: url}
}

async function explained<T>(url: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    if (!(error instanceof HttpError)) throw error
    throw downloadFailed({reason: `${error.message} (${error.code}).`, url}, {cause: error})
  }
}
