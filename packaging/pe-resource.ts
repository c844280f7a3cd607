// Puts a resource into a Windows program (PE32+), as Node.js documents for single executables. postject does the same with a
// parser compiled to WebAssembly, takes half a minute for it, and leaves a broken signature behind.
// Format: Microsoft's "PE Format", sections "Optional Header" and "The .rsrc Section".

/** RT_RCDATA: bytes as they are. */
const RAW_DATA = 10
const PE_HEADER_AT = 0x3c
const PE32_PLUS = 0x2_0b
const OPTIONAL_AT = 24
/** Of the optional header. */
const AT = {
  certificates: 112 + 4 * 8,
  checksum: 64,
  fileAlignment: 36,
  headersSize: 60,
  imageSize: 56,
  initializedData: 8,
  resources: 112 + 2 * 8,
  sectionAlignment: 32,
} as const
const SECTION_SIZE = 40
/** IMAGE_SCN_CNT_INITIALIZED_DATA and IMAGE_SCN_MEM_READ. */
const READ_ONLY_DATA = 0x40_00_00_40
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

/** The program with one resource more, in a section of its own, and without its signature, which would not be valid. */
export function withResource(program: Buffer, name: string, bytes: Buffer): Buffer {
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
  const raw = (tree.get(RAW_DATA) as Tree | undefined) ?? new Map<Key, Leaf | Tree>()
  tree.set(RAW_DATA, raw)
  // The tree comes first, so its size must be known before where the bytes will be.
  const place = (at: number) => raw.set(name, new Map([[0, {codePage: 0, rva: at, size: bytes.length}]]))
  place(0)
  const bytesAt = roundUp(writeTree(tree).length, 16)
  place(rva + bytesAt)
  const content = Buffer.concat([padded(writeTree(tree), bytesAt), bytes])

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

interface Section {
  readonly rva: number
  readonly start: number
  readonly virtualSize: number
}

interface Layout {
  /** Where the file ends without its signature. */
  readonly end: number
  readonly optional: number
  readonly pe: number
  readonly sections: readonly Section[]
  readonly table: number
}

function layoutOf(program: Buffer): Layout {
  const pe = program.readUInt32LE(PE_HEADER_AT)
  const optional = pe + OPTIONAL_AT
  if (program.toString('latin1', pe, pe + 4) !== 'PE\0\0' || program.readUInt16LE(optional) !== PE32_PLUS) {
    throw new Error('not a 64-bit Windows program')
  }
  const table = optional + program.readUInt16LE(pe + 20)
  const sections = Array.from({length: program.readUInt16LE(pe + 6)}, (_, nth) => {
    const at = table + nth * SECTION_SIZE
    return {
      rva: program.readUInt32LE(at + 12),
      start: program.readUInt32LE(at + 20),
      virtualSize: program.readUInt32LE(at + 8),
    }
  })
  // The one directory that is at an offset of the file, at its end.
  const signature = program.readUInt32LE(optional + AT.certificates)
  return {end: signature === 0 ? program.length : signature, optional, pe, sections, table}
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
