// The HTTP client of the simulated host: deadlines, cut connections and the transcript around the models' answers, and
// downloads with the time and the progress of the real file.
import {win32} from 'node:path'
import {safeUrl} from '../machine/credentials.js'
import {FileError, type Files} from '../machine/files.js'
import {bounded, demandSize, LARGEST_ANSWER, LARGEST_DOWNLOAD, LARGEST_STREAM, tooLarge} from '../machine/http-limit.js'
import {
  type Download,
  type DownloadRequest,
  type Http,
  HttpError,
  type HttpRequest,
  type HttpStream,
} from '../machine/http.js'
import type {EffectKind} from '../machine/win32.js'
import {type Connection, openConnections} from './connections.js'
import type {Effects} from './effects.js'
import type {DeclaredDigests} from './mirror/digests.js'
import type {Stage} from './model.js'
import {type Answer, incomplete, routeRequest} from './routes.js'
import {record, type Transcript} from './transcript.js'
import {connectionTo} from './windows/pipes.js'
import {momentAgo} from '../machine/clock.js'

export interface SimulatedHttpOptions {
  readonly declared: DeclaredDigests
  readonly effects: Effects
  readonly files: Files
  readonly transcript: Transcript
}

interface Head {
  readonly found: Answer
  readonly headers: Readonly<Record<string, string>>
  readonly status: number
}

interface Conversation {
  readonly cancel: () => void
  /** What the client rejects with: a timeout after the deadline, the caller's reason after an abort. */
  readonly failure: (error: unknown) => unknown
  readonly stage: Stage
}

export function createHttp({declared, effects, files, transcript}: SimulatedHttpOptions): Http {
  const {clock, stage: host} = effects
  const connections = openConnections(
    () => clock.now(),
    () => host.world.os.offlineUntil,
  )
  const converse = ({deadlineMs, signal, url}: Pick<HttpRequest, 'deadlineMs' | 'signal' | 'url'>): Conversation => {
    const deadline = effects.clock.deadline(deadlineMs)
    signal?.throwIfAborted()
    const either = signal ? AbortSignal.any([deadline.signal, signal]) : deadline.signal
    return {
      cancel: deadline.cancel,
      failure(error) {
        if (signal?.aborted) return signal.reason as unknown
        if (!deadline.signal.aborted) return error
        const reason = deadline.signal.reason as Error
        return new HttpError(url, 'ETIMEDOUT', `${url}: ${reason.message}`, {cause: reason})
      },
      stage: effects.stageFor(either),
    }
  }

  const recorded = <T extends {readonly status: number}>(
    {effect, method, pipe, url}: Pick<HttpRequest, 'effect' | 'method' | 'pipe' | 'url'>,
    work: () => Promise<T>,
    connection?: Connection,
  ): Promise<T> => {
    const args = pipe === undefined ? [] : [pipe]
    const on = connection && {connection: connection.id}
    const line = {args, kind: effect, ...on, via: 'http', what: `${method} ${safeUrl(url)}`} as const
    return record(transcript, line, work, ({status}) => String(status))
  }

  /** Not within an effect: the judge has its own. */
  const judgePeer = async ({judgePeer: judge, url}: HttpRequest): Promise<void> => {
    const {hostname, port} = new URL(url)
    const ends = judge && (await effects.perform('read', async () => connectionTo(host, hostname, Number(port))))
    if (ends) await judge(ends)
  }

  const open = async (request: HttpRequest): Promise<HttpStream> => {
    const conversation = converse(request)
    const connection = request.pipe === undefined ? await connections.acquire(request) : undefined
    try {
      await judgePeer(request)
      const body = await collect(request.body)
      const sentAt = clock.elapsed()
      const asking = (): Promise<Head> =>
        effects.perform(request.effect, async () => {
          if (connection?.isLost()) throw lostConnection(request.url)
          const {headers, isDirect, method, pipe, proxy, tls} = request
          const url = new URL(request.url)
          const way = {...(isDirect && {isDirect}), ...(pipe && {pipe}), ...(proxy && {proxy}), ...(tls && {tls})}
          const parts = {body, method, url, ...(headers && {headers}), ...way}
          const found = await routeRequest(conversation.stage, parts, declared)
          const {headers: sent = {}, status} = found.response
          return {found, headers: sent, status}
        })
      const answer = await recorded(request, asking, connection).catch((error: unknown) =>
        Promise.reject(conversation.failure(error)),
      )
      const at = momentAgo(clock, (clock.elapsed() - sentAt) / 2)
      const {maxBytes = LARGEST_STREAM, method, url} = request
      if (method !== 'HEAD') demandSize(url, answer.headers, maxBytes)
      const chunks = bounded(read(answer.found, request, conversation, connection), url, maxBytes)
      const on = connection && {connection: connection.name}
      return {at, chunks, ...on, headers: answer.headers, status: answer.status}
    } catch (error) {
      conversation.cancel()
      if (connection) connections.release(connection, false)
      throw error
    }
  }

  async function* read(
    answer: Answer,
    {effect, url}: HttpRequest,
    {cancel, failure, stage}: Conversation,
    connection: Connection | undefined,
  ): AsyncGenerator<Uint8Array> {
    const pieces = piecesOf(answer, stage, url)
    let isWhole = false
    try {
      for (;;) {
        // Time stands still only while a piece is made: in between the reader may wait for something else.
        const next = await nextPiece(effects, effect, pieces)
        if (next.done) return void (isWhole = true)
        yield next.value
      }
    } catch (error) {
      throw failure(error)
    } finally {
      cancel()
      if (connection) connections.release(connection, isWhole)
      await pieces.return(undefined)
    }
  }

  return {
    disconnect: () => connections.disconnect(),
    async download(request: DownloadRequest) {
      const conversation = converse(request)
      const get = {effect: 'change', method: 'GET', url: request.url} as const
      try {
        return await recorded(get, () =>
          effects.perform('change', () => saveDownload(conversation.stage, request, files, declared)),
        )
      } catch (error) {
        throw conversation.failure(error)
      } finally {
        conversation.cancel()
      }
    },
    async request(request) {
      const {chunks, ...head} = await open({maxBytes: LARGEST_ANSWER, ...request})
      return {...head, body: await collect(chunks)}
    },
    stream: open,
  }
}

