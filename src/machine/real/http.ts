// The one HTTP client, on got: any status is an answer, and no request is repeated.
import type {Clock} from '../clock.js'
import type {Files} from '../files.js'
import {bounded, demandSize, LARGEST_ANSWER, LARGEST_STREAM} from '../http-limit.js'
import type {Http, HttpRequest, HttpResponse, HttpStream} from '../http.js'
import type {HttpAnswer, HttpExchange} from './http-exchange.js'

interface HttpParts {
  readonly clock: Clock
  readonly environment: NodeJS.ProcessEnv
  readonly files: Files
}

/** got takes longer to load than most of k8s-win, and not every command sends requests. */
const loadExchange = () => import('./http-exchange.js')

export function openHttp(parts: HttpParts): Http {
  return {
    download: async (request) => (await import('./http-download.js')).download(request, parts),
    async request(request): Promise<HttpResponse> {
      const {chunks, headers, status} = await open({maxBytes: LARGEST_ANSWER, ...request}, parts)
      const body: Uint8Array[] = []
      for await (const chunk of chunks) body.push(chunk)
      return {body: Buffer.concat(body), headers, status}
    },
    stream: (request) => open(request, parts),
  }
}

async function open(
  {deadlineMs, maxBytes = LARGEST_STREAM, ...request}: HttpRequest,
  parts: HttpParts,
): Promise<HttpStream> {
  const {exchange} = await loadExchange()
  const deadline = parts.clock.deadline(deadlineMs)
  const current: HttpExchange = {...request, deadline}
  try {
    const answer = await exchange(current, parts.environment)
    const {body, headers, status} = answer
    try {
      // Of HEAD only the size is announced.
      if (request.method !== 'HEAD') demandSize(request.url, headers, maxBytes)
    } catch (error) {
      body.destroy()
      throw error
    }

    return {chunks: read(answer, current, maxBytes), headers, status}
  } catch (error) {
    deadline.cancel()
    throw error
  }
}

async function* read({body}: HttpAnswer, current: HttpExchange, maxBytes: number): AsyncGenerator<Uint8Array> {
  try {
    yield* bounded(body as AsyncIterable<Buffer>, current.url, maxBytes)
  } catch (error) {
    throw (await loadExchange()).httpFailure(error, current)
  } finally {
    // Also where the consumer stopped before the end: the connection must not stay.
    current.deadline.cancel()
    body.destroy()
  }
}
