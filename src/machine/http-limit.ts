// How large an answer may be: a server must not fill this host's memory or disk.
import {safeUrl} from './credentials.js'
import {HttpError} from './http.js'

const MIB = 1024 ** 2

/** Kept in memory. The largest request, a page of 500 pods or nodes, has a few MiB. */
export const LARGEST_ANSWER = 64 * MIB
/** Read in pieces: Docker reports the progress of every layer of a pull, up to an hour. */
export const LARGEST_STREAM = 512 * MIB
/** For a download whose caller knows no better. */
export const LARGEST_DOWNLOAD = 1024 * MIB

export function tooLarge(url: string, maxBytes: number): HttpError {
  const place = safeUrl(url)
  return new HttpError(place, 'TOO_LARGE', `${place}: the response is larger than ${sizeText(maxBytes)}`)
}

/** The size that is announced, where one is: who announces too much is not listened to at all. */
export function demandSize(url: string, headers: Readonly<Record<string, string>>, maxBytes: number): void {
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw tooLarge(url, maxBytes)
}

/** The same pieces, up to the limit. */
export async function* bounded<T extends Uint8Array>(
  chunks: AsyncIterable<T>,
  url: string,
  maxBytes: number,
): AsyncGenerator<T> {
  let bytes = 0
  for await (const chunk of chunks) {
    bytes += chunk.length
    if (bytes > maxBytes) throw tooLarge(url, maxBytes)
    yield chunk
  }
}

export const sizeText = (bytes: number): string =>
  bytes < MIB ? `${Math.floor(bytes / 1024)} KiB` : `${Math.floor(bytes / MIB)} MiB`