const lostConnection = (url: string): HttpError =>
  new HttpError(safeUrl(url), 'ECONNRESET', `${safeUrl(url)}: read ECONNRESET`)

const nextPiece = (
  effects: Effects,
  effect: EffectKind,
  pieces: AsyncGenerator<Uint8Array>,
): Promise<IteratorResult<Uint8Array>> => effects.perform(effect, () => pieces.next())

async function* piecesOf(answer: Answer, stage: Stage, url: string): AsyncGenerator<Uint8Array> {
  const {body} = answer.response
  if (typeof body === 'string') {
    if (body) yield Buffer.from(body)
    return
  }

  for await (const piece of body) {
    // As the real client: an answer that began is cut short.
    const isCut = !answer.isLocal && stage.world.os.offlineUntil > stage.now()
    if (isCut || answer.isAlive?.() === false) {
      throw incomplete(url)
    }

    yield Buffer.from(piece)
  }
}

async function collect(body: AsyncIterable<Uint8Array> | string | Uint8Array | undefined): Promise<Buffer> {
  if (body === undefined || typeof body === 'string' || body instanceof Uint8Array) return Buffer.from(body ?? '')
  const pieces: Uint8Array[] = []
  for await (const piece of body) pieces.push(piece)
  return Buffer.concat(pieces)
}

/** About 25 MB per second, reported in pieces. */
const BYTES_PER_MS = 25_000
const PIECES = 10

/** Saves the whole file or nothing. */
async function saveDownload(
  stage: Stage,
  {digest = 'sha256', maxBytes = LARGEST_DOWNLOAD, onProgress, to, url}: DownloadRequest,
  files: Files,
  declared: DeclaredDigests,
): Promise<Download> {
  const answer = await routeRequest(stage, {body: Buffer.alloc(0), method: 'GET', url: new URL(url)}, declared)
  const nothing = {bytes: 0, digest: ''}
  if (!answer.file) {
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
