// The one HTTP client, on got: any status is an answer, and no request is repeated.
import {pipeline} from 'node:stream'
import {createGunzip} from 'node:zlib'
import {bounded, demandSize, LARGEST_ANSWER, LARGEST_STREAM} from '../http-limit.js'
import type {Http, HttpRequest, HttpResponse, HttpStream} from '../http.js'
import type {HttpAnswer, HttpContext, HttpExchange} from './http-exchange.js'
import {drop, type KeptConnections} from './kept-connections.js'
import {momentAgo} from '../clock.js'

/** got takes longer to load than most of k8s-win, and not every command sends requests. */
const loadExchange = () => import('./http-exchange.js')

export function openHttp(context: HttpContext): Http {
  const kept: KeptConnections = new Map()
  return {
    disconnect: () => drop(kept),
    download: async (request) => (await import('./http-download.js')).download(request, context),
    async request(request): Promise<HttpResponse> {
      const {chunks, ...head} = await open({maxBytes: LARGEST_ANSWER, ...request}, context, kept)
      const body: Uint8Array[] = []
      for await (const chunk of chunks) body.push(chunk)
      return {...head, body: Buffer.concat(body)}
    },
    stream: (request) => open(request, context, kept),
  }
}

async function open(
  {deadlineMs, maxBytes = LARGEST_STREAM, ...request}: HttpRequest,
  context: HttpContext,
  kept: KeptConnections,
): Promise<HttpStream> {
  const {exchange} = await loadExchange()
  const deadline = context.clock.deadline(deadlineMs)
  const current: HttpExchange = {...request, deadline}
  const sentAt = context.clock.elapsed()
  try {
    const answer = await exchange(current, context.environment, kept)
    const at = momentAgo(context.clock, (context.clock.elapsed() - sentAt) / 2)
    const {body, connection, headers, status} = answer
    try {
      // Of HEAD only the size is announced.
      if (request.method !== 'HEAD') demandSize(request.url, headers, maxBytes)
    } catch (error) {
      body.destroy()
      throw error
    }

    return {at, chunks: read(answer, current, maxBytes), connection, headers, status}
  } catch (error) {
    deadline.cancel()
    throw error
  }
}

async function* read({body, headers}: HttpAnswer, current: HttpExchange, maxBytes: number): AsyncGenerator<Uint8Array> {
  const isPacked = current.isKept && headers['content-encoding'] === 'gzip'
  try {
    // The limit is for what comes out: a few bytes may stand for gigabytes.
    const chunks: AsyncIterable<Buffer> = isPacked ? pipeline(body, createGunzip(), () => {}) : body
    yield* bounded(chunks, current.url, maxBytes)
  } catch (error) {
    throw (await loadExchange()).httpFailure(error, current)
  } finally {
    // Also where the consumer stopped before the end: the connection must not stay.
    current.deadline.cancel()
    body.destroy()
  }
}
