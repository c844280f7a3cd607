// Saves a body: beside its target first, digested on the way, renamed when it is whole. It is not flushed to the disk:
// whoever uses a file of an earlier run verifies it again.
import {createHash} from 'node:crypto'
import {open} from 'node:fs/promises'
import path from 'node:path'
import {bounded, demandSize, LARGEST_DOWNLOAD} from '../http-limit.js'
import type {Download, DownloadRequest} from '../http.js'
import {asFileError, CHANGE_PATIENCE_MS, fileRetry} from './file-retry.js'
import {exchange, type HttpAnswer, type HttpContext, httpFailure} from './http-exchange.js'

const IDLE_MS = 60_000

export async function download(request: DownloadRequest, context: HttpContext): Promise<Download> {
  const deadline = context.clock.deadline(request.deadlineMs)
  const signal = request.signal ? {signal: request.signal} : {}
  const current = {deadline, idleMs: IDLE_MS, method: 'GET', url: request.url, ...signal} as const
  try {
    const answer = await exchange(current, context.environment)
    if (answer.status !== 200) {
      answer.body.destroy()
      const retryAfter = answer.headers['retry-after']
      return {bytes: 0, digest: '', ...(retryAfter && {retryAfter}), status: answer.status}
    }
    const partial = `${request.to}.partial`
    try {
      demandSize(request.url, answer.headers, request.maxBytes ?? LARGEST_DOWNLOAD)
      // A leftover of a killed run, or a file of another program: never written through.
      await context.files.remove(partial)
      const saved = await save(answer, partial, request, context)
      await context.files.rename(partial, request.to)
      return {...saved, status: answer.status}
    } catch (error) {
      answer.body.destroy()
      await context.files.remove(partial)
      throw httpFailure(error, current)
    }
  } finally {
    deadline.cancel()
  }
}

async function save(
  {body, headers}: HttpAnswer,
  partial: string,
  {digest = 'sha256', maxBytes = LARGEST_DOWNLOAD, onProgress, url}: DownloadRequest,
  {clock}: HttpContext,
): Promise<Omit<Download, 'status'>> {
  const hash = createHash(digest)
  const length = headers['content-length']
  const total = length === undefined ? undefined : Number(length)
  const attempt = {operation: 'write', path: partial, patienceMs: CHANGE_PATIENCE_MS}
  const file = await fileRetry(clock)(attempt, () => open(path.toNamespacedPath(partial), 'wx'))
  const written = <T>(work: Promise<T>) => work.catch((error: unknown) => Promise.reject(asFileError(attempt, error)))
  let bytes = 0
  try {
    for await (const chunk of bounded(body as AsyncIterable<Buffer>, url, maxBytes)) {
      const writing = written(file.writeFile(chunk))
      hash.update(chunk)
      await writing
      bytes += chunk.length
      onProgress?.(bytes, total)
    }
  } finally {
    await file.close()
  }
  return {bytes, digest: hash.digest('hex')}
}
