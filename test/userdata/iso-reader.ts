// Reads an image of a CD as ECMA-119 and the Joliet specification describe it, and refuses what they do not allow. It knows
// nothing of the writer.
import {strict as assert} from 'node:assert'

export interface ReadVolume {
  readonly files: Readonly<Record<string, Buffer>>
  readonly label: string
}

export interface ReadImage {
  readonly joliet: ReadVolume
  readonly plain: ReadVolume
}

const SECTOR = 2048

export function readIso(image: Uint8Array): ReadImage {
  const bytes = Buffer.from(image)
  assert.equal(bytes.length % SECTOR, 0, 'whole sectors')
  const types: number[] = []
  for (let at = 16 * SECTOR; ; at += SECTOR) {
    assert.equal(bytes.toString('latin1', at + 1, at + 6), 'CD001')
    assert.equal(bytes[at + 6], 1, 'version of the descriptor')
    types.push(bytes[at]!)
    if (bytes[at] === 255) break
  }

  assert.deepEqual(types, [1, 2, 255])
  return {joliet: new Reader(bytes, 17 * SECTOR, true).volume, plain: new Reader(bytes, 16 * SECTOR, false).volume}
}

interface ReadRecord {
  readonly at: number
  readonly bytes: number
  readonly identifier: Buffer
  readonly isFolder: boolean
}

class Reader {
  /** Sectors that are in use, by what uses them. */
  readonly #used = new Map<number, string>()

  constructor(
    readonly bytes: Buffer,
    readonly descriptor: number,
    readonly isWide: boolean,
  ) {}

  get volume(): ReadVolume {
    const {bytes, descriptor, isWide} = this
    assert.equal(this.#both32(descriptor + 80) * SECTOR, bytes.length, 'volume space size')
    assert.equal(this.#both16(descriptor + 120), 1, 'volume set size')
    assert.equal(this.#both16(descriptor + 124), 1, 'volume sequence number')
    assert.equal(this.#both16(descriptor + 128), SECTOR, 'logical block size')
    assert.equal(bytes[descriptor + 881], 1, 'file structure version')
    const escapes = bytes.toString('latin1', descriptor + 88, descriptor + 120).replace(/\0+$/, '')
    // Joliet: UCS-2, level 3.
    assert.equal(escapes, isWide ? '%/E' : '')
    const root = this.#record(descriptor + 156)
    assert.ok(root.isFolder)
    assert.equal(root.identifier.toString('hex'), '00')
    const files: Record<string, Buffer> = {}
    const folders: {above: number; identifier: Buffer; record: ReadRecord}[] = [
      {above: 1, identifier: root.identifier, record: root},
    ]
    const paths = ['']
    for (const [index, {above, record}] of folders.entries()) {
      const [self, up, ...inside] = this.#records(record)
      assert.deepEqual([self?.identifier.toString('hex'), up?.identifier.toString('hex')], ['00', '01'])
      assert.deepEqual([self?.at, up?.at], [record.at, folders[above - 1]?.record.at])
      const sorted = inside.toSorted((a, b) => a.identifier.compare(b.identifier))
      assert.deepEqual(inside, sorted, 'by name')
      for (const one of inside) {
        const path = `${paths[index]}/${this.#name(one)}`
        if (one.isFolder) {
          folders.push({above: index + 1, identifier: one.identifier, record: one})
          paths.push(path)
        } else {
          files[path.slice(1)] = bytes.subarray(one.at * SECTOR, one.at * SECTOR + one.bytes)
          this.#use(one, path)
        }
      }
    }

    const table = folders.map(({above, identifier, record}) => [identifier.toString('hex'), record.at, above])
    assert.deepEqual(this.#pathTable(bytes.readUInt32LE(descriptor + 140), 'LE'), table)
    assert.deepEqual(this.#pathTable(bytes.readUInt32BE(descriptor + 148), 'BE'), table)
    return {files, label: this.#text(bytes.subarray(descriptor + 40, descriptor + 72)).trimEnd()}
  }

  #name({identifier, isFolder}: ReadRecord): string {
    const name = this.#text(identifier)
    // ECMA-119, 7.5 and 10.1 (level 1); Joliet allows 64 characters, and not these.
    if (this.isWide) assert.match(name, /^[^\p{Cc}*/:;?\\]{1,64}$/u)
    else assert.match(name, isFolder ? /^[A-Z\d_]{1,8}$/ : /^[A-Z\d_]{1,8}\.[A-Z\d_]{0,3};1$/)
    return name
  }

  #text(identifier: Buffer): string {
    return this.isWide ? Buffer.from(identifier).swap16().toString('utf16le') : identifier.toString('latin1')
  }

  #records(folder: ReadRecord): ReadRecord[] {
    this.#use(folder, 'folder')
    assert.equal(folder.bytes % SECTOR, 0, 'whole sectors of records')
    const [begin, end] = [folder.at * SECTOR, folder.at * SECTOR + folder.bytes]
    const records: ReadRecord[] = []
    for (let at = begin; at < end;) {
      const length = this.bytes[at]!
      if (length > 0) {
        assert.equal(length % 2, 0, 'records have an even length')
        assert.equal(Math.floor(at / SECTOR), Math.floor((at + length - 1) / SECTOR), 'records stay in a sector')
        records.push(this.#record(at))
        at += length
      } else at = (Math.floor(at / SECTOR) + 1) * SECTOR
    }

    return records
  }

  #record(at: number): ReadRecord {
    const {bytes} = this
    assert.equal(this.#both16(at + 28), 1, 'volume')
    const [month, day] = [bytes[at + 19]!, bytes[at + 20]!]
    assert.ok(month >= 1 && month <= 12 && day >= 1 && day <= 31, 'a date that can be set on a file')
    const length = bytes[at + 32]!
    return {
      at: this.#both32(at + 2),
      bytes: this.#both32(at + 10),
      identifier: bytes.subarray(at + 33, at + 33 + length),
      isFolder: (bytes[at + 25]! & 2) !== 0,
    }
  }

  #pathTable(sector: number, order: 'BE' | 'LE'): [identifier: string, at: number, above: number][] {
    const size = this.#both32(this.descriptor + 132)
    this.#use({at: sector, bytes: size}, `table ${order}`)
    const table: [string, number, number][] = []
    for (let at = sector * SECTOR; at < sector * SECTOR + size;) {
      const length = this.bytes[at]!
      const identifier = this.bytes.toString('hex', at + 8, at + 8 + length)
      table.push([identifier, this.bytes[`readUInt32${order}`](at + 2), this.bytes[`readUInt16${order}`](at + 6)])
      at += 8 + length + (length % 2)
    }

    return table
  }

  #use({at, bytes}: Pick<ReadRecord, 'at' | 'bytes'>, what: string): void {
    for (let sector = at; sector < at + Math.ceil(bytes / SECTOR); sector++) {
      assert.ok(sector >= 19 && sector * SECTOR < this.bytes.length, `${what} is in the volume`)
      assert.equal(this.#used.get(sector), undefined, `sector ${sector} of ${what} is used once`)
      this.#used.set(sector, what)
    }
  }

  #both16(at: number): number {
    assert.equal(this.bytes.readUInt16LE(at), this.bytes.readUInt16BE(at + 2))
    return this.bytes.readUInt16LE(at)
  }

  #both32(at: number): number {
    assert.equal(this.bytes.readUInt32LE(at), this.bytes.readUInt32BE(at + 4))
    return this.bytes.readUInt32LE(at)
  }
}
