// A bolt database, read without the program that has it open: buckets of keys, whose values are bytes or buckets again
// (go.etcd.io/bbolt: page.go, bucket.go, db.go). Whatever does not fit is an error, never an empty bucket.

/** A value is what was stored, or a bucket in the bucket. */
export type Bucket = ReadonlyMap<string, Buffer | SubBucket>
/** Read when it is needed. */
export type SubBucket = () => Bucket

/** The file is not a bolt database, or is damaged, or was changed while it was read. */
export class BoltError extends Error {}

const [BRANCH, LEAF, META] = [0x01, 0x02, 0x04]
const HEADER = 16
const ELEMENT = 16
const BUCKET_HEADER = 16
const IS_BUCKET = 0x01
const MAGIC = 0xed_0c_da_ed
const VERSION = 2
/** The checksum is over what is before it. */
const CHECKSUM_AT = 56
/** That of Windows on x86_64, where one of the two meta pages is damaged and does not say its size. */
const PAGE_BYTES = 4096

export function readBolt(file: Buffer): Bucket {
  const {pageBytes, root} = newest(metaAt(file, 0), metaAt(file, PAGE_BYTES))
  return inFile(() => bucketAt({file, pageBytes, seen: new Set()}, root))
}

/** A number that was read leads out of the file. */
function inFile<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw error instanceof RangeError ? new BoltError('it ends too early') : error
  }
}

interface Meta {
  readonly pageBytes: number
  readonly root: number
  readonly transaction: bigint
}

function metaAt(file: Buffer, start: number): Meta | undefined {
  const page = start + HEADER
  if (file.length < page + CHECKSUM_AT + 8) return undefined
  const isMeta = file.readUInt16LE(start + 8) === META && file.readUInt32LE(page) === MAGIC
  if (!isMeta || file.readUInt32LE(page + 4) !== VERSION) return undefined
  if (fnv1a(file.subarray(page, page + CHECKSUM_AT)) !== file.readBigUInt64LE(page + CHECKSUM_AT)) return undefined
  return {
    pageBytes: file.readUInt32LE(page + 8),
    root: Number(file.readBigUInt64LE(page + 16)),
    transaction: file.readBigUInt64LE(page + 48),
  }
}

/** They are written in turn: the other one is of the transaction before. */
function newest(one: Meta | undefined, other: Meta | undefined): Meta {
  const [first, second] = [one ?? other, other ?? one]
  if (!first || !second) throw new BoltError('it has no valid meta page')
  return first.transaction > second.transaction ? first : second
}

/** As Go's hash/fnv. */
function fnv1a(bytes: Uint8Array): bigint {
  let hash = 0xcb_f2_9c_e4_84_22_23_25n
  for (const byte of bytes) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x1_00_00_00_01_b3n)
  return hash
}

interface Database {
  readonly file: Buffer
  readonly pageBytes: number
  /** A page belongs to one bucket: one that many name would be read again and again. */
  readonly seen: Set<number>
}

function bucketAt(database: Database, root: number): Bucket {
  const found = new Map<string, Buffer | SubBucket>()
  const {seen} = database
  const pages = [root]
  for (let id = pages.pop(); id !== undefined; id = pages.pop()) {
    if (seen.has(id)) throw new BoltError(`page ${id} is in two places`)
    seen.add(id)
    const page = pageAt(database, id)
    if (page.readUInt16LE(8) === BRANCH) pages.push(...childrenOf(page).reverse())
    else readLeaf(database, page, found)
  }

  return found
}

/** With the pages that it overflows into. */
function pageAt({file, pageBytes}: Database, id: number): Buffer {
  const start = id * pageBytes
  if (Number(file.readBigUInt64LE(start)) !== id) throw new BoltError(`page ${id} is another one`)
  const end = start + (1 + file.readUInt32LE(start + 12)) * pageBytes
  return part(file, start, end - start)
}

const childrenOf = (page: Buffer): number[] =>
  Array.from({length: page.readUInt16LE(10)}, (_, index) => Number(page.readBigUInt64LE(HEADER + index * ELEMENT + 8)))

function readLeaf(database: Database, page: Buffer, found: Map<string, Buffer | SubBucket>): void {
  if (page.readUInt16LE(8) !== LEAF) throw new BoltError('a page of a bucket is neither branch nor leaf')
  for (let index = 0; index < page.readUInt16LE(10); index++) {
    const element = HEADER + index * ELEMENT
    const [flags, offset, keyBytes, valueBytes] = [0, 4, 8, 12].map((field) => page.readUInt32LE(element + field)) as [
      number,
      number,
      number,
      number,
    ]
    const key = part(page, element + offset, keyBytes)
    const value = part(page, element + offset + keyBytes, valueBytes)
    found.set(
      key.toString('utf8'),
      (flags & IS_BUCKET) === 0 ? value : once(() => inFile(() => subBucket(database, value))),
    )
  }
}

function once<T>(read: () => T): () => T {
  let result: {readonly value: T} | undefined
  return () => (result ??= {value: read()}).value
}

/** A small bucket is in its value, as a page that has no number. */
function subBucket(database: Database, value: Buffer): Bucket {
  const root = Number(value.readBigUInt64LE(0))
  if (root !== 0) return bucketAt(database, root)
  const found = new Map<string, Buffer | SubBucket>()
  readLeaf(database, value.subarray(BUCKET_HEADER), found)
  return found
}

/** `subarray` would be silent about an end that is not there. */
function part(bytes: Buffer, start: number, length: number): Buffer {
  if (start + length > bytes.length) throw new BoltError('it ends too early')
  return bytes.subarray(start, start + length)
}
