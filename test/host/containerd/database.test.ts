// containerd's database, written by the real containerd 1.6.20 of Debian 12 (ctr made what is in it), and by the simulator.
import {readFileSync} from 'node:fs'
import {gunzipSync} from 'node:zlib'
import {expect, test} from 'vitest'
import {readBolt} from '../../../src/host/containerd/bolt.js'
import {DATABASE, othersInDatabase, SNAPSHOTS} from '../../../src/host/containerd/database.js'
import {FileError, type Files} from '../../../src/machine/files.js'

const recorded = gunzipSync(readFileSync(new URL('recordings/meta-1.6.20.db.gz', import.meta.url)))

const others = (database: Buffer | Error | undefined, layers: readonly string[] = []): Promise<readonly string[]> =>
  othersInDatabase({
    list: async (path: string) => (path === SNAPSHOTS ? layers : []),
    read: async (path: string) => {
      if (database instanceof Error) throw database
      return path === DATABASE ? database : undefined
    },
  } as unknown as Files)

const changed = (change: (bytes: Buffer) => void): Buffer => {
  const bytes = Buffer.from(recorded)
  change(bytes)
  return bytes
}

const UNKNOWN = {id: 'CONTAINERD_FAILED'}

test('names what neither the kubelet nor k8s-win created, in every namespace', async () => {
  const found = await others(recorded)
  // 45 more tags of the image are in pages of their own, below a branch.
  const numbers = Array.from({length: 45}, (_, index) => index + 1)
  const tags = numbers.map(
    (n) => `registry.example/a-somewhat-long-name-of-a-repository/of-a-team/with-number-${n}:v${n}`,
  )
  expect(found.toSorted()).toEqual(
    [
      'the container debug in the namespace k8s.io',
      'the container web in the namespace default',
      ...['registry.example/base:1', ...tags].map((name) => `the image ${name} in the namespace moby`),
    ].toSorted(),
  )
})

test('one meta page is enough: the other one is of the transaction before, or damaged', async () => {
  for (const page of [0, 4096])
    expect(readBolt(changed((bytes) => bytes.fill(0, page + 16, page + 40))).has('v1')).toBe(true)
})

test('what cannot be read is unknown, and never nothing', async () => {
  const both = changed((bytes) => bytes.fill(0, 0, 8192))
  for (const bytes of [Buffer.alloc(0), recorded.subarray(0, 100), recorded.subarray(0, 8192), both])
    await expect(others(bytes)).rejects.toMatchObject(UNKNOWN)
  await expect(others(new FileError('read', DATABASE, 'EBUSY'))).rejects.toMatchObject(UNKNOWN)
  await expect(others(undefined, ['1'])).rejects.toMatchObject(UNKNOWN)
  expect(await others(undefined)).toEqual([])
})

test('a page that is another one than its number says is an error', async () => {
  const isOfBucket = (id: number): boolean => [1, 2].includes(recorded.readUInt16LE(id * 4096 + 8))
  const pages = Array.from({length: recorded.length / 4096}, (_, id) => id).filter(isOfBucket)
  const all = await others(recorded)
  const ends = await Promise.all(
    pages.map((id) => others(changed((bytes) => bytes.writeBigUInt64LE(9999n, id * 4096))).catch(() => undefined)),
  )
  // Pages of earlier transactions are left in the file, and read by nobody.
  expect(ends.filter((found) => found === undefined).length).toBeGreaterThan(3)
  for (const found of ends) if (found) expect(found).toEqual(all)
})
