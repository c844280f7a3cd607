// An image of a CD: ISO 9660 (ECMA-119) with Joliet names, as a drive of NoCloud (cidata) or ConfigDrive (config-2) needs it.
// Windows shows the Joliet names, which have no version, as those that genisoimage and xorriso write. The bytes depend on the
// files and the label alone.

export interface IsoVolume {
  readonly files: readonly {readonly content: Uint8Array; readonly path: string}[]
  /**
   * cloudbase-init compares it in lower case (osconfigdrive/windows.py, _check_for_config_drive); cloud-init wants it all in
   * upper or all in lower case (DataSourceNoCloud.py, DataSourceConfigDrive.py). ECMA-119 has only upper case, and no hyphen:
   * nobody who reads such drives minds.
   */
  readonly label: 'cidata' | 'config-2'
}

const SECTOR = 2048
/** Of the first volume descriptor (ECMA-119, 6.2.1): what is before it belongs to systems that start from the disc. */
const DESCRIPTORS_AT = 16
const [PRIMARY, SUPPLEMENTARY, TERMINATOR] = [1, 2, 255]

/** 1 January 2000: cloudbase-init copies the files together with their times, and not every time can be set on Windows. */
const RECORDED = Buffer.from([100, 1, 1, 0, 0, 0, 0])
const RECORDED_DIGITS = '2000010100000000'
const NO_TIME = '0'.repeat(16)

/** Where something is, in sectors, and how long, in bytes. */
interface Extent {
  at: number
  readonly bytes: number
}

/** How one of the two hierarchies names things. */
interface Naming {
  readonly escapes: string
  fileName(name: string): Buffer
  folderName(name: string): Buffer
  text(text: string): Buffer
  readonly type: number
}

/** A file or folder of one hierarchy. */
interface Entry {
  readonly extent: Extent
  readonly identifier: Buffer
  /** Of a folder, by name. */
  readonly inside?: readonly Entry[]
}

interface Directory extends Entry {
  readonly inside: readonly Entry[]
}

interface Hierarchy {
  /** In the order of the path table: by level, then by the folder that they are in, then by name. */
  readonly directories: readonly Directory[]
  readonly naming: Naming
  readonly tables: readonly [little: Extent, big: Extent]
}

export function isoImage({files, label}: IsoVolume): Uint8Array {
  const placed = files.map(({content, path}) => ({
    content,
    extent: {at: 0, bytes: content.length},
    names: path.split('/'),
  }))
  const hierarchies = [PLAIN, JOLIET].map((naming) => arranged(placed, naming))
  let sectors = DESCRIPTORS_AT + hierarchies.length + 1
  const tables = hierarchies.flatMap((hierarchy) => [
    ...hierarchy.tables,
    ...hierarchy.directories.map(({extent}) => extent),
  ])
  for (const extent of [...tables, ...placed.map(({extent}) => extent)]) {
    extent.at = sectors
    sectors += Math.ceil(extent.bytes / SECTOR)
  }

  const image = Buffer.alloc(sectors * SECTOR)
  const put = (bytes: Uint8Array, at: number): void => image.set(bytes, at * SECTOR)
  for (const [index, hierarchy] of hierarchies.entries()) {
    const {
      directories,
      tables: [little, big],
    } = hierarchy
    put(descriptor(hierarchy, label, sectors), DESCRIPTORS_AT + index)
    put(pathTable(directories, 'LE'), little.at)
    put(pathTable(directories, 'BE'), big.at)
    for (const directory of directories) put(recordsOf(directories, directory), directory.extent.at)
  }

  put(header(TERMINATOR), DESCRIPTORS_AT + hierarchies.length)
  for (const {content, extent} of placed) put(content, extent.at)
  return image
}

/** Level 1: eight and three upper-case letters, digits and "_" (ECMA-119, 7.5 and 10.1). */
const plainName = (name: string, most: number): string =>
  name
    .toUpperCase()
    .replaceAll(/[^A-Z\d]/g, '_')
    .slice(0, most)

const PLAIN: Naming = {
  escapes: '',
  fileName(name) {
    const [, base = name, extension = ''] = /^(.+)\.([^.]*)$/.exec(name) ?? []
    return Buffer.from(`${plainName(base, 8)}.${plainName(extension, 3)};1`)
  },
  folderName: (name) => Buffer.from(plainName(name, 8)),
  text: (text) => Buffer.from(text),
  type: PRIMARY,
}

const wide = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16()

const JOLIET: Naming = {
  // UCS-2, level 3.
  escapes: '%/E',
  fileName: wide,
  folderName: wide,
  text: wide,
  type: SUPPLEMENTARY,
}

/** A single byte in both hierarchies: a folder itself, which is also the root's name, and the one above it. */
const [SELF, ABOVE] = [Buffer.from([0]), Buffer.from([1])]

interface PlacedFile {
  readonly extent: Extent
  readonly names: readonly string[]
}

function arranged(files: readonly PlacedFile[], naming: Naming): Hierarchy {
  const directories = [directoryOf(files, naming, SELF)]
  for (const {inside} of directories) directories.push(...inside.filter(isDirectory))
  const bytes = pathTable(directories, 'LE').length
  return {
    directories,
    naming,
    tables: [
      {at: 0, bytes},
      {at: 0, bytes},
    ],
  }
}

