// Puts a resource into a Windows program (PE32+), as Node.js documents for single executables. postject does the same with a
// parser compiled to WebAssembly, takes half a minute for it, and leaves a broken signature behind.
// Format: Microsoft's "PE Format", sections "Optional Header" and "The .rsrc Section".

import {AT, type Layout, layoutOf, SECTION_SIZE} from './pe-layout.js'

/** IMAGE_SCN_CNT_INITIALIZED_DATA and IMAGE_SCN_MEM_READ. */
const READ_ONLY_DATA = 0x40_00_00_40
/** The bytes of every resource begin at a multiple of this. */
const ALIGNED = 16
const IS_DIRECTORY = 0x80_00_00_00
const IS_NAME = 0x80_00_00_00

/** Types, names and languages are numbers or texts; the last level has leaves. */
type Key = number | string
interface Leaf {
  readonly codePage: number
  readonly rva: number
  readonly size: number
}
type Tree = Map<Key, Leaf | Tree>

export interface Resource {
  readonly bytes: Buffer
  readonly language: number
  readonly name: Key
  readonly type: number
}

/**
 * The program with these resources in a section of its own, in place of all that it has of their types, and without its
 * signature, which would not be valid.
 */
export function withResources(program: Buffer, resources: readonly Resource[]): Buffer {
  const signed = layoutOf(program)
  const {end, optional, pe, sections, table} = signed
  const alignment = program.readUInt32LE(optional + AT.fileAlignment)
  const pages = program.readUInt32LE(optional + AT.sectionAlignment)
  const header = table + sections.length * SECTION_SIZE
  if (header + SECTION_SIZE > program.readUInt32LE(optional + AT.headersSize)) {
    throw new Error('no room for another section in the headers')
  }
  const rva = roundUp(Math.max(...sections.map((section) => section.rva + section.virtualSize)), pages)
  const tree = readTree(program, signed)
  for (const {type} of resources) tree.set(type, new Map())
  // The tree comes first, so its size must be known before where the bytes will be.
  const place = (from: number): void => {
    let at = from
    for (const {bytes, language, name, type} of resources) {
      const ofType = tree.get(type) as Tree
      ofType.set(name, new Map([[language, {codePage: 0, rva: at, size: bytes.length}]]))
      at = roundUp(at + bytes.length, ALIGNED)
    }
  }
  place(0)
  const bytesAt = roundUp(writeTree(tree).length, ALIGNED)
  place(rva + bytesAt)
  const content = Buffer.concat([
    padded(writeTree(tree), bytesAt),
    ...resources.map(({bytes}) => padded(bytes, roundUp(bytes.length, ALIGNED))),
  ])

  const start = roundUp(end, alignment)
  const result = Buffer.concat([
    padded(program.subarray(0, end), start),
    padded(content, roundUp(content.length, alignment)),
  ])
  result.write('.sea\0\0\0\0', header, 'latin1')
  const rawSize = result.length - start
  for (const [offset, value] of [
    [8, content.length],
    [12, rva],
    [16, rawSize],
    [20, start],
    [24, 0],
    [28, 0],
    [32, 0],
    [36, READ_ONLY_DATA],
  ] as const) {
    result.writeUInt32LE(value, header + offset)
  }
  result.writeUInt16LE(sections.length + 1, pe + 6)
  result.writeUInt32LE(roundUp(rva + content.length, pages), optional + AT.imageSize)
  const data = program.readUInt32LE(optional + AT.initializedData)
  result.writeUInt32LE(data + rawSize, optional + AT.initializedData)
  result.writeUInt32LE(rva, optional + AT.resources)
  result.writeUInt32LE(bytesAt, optional + AT.resources + 4)
  // Windows checks it of drivers only; signing the file writes it again.
  result.writeUInt32LE(0, optional + AT.checksum)
  result.fill(0, optional + AT.certificates, optional + AT.certificates + 8)
  return result
}

