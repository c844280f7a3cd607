// containerd's database as a file of the simulated drive, made of the state of the simulated containerd whenever it is
// read: a bolt database of one page per bucket (go.etcd.io/bbolt), with what k8s-win reads of the schema
// (containerd, core/metadata/buckets.go).
import {win32} from 'node:path'
import type {Files} from '../../machine/files.js'
import type {World} from '../world.js'
import {imagesIn, namesOf} from './images.js'
import {type ContainerdState, KUBERNETES_NAMESPACE} from './state.js'

interface Tree {
  readonly [name: string]: Tree | string
}

/** What the simulated containerd writes when it opens its root. */
export const standInDatabase = (version: string): string => `${STAND_IN}${version}`

const STAND_IN = 'opened by '

/** In the place of the stand-in. On a twin the host's own is read as it is. */
export const withDatabase = (files: Files, world: World): Files => ({
  ...files,
  async read(path) {
    const bytes = await files.read(path)
    const isIt = bytes?.subarray(0, STAND_IN.length).toString() === STAND_IN && win32.basename(path) === 'meta.db'
    return isIt ? boltOf({v1: {version: '3', ...namespacesOf(world)}}) : bytes
  },
})

function namespacesOf(world: World): Tree {
  const {containers = [], images} = world.containerd
  const named = [...containers, ...images].map(({namespace = KUBERNETES_NAMESPACE}) => namespace)
  const all = [...new Set([KUBERNETES_NAMESPACE, ...named])]
  return Object.fromEntries(all.map((namespace) => [namespace, namespaceOf(world, namespace)]))
}

function namespaceOf(world: World, namespace: string): Tree {
  const {containers = []} = world.containerd
  const own = containers.filter((one) => one.namespace === namespace).map(({id}) => [id, {labels: {}}] as const)
  const ofPods = namespace === KUBERNETES_NAMESPACE ? podsOf(world.containerd) : []
  return {
    containers: Object.fromEntries([...own, ...ofPods]),
    images: Object.fromEntries(imagesIn(world, namespace).flatMap((image) => namesOf(image).map((name) => [name, {}]))),
  }
}

/** A sandbox is a container too, with the labels of its pod. */
const podsOf = ({sandboxes}: ContainerdState): (readonly [string, Tree])[] =>
  sandboxes.flatMap(({containers, ...pod}) => [pod, ...containers].map(({id, labels}) => [id, {labels}] as const))

const PAGE = 4096
const HEADER = 16
const [LEAF, META] = [0x02, 0x04]
const IS_BUCKET = 0x01

function boltOf(tree: Tree): Buffer {
  // Two meta pages, an empty list of free pages, and the root last.
  const pages: Buffer[] = []
  const next = (): number => 3 + pages.reduce((sum, page) => sum + page.length / PAGE, 0)
  const write = (bucket: Tree): number => {
    const entries = Object.entries(bucket)
      .map(([key, value]) => ({isBucket: typeof value !== 'string', key: Buffer.from(key), value: valueOf(value)}))
      .sort((one, other) => Buffer.compare(one.key, other.key))
    const id = next()
    pages.push(leafPage(id, entries))
    return id
  }
  const valueOf = (value: Tree | string): Buffer => {
    if (typeof value === 'string') return Buffer.from(value)
    const header = Buffer.alloc(16)
    header.writeBigUInt64LE(BigInt(write(value)), 0)
    return header
  }
  const root = write(tree)
  const free = Buffer.alloc(PAGE)
  free.writeBigUInt64LE(2n, 0)
  free.writeUInt16LE(0x10, 8)
  return Buffer.concat([metaPage(0, root, next()), metaPage(1, root, next()), free, ...pages])
}

interface Entry {
  readonly isBucket: boolean
  readonly key: Buffer
  readonly value: Buffer
}

function leafPage(id: number, entries: readonly Entry[]): Buffer {
  const bytes = entries.reduce((sum, {key, value}) => sum + HEADER + key.length + value.length, HEADER)
  const count = Math.ceil(bytes / PAGE)
  const page = Buffer.alloc(count * PAGE)
  page.writeBigUInt64LE(BigInt(id), 0)
  page.writeUInt16LE(LEAF, 8)
  page.writeUInt16LE(entries.length, 10)
  page.writeUInt32LE(count - 1, 12)
  let at = HEADER * (1 + entries.length)
  for (const [index, {isBucket, key, value}] of entries.entries()) {
    const element = HEADER * (1 + index)
    const fields = [isBucket ? IS_BUCKET : 0, at - element, key.length, value.length]
    for (const [nth, field] of fields.entries()) page.writeUInt32LE(field, element + 4 * nth)
    key.copy(page, at)
    value.copy(page, at + key.length)
    at += key.length + value.length
  }

  return page
}

function metaPage(id: number, root: number, end: number): Buffer {
  const page = Buffer.alloc(PAGE)
  page.writeBigUInt64LE(BigInt(id), 0)
  page.writeUInt16LE(META, 8)
  const meta = page.subarray(HEADER)
  meta.writeUInt32LE(0xed_0c_da_ed, 0)
  meta.writeUInt32LE(2, 4)
  meta.writeUInt32LE(PAGE, 8)
  for (const [offset, value] of [
    [16, root],
    [32, 2],
    [40, end],
    [48, id],
  ] as const)
    meta.writeBigUInt64LE(BigInt(value), offset)
  let hash = 0xcb_f2_9c_e4_84_22_23_25n
  for (const byte of meta.subarray(0, 56)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x1_00_00_00_01_b3n)
  meta.writeBigUInt64LE(hash, 56)
  return page
}