function directoryOf(files: readonly PlacedFile[], naming: Naming, identifier: Buffer): Directory {
  const entryOf = (name: string): Entry => {
    const named = files.filter(({names}) => names[0] === name)
    const [{extent}] = named as [PlacedFile]
    if (named.some(({names}) => names.length === 1)) return {extent, identifier: naming.fileName(name)}
    const below = named.map((file) => ({...file, names: file.names.slice(1)}))
    return directoryOf(below, naming, naming.folderName(name))
  }
  const inside = [...new Set(files.map(({names}) => names[0] ?? ''))].map(entryOf)
  inside.sort((a, b) => a.identifier.compare(b.identifier))
  return {extent: {at: 0, bytes: SECTOR}, identifier, inside}
}

const isDirectory = (entry: Entry): entry is Directory => entry.inside !== undefined

const above = (directories: readonly Directory[], one: Directory): Directory =>
  directories.find(({inside}) => inside.includes(one)) ?? one

/** The records of a folder (ECMA-119, 9.1). One sector is enough for all that such a drive has. */
function recordsOf(directories: readonly Directory[], self: Directory): Buffer {
  const records = [
    recordOf({...self, identifier: SELF}),
    recordOf({...above(directories, self), identifier: ABOVE}),
    ...self.inside.map(recordOf),
  ]
  const isTwice = self.inside.some(({identifier}, index) => self.inside[index + 1]?.identifier.equals(identifier))
  const bytes = Buffer.concat(records)
  if (isTwice || bytes.length > SECTOR)
    throw new RangeError('a folder of the image has too many files, or two of one name')
  return bytes
}

function recordOf({extent, identifier, inside}: Entry): Buffer {
  const record = Buffer.alloc(even(33 + identifier.length))
  record[0] = record.length
  writeBoth32(record, extent.at, 2)
  writeBoth32(record, extent.bytes, 10)
  RECORDED.copy(record, 18)
  record[25] = inside ? 2 : 0
  writeBoth16(record, 1, 28)
  record[32] = identifier.length
  identifier.copy(record, 33)
  return record
}

/** ECMA-119, 9.4: a folder's number is its place, from 1. */
function pathTable(directories: readonly Directory[], order: 'BE' | 'LE'): Buffer {
  const records = directories.map((directory) => {
    const {extent, identifier} = directory
    const record = Buffer.alloc(8 + even(identifier.length))
    record[0] = identifier.length
    record[`writeUInt32${order}`](extent.at, 2)
    record[`writeUInt16${order}`](directories.indexOf(above(directories, directory)) + 1, 6)
    identifier.copy(record, 8)
    return record
  })
  return Buffer.concat(records)
}

const even = (length: number): number => length + (length % 2)

/** The text fields of a descriptor after the label, which say nothing here: where each begins, and the end. */
const FIELDS = [190, 318, 446, 574, 702, 739, 776, 813]

/** ECMA-119, 8.4 and 8.5. */
function descriptor({directories, naming, tables}: Hierarchy, label: string, sectors: number): Buffer {
  const bytes = header(naming.type)
  const write = (text: string, from: number, to: number): void => {
    // Of a field with an odd length, Joliet leaves the last byte zero.
    const padded = naming.text(text.padEnd(to - from)).subarray(0, to - from)
    padded.copy(bytes, from, 0, padded.length - (naming.type === SUPPLEMENTARY ? (to - from) % 2 : 0))
  }
  write('', 8, 40)
  write(label, 40, 72)
  writeBoth32(bytes, sectors, 80)
  bytes.write(naming.escapes, 88, 'latin1')
  for (const [at, value] of [
    [120, 1],
    [124, 1],
    [128, SECTOR],
  ] as const)
    writeBoth16(bytes, value, at)
  writeBoth32(bytes, tables[0].bytes, 132)
  bytes.writeUInt32LE(tables[0].at, 140)
  bytes.writeUInt32BE(tables[1].at, 148)
  recordOf(directories[0]!).copy(bytes, 156)
  for (const [index, from] of FIELDS.slice(0, -1).entries()) write('', from, FIELDS[index + 1]!)
  // Created, changed, never obsolete, valid from the beginning; each is followed by the time zone.
  for (const [index, time] of [RECORDED_DIGITS, RECORDED_DIGITS, NO_TIME, NO_TIME].entries()) {
    bytes.write(time, 813 + 17 * index, 'latin1')
  }
  // The version of the format.
  bytes[881] = 1
  return bytes
}

function header(type: number): Buffer {
  const bytes = Buffer.alloc(SECTOR)
  bytes[0] = type
  bytes.write('CD001\u0001', 1, 'latin1')
  return bytes
}

function writeBoth16(bytes: Buffer, value: number, at: number): void {
  bytes.writeUInt16LE(value, at)
  bytes.writeUInt16BE(value, at + 2)
}

function writeBoth32(bytes: Buffer, value: number, at: number): void {
  bytes.writeUInt32LE(value, at)
  bytes.writeUInt32BE(value, at + 4)
}
