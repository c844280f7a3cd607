// A reader of ZIP archives by the book, which trusts nothing: every size, offset and checksum is held against the others.
import {crc32, inflateRawSync} from 'node:zlib'

export interface Unzipped {
  readonly bytes: Buffer
  readonly modified: string
  readonly name: string
}

export function unzip(archive: Buffer): Unzipped[] {
  const end = archive.length - 22
  equal(archive.readUInt32LE(end), 0x06054b50, 'end of central directory')
  const count = archive.readUInt16LE(end + 10)
  equal(archive.readUInt16LE(end + 8), count, 'members on this disk')
  equal(archive.readUInt16LE(end + 20), 0, 'comment')
  const directory = archive.readUInt32LE(end + 16)
  equal(directory + archive.readUInt32LE(end + 12), end, 'end of the directory')
  const members: Unzipped[] = []
  let [at, next] = [directory, 0]
  for (let index = 0; index < count; index++) {
    equal(archive.readUInt32LE(at), 0x02014b50, 'central header')
    const [flags, method, crc] = [
      archive.readUInt16LE(at + 8),
      archive.readUInt16LE(at + 10),
      archive.readUInt32LE(at + 16),
    ]
    const [packed, size, nameLength] = [20, 24, 28].map((field) =>
      field === 28 ? archive.readUInt16LE(at + field) : archive.readUInt32LE(at + field),
    ) as [number, number, number]
    const [extra, comment, local] = [
      archive.readUInt16LE(at + 30),
      archive.readUInt16LE(at + 32),
      archive.readUInt32LE(at + 42),
    ]
    const name = archive.subarray(at + 46, at + 46 + nameLength).toString('utf8')
    equal(flags, 0x0800, `flags of ${name}`)
    equal(local, next, `offset of ${name}`)
    equal(archive.readUInt32LE(local), 0x04034b50, `local header of ${name}`)
    // Version needed to the length of the extra field are the same in both.
    equal(archive.subarray(local + 4, local + 30).equals(archive.subarray(at + 6, at + 32)), true, `headers of ${name}`)
    const start = local + 30 + nameLength
    equal(archive.subarray(local + 30, start).toString('utf8'), name, 'name')
    const data = archive.subarray(start, start + packed)
    const bytes = method === 8 ? inflateRawSync(data) : Buffer.from(data)
    equal(bytes.length, size, `size of ${name}`)
    equal(crc32(bytes), crc, `checksum of ${name}`)
    members.push({bytes, modified: momentOf(archive.readUInt32LE(at + 12)), name})
    next = start + packed
    at += 46 + nameLength + extra + comment
  }

  equal(next, directory, 'the directory follows the last member')
  equal(at, end, 'the end follows the directory')
  return members
}

function momentOf(dos: number): string {
  const [date, time] = [dos >>> 16, dos & 0xffff]
  const parts = [1980 + (date >> 9), ((date >> 5) & 15) - 1, date & 31, time >> 11, (time >> 5) & 63, (time & 31) * 2]
  return new Date(Date.UTC(...(parts as [number, number, number, number, number, number]))).toISOString()
}

function equal(seen: unknown, wanted: unknown, what: string): void {
  if (seen !== wanted) throw new Error(`${what}: ${String(seen)}, wanted ${String(wanted)}`)
}
