// Downloads from the simulated mirror, with the time and the progress of the real file.
import {win32} from 'node:path'

import {FileError, type Files} from '../machine/files.js'
import type {Download, DownloadRequest} from '../machine/http.js'
import {LARGEST_DOWNLOAD, tooLarge} from '../machine/http-limit.js'
import type {DeclaredDigests} from './mirror/digests.js'
import type {Stage} from './model.js'
import {incomplete, routeRequest} from './routes.js'

/** About 25 MB per second, reported in pieces. */
const BYTES_PER_MS = 25_000
const PIECES = 10

/** Saves the whole file or nothing. */
export async function saveDownload(
  stage: Stage,
  {digest = 'sha256', maxBytes = LARGEST_DOWNLOAD, onProgress, to, url}: DownloadRequest,
  files: Files,
  declared: DeclaredDigests,
): Promise<Download> {
  const answer = await routeRequest(stage, {body: Buffer.alloc(0), method: 'GET', url: new URL(url)}, declared)
  const nothing = {bytes: 0, digest: ''}
  if (answer.kind === 'model') {
    const retryAfter = answer.response.headers?.['retry-after']
    return {...nothing, ...(retryAfter && {retryAfter}), status: answer.response.status}
  }

  const {bytes, isTruncated, size, status} = answer.file
  if (status !== 200) return {...nothing, status}
  if (size > maxBytes) throw tooLarge(url, maxBytes)
  if ((await files.status(win32.dirname(to)))?.kind !== 'directory') throw new FileError('write', to, 'ENOENT')
  for (let piece = 1; piece <= PIECES; piece++) {
    await stage.elapse(size / BYTES_PER_MS / PIECES)
    const isCut = stage.world.os.offlineUntil > stage.now() || (isTruncated && piece > PIECES / 2)
    if (isCut) throw incomplete(url)
    onProgress?.(Math.round((size * piece) / PIECES), size)
  }

  await files.write(to, bytes)
  return {bytes: bytes.length, digest: await files.digest(to, digest), status}
}
