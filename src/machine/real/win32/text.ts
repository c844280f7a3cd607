// UTF-16 as Windows wants it: terminated by one zero, and lists by two.
import type {Koffi} from './koffi.js'
import type {Pointer} from './library.js'

export function wideString(text: string): Buffer {
  return Buffer.from(`${text}\0`, 'utf16le')
}

/** Each entry with its zero, then one more; an empty list is two zeros. */
export function wideList(entries: readonly string[]): Buffer {
  const terminated = entries.map((entry) => `${entry}\0`).join('')
  return Buffer.from(terminated === '' ? '\0\0' : `${terminated}\0`, 'utf16le')
}

/** Text up to its first zero, or to the end where a writer forgot it. */
export function readWideString(bytes: Buffer): string {
  const text = bytes.toString('utf16le')
  const end = text.indexOf('\0')
  return end === -1 ? text : text.slice(0, end)
}

/** A list as the registry stores it. Entries may be empty: PendingFileRenameOperations has such. */
export function readWideList(bytes: Buffer): string[] {
  const text = bytes.toString('utf16le')
  if (/^\0*$/u.test(text)) return []
  const entries = text.replace(/\0$/u, '').split('\0')
  // The last entry's own zero leaves one empty piece behind it; a list without its end has none.
  return entries.at(-1) === '' ? entries.slice(0, -1) : entries
}

/** A list in memory, up to its empty entry. */
export function decodeWideList(koffi: Koffi, list: Pointer): string[] {
  const entries: string[] = []
  if (list === null) return entries
  for (let at = list; ;) {
    const entry = koffi.decode.string16(at)
    if (entry === '') return entries
    entries.push(entry)
    at += BigInt((entry.length + 1) * 2)
  }
}
