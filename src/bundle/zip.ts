// Writes a ZIP archive (PKWARE APPNOTE 6.3): small enough for memory, every size known beforehand, names in UTF-8.
import {promisify} from 'node:util'
import {crc32, deflateRaw} from 'node:zlib'

export interface ZipMember {
  readonly bytes: Uint8Array
  /** With "/" between folders. */
  readonly path: string
}

const deflate = promisify(deflateRaw)

const LOCAL_HEADER = 0x04_03_4b_50
const CENTRAL_HEADER = 0x02_01_4b_50
const END_OF_CENTRAL = 0x06_05_4b_50
/** 2.0: folders and deflate. */
const VERSION = 20
const UTF8_NAMES = 0x08_00
const STORED = 0
const DEFLATED = 8
/** Beyond these a reader needs ZIP64. */
const MOST_MEMBERS = 0xff_ff
const MOST_BYTES = 0xff_ff_ff_ff

/** Bytes of a file that show whether it is an archive. */
export const ZIP_HEADER_BYTES = 4

/** An archive without members begins with its end. */
export function isZip(header: Uint8Array): boolean {
  const mark = header.length < ZIP_HEADER_BYTES ? 0 : Buffer.from(header).readUInt32LE(0)
  return mark === LOCAL_HEADER || mark === END_OF_CENTRAL
}

/** The members keep their order. */
export async function zip(members: readonly ZipMember[], modifiedMs: number): Promise<Buffer> {
  if (members.length >= MOST_MEMBERS) throw new RangeError(`too many members for a ZIP archive: ${members.length}`)
  const moment = dosMoment(modifiedMs)
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const {bytes, path} of members) {
    const name = Buffer.from(path, 'utf8')
    const packed = await deflate(bytes)
    const isSmaller = packed.length < bytes.length
    const data = isSmaller ? packed : Buffer.from(bytes)
    const shared = Buffer.alloc(26)
    shared.writeUInt16LE(VERSION, 0)
    shared.writeUInt16LE(UTF8_NAMES, 2)
    shared.writeUInt16LE(isSmaller ? DEFLATED : STORED, 4)
    shared.writeUInt32LE(moment, 6)
    shared.writeUInt32LE(crc32(bytes), 10)
    shared.writeUInt32LE(data.length, 14)
    shared.writeUInt32LE(bytes.length, 18)
    shared.writeUInt16LE(name.length, 22)
    directory.push(words(CENTRAL_HEADER), halves(VERSION), shared, Buffer.alloc(10), words(offset), name)
    const local = [words(LOCAL_HEADER), shared, name, data]
    parts.push(...local)
    offset += local.reduce((sum, part) => sum + part.length, 0)
  }

  const central = Buffer.concat(directory)
  const count = halves(members.length)
  const end = [words(END_OF_CENTRAL), Buffer.alloc(4), count, count, words(central.length), words(offset), halves(0)]
  if (offset + central.length > MOST_BYTES) throw new RangeError('too many bytes for a ZIP archive')
  return Buffer.concat([...parts, central, ...end])
}

function words(value: number): Buffer {
  const buffer = Buffer.alloc(4)
  buffer.writeUInt32LE(value)
  return buffer
}

function halves(value: number): Buffer {
  const buffer = Buffer.alloc(2)
  buffer.writeUInt16LE(value)
  return buffer
}

/** The date and time of MS-DOS, in steps of two seconds from 1980 on; in UTC, because it has no zone. */
function dosMoment(ms: number): number {
  const at = new Date(Math.max(ms, Date.UTC(1980, 0, 1)))
  const date = ((at.getUTCFullYear() - 1980) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate()
  const time = (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1)
  return ((date << 16) | time) >>> 0
}