function readTree(program: Buffer, {optional, sections}: Layout): Tree {
  const rva = program.readUInt32LE(optional + AT.resources)
  const section = sections.findLast((one) => one.rva <= rva)
  if (rva === 0 || section === undefined) return new Map()
  const base = section.start + rva - section.rva
  const read = (at: number): Tree => {
    const count = program.readUInt16LE(at + 12) + program.readUInt16LE(at + 14)
    return new Map(
      Array.from({length: count}, (_, nth): [Key, Leaf | Tree] => {
        const entry = at + 16 + nth * 8
        const [key, target] = [program.readUInt32LE(entry), program.readUInt32LE(entry + 4)]
        return [key >= IS_NAME ? textAt(base + key - IS_NAME) : key, targetAt(target)]
      }),
    )
  }
  const targetAt = (target: number): Leaf | Tree => {
    if (target >= IS_DIRECTORY) return read(base + target - IS_DIRECTORY)
    const at = base + target
    return {codePage: program.readUInt32LE(at + 8), rva: program.readUInt32LE(at), size: program.readUInt32LE(at + 4)}
  }
  const textAt = (at: number): string => program.toString('utf16le', at + 2, at + 2 + program.readUInt16LE(at) * 2)
  return read(base)
}

/** Directories, then leaves, then names. Names come before numbers, each sorted: Windows searches them by halves. */
function writeTree(tree: Tree): Buffer {
  const directories: Tree[] = []
  const collect = (one: Tree): void => {
    directories.push(one)
    for (const child of one.values()) if (child instanceof Map) collect(child)
  }
  collect(tree)
  let at = 0
  const offsets = new Map<Leaf | Tree | string, number>()
  for (const one of directories) {
    offsets.set(one, at)
    at += 16 + one.size * 8
  }
  const leaves = directories.flatMap((one) =>
    [...one.values()].flatMap((child) => (child instanceof Map ? [] : [child])),
  )
  for (const leaf of leaves) {
    offsets.set(leaf, at)
    at += 16
  }
  const names = directories.flatMap((one) => [...one.keys()].flatMap((key) => (typeof key === 'string' ? [key] : [])))
  for (const name of new Set(names)) {
    offsets.set(name, at)
    at += 2 + name.length * 2
  }

  const result = Buffer.alloc(at)
  for (const one of directories) {
    const start = offsets.get(one)!
    const keys = [...one.keys()].sort(compareKeys)
    const named = keys.filter((key) => typeof key === 'string').length
    result.writeUInt16LE(named, start + 12)
    result.writeUInt16LE(keys.length - named, start + 14)
    for (const [nth, key] of keys.entries()) {
      const child = one.get(key)!
      const entry = start + 16 + nth * 8
      result.writeUInt32LE(typeof key === 'string' ? IS_NAME + offsets.get(key)! : key, entry)
      result.writeUInt32LE((child instanceof Map ? IS_DIRECTORY : 0) + offsets.get(child)!, entry + 4)
    }
  }
  for (const leaf of leaves) {
    const start = offsets.get(leaf)!
    result.writeUInt32LE(leaf.rva, start)
    result.writeUInt32LE(leaf.size, start + 4)
    result.writeUInt32LE(leaf.codePage, start + 8)
  }
  for (const name of names) {
    const start = offsets.get(name)!
    result.writeUInt16LE(name.length, start)
    result.write(name, start + 2, 'utf16le')
  }
  return result
}

function compareKeys(a: Key, b: Key): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  if (typeof a === 'string' && typeof b === 'string') return a < b ? -1 : Number(a > b)
  return typeof a === 'string' ? -1 : 1
}

const roundUp = (value: number, step: number): number => Math.ceil(value / step) * step

const padded = (bytes: Buffer, length: number): Buffer => Buffer.concat([bytes, Buffer.alloc(length - bytes.length)])
