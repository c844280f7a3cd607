// Splits bytes into lines: UTF-8 or UTF-16, bounded, whatever is in them.
import type {Line} from './entry.js'

export type Encoding = 'utf-16be' | 'utf-16le' | 'utf-8'

/** Longer lines are cut: no daemon writes them, and a file that is not a log may have no line ends at all. */
export const LONGEST_LINE = 65_536

const NEWLINE = 0x0a
const SAMPLE = 512

/** By the byte order mark, or by the zeros that Latin letters have in every other byte of UTF-16. */
export function encodingOf(beginning: Uint8Array): Encoding {
  const [first, second] = beginning
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  const pairs = Math.floor(Math.min(beginning.length, SAMPLE) / 2)
  let even = 0
  let odd = 0
  for (let pair = 0; pair < pairs; pair++) {
    if (beginning[pair * 2] === 0) even++
    if (beginning[pair * 2 + 1] === 0) odd++
  }
  if (pairs >= 4 && odd > pairs / 2 && even < pairs / 8) return 'utf-16le'
  if (pairs >= 4 && even > pairs / 2 && odd < pairs / 8) return 'utf-16be'
  return 'utf-8'
}

/** The offset of the next line end, or -1; `bytes` begin with a whole character. */
export function newlineIn(bytes: Buffer, from: number, encoding: Encoding): number {
  if (encoding === 'utf-8') return bytes.indexOf(NEWLINE, from)
  const low = encoding === 'utf-16le' ? 0 : 1
  for (let at = bytes.indexOf(NEWLINE, from); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) {
    const start = at - low
    if (start % 2 === 0 && start >= from && bytes[start + (1 - low)] === 0) return start
  }
  return -1
}

export const unitOf = (encoding: Encoding): number => (encoding === 'utf-8' ? 1 : 2)

export class LineSplitter {
  /** The beginning of a line whose end did not come yet, as far as it is kept. */
  #begun: Buffer = Buffer.alloc(0)
  /** Bytes of that line that are not kept. */
  #cut = 0
  readonly #encoding: Encoding
  #offset: number
  readonly #unit: number

  constructor(encoding: Encoding, offset: number) {
    this.#encoding = encoding
    this.#offset = offset
    this.#unit = unitOf(encoding)
  }

  push(bytes: Uint8Array): Line[] {
    const lines: Line[] = []
    const all = this.#begun.length === 0 ? asBuffer(bytes) : Buffer.concat([this.#begun, bytes])
    let from = 0
    for (let end = newlineIn(all, from, this.#encoding); end !== -1; end = newlineIn(all, from, this.#encoding)) {
      lines.push(this.#take(all, from, end))
      from = end + this.#unit
      this.#offset += this.#unit
    }

    const rest = all.subarray(from)
    const half = rest.length % this.#unit
    const more = rest.length - half - LONGEST_LINE
    this.#begun = more > 0 ? Buffer.concat([rest.subarray(0, LONGEST_LINE), rest.subarray(rest.length - half)]) : rest
    this.#cut += Math.max(0, more)
    return lines
  }

  /** The last line, where it has no line end. */
  end(): Line[] {
    const begun = this.#begun
    this.#begun = Buffer.alloc(0)
    return begun.length > 0 ? [this.#take(begun, 0, begun.length)] : []
  }

  #take(bytes: Buffer, from: number, end: number): Line {
    const offset = this.#offset
    const cut = this.#cut + Math.max(0, end - from - LONGEST_LINE)
    this.#offset += end - from + this.#cut
    this.#cut = 0
    const text = decode(bytes, from, Math.min(end, from + LONGEST_LINE), this.#encoding, offset === 0)
    const line = text.endsWith('\r') ? text.slice(0, -1) : text
    return {offset, text: cut > 0 ? `${line} [${cut} bytes more, cut]` : line}
  }
}

/** `atStart`: of the file, where a byte order mark may be. */
export function decode(bytes: Buffer, from: number, end: number, encoding: Encoding, atStart: boolean): string {
  if (encoding !== 'utf-8') return new TextDecoder(encoding, {ignoreBOM: !atStart}).decode(bytes.subarray(from, end))
  const text = bytes.toString('utf8', from, end)
  return atStart && text.startsWith('\uFEFF') ? text.slice(1) : text
}

export const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
