// A machine that tries again what failed for a cause that passes by itself. The tries stay seconds apart and few.
import {DeadlineError} from './clock.js'
import {safeUrl} from './credentials.js'
import {HttpError, type HttpRequest, type HttpResponse} from './http.js'
import type {Machine} from './machine.js'
import {type Attempt, type Retry, withRetries} from './retry.js'
import {type EffectKind, type Win32, Win32Error, wrapWin32} from './win32.js'

export interface RetryingOptions {
  /** For people: what failed, why, and when it is tried again. */
  readonly onRetry: (message: string) => void
  /** Ends the pauses. */
  readonly signal: AbortSignal
}

export function retryingMachine(machine: Machine, {onRetry, signal}: RetryingOptions): Machine {
  const {clock, http} = machine

  const tried: Tried = async <T>(
    what: string,
    own: AbortSignal | undefined,
    call: () => Promise<T>,
    judge: Judge<T>,
  ): Promise<T> => {
    const reportRetry = ({pauseMs, why}: {pauseMs: number; why: string}): void =>
      onRetry(`${what} ${why}; trying again in ${Math.round(pauseMs / 1000)} s`)
    const signals = own ? [signal, own] : [signal]
    return withRetries({clock, onRetry: reportRetry, signals}, async (): Promise<Attempt<T>> => {
      try {
        const result = await call()
        const retry = judge.result(result)
        return {end: () => result, ...(retry && {retry})}
      } catch (error) {
        const retry = judge.error(error)
        const end = (): never => {
          throw error
        }
        return {end, ...(retry && {retry})}
      }
    })
  }

  const broken = (effect: EffectKind) => (error: unknown) =>
    effect === 'read' && isBrokenConnection(error) ? {why: `failed (${error.code})`} : undefined
  const unable = (effect: EffectKind, status: number, retryAfter: string | undefined): Retry | undefined =>
    isUnable(status, effect) ? {afterMs: retryAfterMs(retryAfter, clock.now()), why: `returned ${status}`} : undefined

  const request = async (asked: HttpRequest): Promise<HttpResponse> => {
    const {body, isProbe = false, isRepeatable = false, method, url} = asked
    const effect = isRepeatable ? 'read' : asked.effect
    const isOneTime = typeof body === 'object' && !(body instanceof Uint8Array)
    if (isProbe || isOneTime) return http.request(asked)
    let isRetry = false
    const call = async (): Promise<HttpResponse> => {
      if (isRetry) await asked.beforeRetry?.()
      isRetry = true
      return http.request(asked)
    }
    return tried(`${method} ${safeUrl(url)}`, asked.signal, call, {
      error: broken(effect),
      result: ({headers, status}) => unable(effect, status, headers['retry-after']),
    })
  }

  return {
    ...machine,
    http: {
      disconnect: () => http.disconnect(),
      // Nothing is there before all of it is: as often as one likes.
      download: (asked) =>
        tried(`GET ${safeUrl(asked.url)}`, asked.signal, () => http.download(asked), {
          error: broken('read'),
          result: ({retryAfter, status}) => unable('read', status, retryAfter),
        }),
      request,
      // Its end is known only to who reads it.
      stream: (asked) => http.stream(asked),
    },
    win32: retryingWin32(machine.win32, tried),
  }
}

interface Judge<T> {
  error(error: unknown): Retry | undefined
  result(result: T): Retry | undefined
}

type Tried = <T>(what: string, own: AbortSignal | undefined, call: () => Promise<T>, judge: Judge<T>) => Promise<T>

function retryingWin32(win32: Win32, tried: Tried): Win32 {
  const refused = (error: unknown): Retry | undefined =>
    isRefusedForNow(error) ? {why: `was refused with Windows error ${error.code}`} : undefined
  const hresult = (result: unknown): Retry | undefined => {
    const code = (result as {hresult?: unknown} | undefined)?.hresult
    return typeof code === 'number' && isHresultForNow(code)
      ? {why: `was refused with 0x${(code >>> 0).toString(16)}`}
      : undefined
  }

  return wrapWin32(win32, (call, args, perform) =>
    tried(`${call}(${typeof args[0] === 'string' ? args[0] : ''})`, undefined, perform, {
      error: refused,
      result: call === 'hnsCall' ? hresult : () => undefined,
    }),
  )
}

/** The connection broke, or the name server did not answer. A closed port is an answer. */
const BROKEN_CONNECTION = new Set([
  'EAI_AGAIN',
  'EBUSY',
  'ECONNABORTED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'TRUNCATED',
])
/** What a server, or what stands before it, says while it cannot. */
const UNABLE = new Set([429, 500, 502, 503, 504])
/** After these also a change was surely not made. */
const NOT_TAKEN = new Set([429, 503])

const ERROR_SHARING_VIOLATION = 32
const ERROR_LOCK_VIOLATION = 33
const ERROR_BUSY = 170
const ERROR_SERVICE_DATABASE_LOCKED = 1055
const RPC_S_SERVER_UNAVAILABLE = 1722
const RPC_S_SERVER_TOO_BUSY = 1723
/** Windows refused before it did anything. Other codes of services (1056, 1061, 1072) are judged where services are. */
const REFUSED_FOR_NOW = new Set([
  ERROR_SHARING_VIOLATION,
  ERROR_LOCK_VIOLATION,
  ERROR_BUSY,
  ERROR_SERVICE_DATABASE_LOCKED,
  RPC_S_SERVER_UNAVAILABLE,
  RPC_S_SERVER_TOO_BUSY,
])
/** HRESULT_FROM_WIN32. */
const FACILITY_WIN32 = 0x8007

/** A broken connection says nothing of what became of a change; and who let its own deadline pass has waited enough. */
export function isBrokenConnection(error: unknown): error is HttpError {
  return error instanceof HttpError && BROKEN_CONNECTION.has(error.code) && !(error.cause instanceof DeadlineError)
}

export function isUnable(status: number, effect: 'change' | 'read'): boolean {
  return (effect === 'read' ? UNABLE : NOT_TAKEN).has(status)
}

export function isRefusedForNow(error: unknown): error is Win32Error {
  return error instanceof Win32Error && REFUSED_FOR_NOW.has(error.code)
}

/** HNS answers with a code where other calls reject. */
export function isHresultForNow(hresult: number): boolean {
  return hresult >>> 16 === FACILITY_WIN32 && REFUSED_FOR_NOW.has(hresult & 0xff_ff)
}

/** Retry-After in milliseconds: seconds or a date; undefined where it is neither. */
export function retryAfterMs(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined
  const ms = /^\d+$/.test(header.trim()) ? Number(header) * 1000 : Date.parse(header) - now
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}
