// Files that are no database of containerd, though their first pages say so.
import {expect, test} from 'vitest'
import {BoltError, type Bucket, readBolt} from '../../../src/host/containerd/bolt.js'

const PAGE = 4096

function metaPage(id: number, root: number): Buffer {
  const page = Buffer.alloc(PAGE)
  page.writeBigUInt64LE(BigInt(id), 0)
  page.writeUInt16LE(4, 8)
  const meta = page.subarray(16)
  meta.writeUInt32LE(0xed_0c_da_ed, 0)
  meta.writeUInt32LE(2, 4)
  meta.writeUInt32LE(PAGE, 8)
  meta.writeBigUInt64LE(BigInt(root), 16)
  meta.writeBigUInt64LE(BigInt(id), 48)
  let hash = 0xcb_f2_9c_e4_84_22_23_25n
  for (const byte of meta.subarray(0, 56)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x1_00_00_00_01_b3n)
  meta.writeBigUInt64LE(hash, 56)
  return page
}

function leafPage(id: number, buckets: readonly (readonly [string, Buffer])[]): Buffer {
  const page = Buffer.alloc(PAGE)
  page.writeBigUInt64LE(BigInt(id), 0)
  page.writeUInt16LE(2, 8)
  page.writeUInt16LE(buckets.length, 10)
  let at = 16 + 16 * buckets.length
  for (const [index, [key, value]] of buckets.entries()) {
    const element = 16 + 16 * index
    for (const [nth, field] of [1, at - element, key.length, value.length].entries())
      page.writeUInt32LE(field, element + 4 * nth)
    page.write(key, at)
    value.copy(page, at + key.length)
    at += key.length + value.length
  }
  return page
}

const rootAt = (page: bigint): Buffer => {
  const value = Buffer.alloc(16)
  value.writeBigUInt64LE(page)
  return value
}

const databaseOf = (buckets: readonly (readonly [string, Buffer])[], ...more: readonly Buffer[]): Buffer =>
  Buffer.concat([metaPage(0, 3), metaPage(1, 3), Buffer.alloc(PAGE), leafPage(3, buckets), ...more])

function readAll(bucket: Bucket): void {
  for (const value of bucket.values()) if (typeof value === 'function') readAll(value())
}

test.each([
  ['begins behind its end', rootAt(999n)],
  ['begins at a number that no file has', rootAt(0xff_ff_ff_ff_ff_ff_ff_ffn)],
  ['is too short to say where it begins', Buffer.alloc(3)],
  ['is in its value, and is not there', rootAt(0n)],
])('a bucket that %s is damage', (_, value) => {
  expect(() => readAll(readBolt(databaseOf([['v1', value]])))).toThrow(BoltError)
})

test('buckets that share a page are damage: reading it for each would take minutes', () => {
  const shared = leafPage(4, [])
  const one = databaseOf([['v1', rootAt(4n)]], shared)
  expect(() => readAll(readBolt(one))).not.toThrow()
  const two = databaseOf(
    [
      ['v1', rootAt(4n)],
      ['v2', rootAt(4n)],
    ],
    shared,
  )
  expect(() => readAll(readBolt(two))).toThrow(BoltError)
})

test('a bucket may be asked for again', () => {
  const bucket = readBolt(databaseOf([['v1', rootAt(4n)]], leafPage(4, []))).get('v1') as () => Bucket
  expect(bucket()).toBe(bucket())
})
