// Paths as Windows' own functions take them.
import path from 'node:path'

/** From here on Windows' own path functions want the \\?\ form. */
const LONG_PATH = 248

export function nativePath(file: string): string {
  return file.length < LONG_PATH ? file : path.win32.toNamespacedPath(file)
}
