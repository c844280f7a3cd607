// The plain tar format (ustar), as much of it as the simulator writes and reads.

export interface TarEntry {
  readonly content: Buffer
  readonly name: string
}

const BLOCK = 512

/** Always the same bytes for the same entries: no owner, no time. */
export function writeTar(entries: readonly TarEntry[]): Buffer {
  const parts = entries.flatMap(({content, name}) => [header(name, content.length), padded(content)])
  return Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)])
}

/** Regular files only. Throws on what is no tar. */
export function readTar(bytes: Buffer): TarEntry[] {
  const entries: TarEntry[] = []
  let longName: string | undefined
  for (let at = 0; at + BLOCK <= bytes.length && bytes[at] !== 0;) {
    const block = bytes.subarray(at, at + BLOCK)
    if (octal(block, 148, 8) !== checksum(block)) throw new Error('archive/tar: invalid tar header')
    const content = bytes.subarray(at + BLOCK, at + BLOCK + octal(block, 124, 12))
    const type = String.fromCharCode(block[156] as number)
    const prefix = text(block, 257, 5) === 'ustar' ? text(block, 345, 155) : ''
    const name = longName ?? (prefix ? `${prefix}/${text(block, 0, 100)}` : text(block, 0, 100))
    // pax headers ("x") come from many writers and carry nothing needed here; GNU's "L" carries a long name.
    longName = type === 'L' ? text(content, 0, content.length) : undefined
    if (type === '0' || type === '\0') entries.push({content, name})
    at += BLOCK + Math.ceil(content.length / BLOCK) * BLOCK
  }

  return entries
}

function header(name: string, size: number): Buffer {
  const block = Buffer.alloc(BLOCK)
  block.write(name, 0, 100)
  block.write('0000755\0' + '0000000\0' + '0000000\0', 100)
  block.write(`${size.toString(8).padStart(11, '0')}\0`, 124)
  block.write('00000000000\0', 136)
  block.write('0', 156)
  block.write('ustar\u000000', 257)
  block.write(`${checksum(block).toString(8).padStart(6, '0')}\0 `, 148)
  return block
}

/** The sum of all bytes, the checksum's own eight counted as spaces. */
function checksum(block: Buffer): number {
  let sum = 8 * 0x20
  for (const [at, byte] of block.entries()) if (at < 148 || at >= 156) sum += byte
  return sum
}

const padded = (content: Buffer): Buffer =>
  Buffer.concat([content, Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK)])
const text = (block: Buffer, at: number, length: number): string =>
  block
    .subarray(at, at + length)
    .toString('utf8')
    .replace(/\0.*$/s, '')
const octal = (block: Buffer, at: number, length: number): number =>
  Number.parseInt(text(block, at, length).trim() || '0', 8)
