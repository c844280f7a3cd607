// Whether a program listens on a named pipe, whatever it speaks.
import {type Http, HttpError} from '../machine/http.js'

const PROBE_MS = 5000
/** What the first bytes of any answer need. */
const LARGEST = 64 * 1024
/** Of a pipe that does not exist, and of a socket on which nothing is listening. */
const NOT_LISTENING = new Set(['ECONNREFUSED', 'ENOENT'])

/** Any answer shows it, and so does any failure but that of a pipe which does not exist: containerd speaks no HTTP/1.1. */
export async function isPipeOpen(http: Http, pipe: string): Promise<boolean> {
  try {
    await http.request({
      deadlineMs: PROBE_MS,
      effect: 'read',
      isProbe: true,
      maxBytes: LARGEST,
      method: 'GET',
      pipe,
      url: 'http://pipe/',
    })
    return true
  } catch (error) {
    if (error instanceof HttpError) return !NOT_LISTENING.has(error.code)
    throw error
  }
}
