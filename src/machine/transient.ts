// Which failures pass by themselves. Only those are worth another try: who may not, or asks for what is not there,
// would only wait for the same answer.
import {DeadlineError} from './clock.js'
import {HttpError} from './http.js'
import {Win32Error} from './win32.js'

/** The connection broke, or the name server did not answer. A port nobody listens on is an answer. */
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
/** Of these also a change was surely not made. */
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
