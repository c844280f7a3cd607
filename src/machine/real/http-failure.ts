// Names what prevented an answer: one HttpError with a code and a text that hold no credentials.
import {RequestError} from 'got'
import type {Deadline} from '../clock.js'
import {safeUrl, withoutCredentials} from '../credentials.js'
import {HttpError} from '../http.js'

/** A connection that ends before the announced length, or in the middle of a chunk. */
const CUT_SHORT = new Set(['ECONNRESET', 'ERR_HTTP_CONTENT_LENGTH_MISMATCH', 'ERR_STREAM_PREMATURE_CLOSE', 'EPIPE'])

interface FailedExchange {
  readonly deadline: Deadline
  readonly signal?: AbortSignal
  readonly url: string
}

/** What a failed exchange rejects with. An abort by the caller is told by the caller's own reason. */
export function httpFailure(error: unknown, exchange: FailedExchange): unknown {
  if (exchange.signal?.aborted) return exchange.signal.reason
  const url = safeUrl(exchange.url)
  if (exchange.deadline.signal.aborted) {
    const reason = exchange.deadline.signal.reason as Error
    return new HttpError(url, 'ETIMEDOUT', `${url}: ${reason.message}`, {cause: reason})
  }
  if (!(error instanceof RequestError)) return error
  const code = codeOf(error)
  // The error of got is not passed on as cause: it holds the request's headers.
  return new HttpError(url, code, `${url}: ${code === 'TRUNCATED' ? 'the answer was cut short' : textOf(error)}`)
}

function codeOf(error: RequestError): string {
  if (error.response && CUT_SHORT.has(error.code)) return 'TRUNCATED'
  // hpagent gives its errors no code.
  if (error.message.startsWith('Bad response: ')) return 'PROXY_REFUSED'
  if (error.message === 'Proxy timeout') return 'ETIMEDOUT'
  return error.code
}

function textOf(error: RequestError): string {
  const status = /^Bad response: (?<status>\d+)$/u.exec(error.message)?.groups?.['status']
  return status === undefined ? withoutCredentials(error.message) : `the proxy refused the connection with ${status}`
}
