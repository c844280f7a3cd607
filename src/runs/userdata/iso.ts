// An image of a CD: ISO 9660 (ECMA-119) with Joliet names, as a drive of NoCloud (cidata) or ConfigDrive (config-2) needs it.
// Windows shows the Joliet names, which have no version, as those that genisoimage and xorriso write. The bytes depend on the
// volume alone.

export interface IsoVolume {
  readonly files: readonly {readonly content: Uint8Array; readonly name: string}[]
  /** Each is in the one before it, and all files are in the last. */
  readonly folders: readonly string[]
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
  /** The first sector. */
  readonly at: number
  readonly bytes: number
  readonly identifier: Buffer
  readonly isFolder?: true
}

/**
 * The descriptors; the path tables and folders of each hierarchy, a sector each, which is enough for all that such a drive has;
 * the files.
 */
export function isoImage({files, folders, label}: IsoVolume): Uint8Array {
  const hierarchies = [PLAIN, JOLIET]
  const tablesAt = DESCRIPTORS_AT + hierarchies.length + 1
  const sectorsOfEach = 2 + 1 + folders.length
  let sectors = tablesAt + hierarchies.length * sectorsOfEach
  const placed = files.map((file) => {
    const at = sectors
    sectors += Math.ceil(file.content.length / SECTOR)
    return {...file, at, bytes: file.content.length}
  })

  const image = Buffer.alloc(sectors * SECTOR)
  const put = (bytes: Uint8Array, at: number): void => image.set(bytes, at * SECTOR)
  for (const [index, naming] of hierarchies.entries()) {
    const little = tablesAt + index * sectorsOfEach
    const names = [SELF, ...folders.map((name) => naming.folderName(name))]
    const levels = names.map((identifier, level): Entry => {
      return {at: little + 2 + level, bytes: SECTOR, identifier, isFolder: true}
    })
    const leaves = placed.map(({at, bytes, name}): Entry => ({at, bytes, identifier: naming.fileName(name)}))
    leaves.sort((one, other) => one.identifier.compare(other.identifier))
    const table = pathTable(levels, 'LE')
    put(
      descriptor({label, little, naming, root: levels[0]!, sectors, tableBytes: table.length}),
      DESCRIPTORS_AT + index,
    )
    put(table, little)
    put(pathTable(levels, 'BE'), little + 1)
    for (const [level, folder] of levels.entries()) {
      const above = levels[level - 1] ?? folder
      put(recordsOf(folder, above, level === folders.length ? leaves : [levels[level + 1]!]), folder.at)
    }
  }

  put(header(TERMINATOR), DESCRIPTORS_AT + hierarchies.length)
  for (const {at, content} of placed) put(content, at)
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

/** The records of a folder (ECMA-119, 9.1). */
function recordsOf(self: Entry, above: Entry, inside: readonly Entry[]): Buffer {
  const all = [{...self, identifier: SELF}, {...above, identifier: ABOVE}, ...inside]
  const isTwice = inside.some(({identifier}, index) => inside[index + 1]?.identifier.equals(identifier))
  const bytes = Buffer.concat(all.map(recordOf))
  if (isTwice || bytes.length > SECTOR)
    throw new RangeError('a folder of the image has too many files, or two of one name')
  return bytes
}

function recordOf({at, bytes, identifier, isFolder}: Entry): Buffer {
  const record = Buffer.alloc(even(33 + identifier.length))
  record[0] = record.length
  writeBoth32(record, at, 2)
  writeBoth32(record, bytes, 10)
  RECORDED.copy(record, 18)
  record[25] = isFolder ? 2 : 0
  writeBoth16(record, 1, 28)
  record[32] = identifier.length
  identifier.copy(record, 33)
  return record
}

/** ECMA-119, 9.4: a folder's number is its place, from 1. The root is in itself. */
function pathTable(levels: readonly Entry[], order: 'BE' | 'LE'): Buffer {
  const records = levels.map(({at, identifier}, level) => {
    const record = Buffer.alloc(8 + even(identifier.length))
    record[0] = identifier.length
    record[`writeUInt32${order}`](at, 2)
    record[`writeUInt16${order}`](Math.max(1, level), 6)
    identifier.copy(record, 8)
    return record
  })
  return Buffer.concat(records)
}

const even = (length: number): number => length + (length % 2)

/** The text fields of a descriptor after the label, which say nothing here: where each begins, and the end. */
const FIELDS = [190, 318, 446, 574, 702, 739, 776, 813]

interface Described {
  readonly label: string
  /** The first of the two path tables, whose numbers begin with the low byte. */
  readonly little: number
  readonly naming: Naming
  readonly root: Entry
  readonly sectors: number
  readonly tableBytes: number
}

/** ECMA-119, 8.4 and 8.5. */
function descriptor({label, little, naming, root, sectors, tableBytes}: Described): Buffer {
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
  writeBoth16(bytes, 1, 120)
  writeBoth16(bytes, 1, 124)
  writeBoth16(bytes, SECTOR, 128)
  writeBoth32(bytes, tableBytes, 132)
  bytes.writeUInt32LE(little, 140)
  bytes.writeUInt32BE(little + 1, 148)
  recordOf(root).copy(bytes, 156)
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
