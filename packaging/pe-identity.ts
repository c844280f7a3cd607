// What Windows shows of k8s-win.exe, in its properties, the task manager and in rules of AppLocker: a version resource and an
// icon of its own in place of those of Node.js.
// Formats: Microsoft's VS_VERSIONINFO, VS_FIXEDFILEINFO, and "The evolution of the ICO file format".
import packageDocument from '../package.json' with {type: 'json'}
import type {Resource} from './pe-resource.js'

const RT = {groupIcon: 14, icon: 3, version: 16} as const
const ENGLISH = 0x04_09
const UNICODE = 0x04_b0

export const VERSION_TEXTS = {
  CompanyName: packageDocument.author,
  FileDescription: 'k8s-win: Kubernetes on Windows Server',
  FileVersion: packageDocument.version,
  InternalName: 'k8s-win',
  LegalCopyright: `${packageDocument.license} licence. Contains Node.js and other software: see licences.txt.`,
  OriginalFilename: 'k8s-win.exe',
  ProductName: 'k8s-win',
  ProductVersion: packageDocument.version,
}

export function identityResources(): Resource[] {
  const icons = [16, 32, 48].map((size, nth) => ({bytes: iconImage(size), id: nth + 1, size}))
  return [
    {bytes: versionInfo(packageDocument.version, VERSION_TEXTS), language: ENGLISH, name: 1, type: RT.version},
    ...icons.map(({bytes, id}) => ({bytes, language: ENGLISH, name: id, type: RT.icon})),
    {bytes: groupOf(icons), language: ENGLISH, name: 1, type: RT.groupIcon},
  ]
}

/** VS_VERSIONINFO. A version such as 1.2.3 or 1.2.3-rc.1 is 1.2.3.0 in numbers. */
function versionInfo(version: string, texts: Readonly<Record<string, string>>): Buffer {
  const [major = 0, minor = 0, patch = 0] = version.split(/[-+]/)[0]!.split('.').map(Number)
  const fixed = Buffer.alloc(52)
  const numbers = [major * 0x1_00_00 + minor, patch * 0x1_00_00]
  const [WINDOWS_NT, APPLICATION] = [0x4_00_04, 1]
  const fields = [0xfe_ef_04_bd, 0x1_00_00, ...numbers, ...numbers, 0x3f, 0, WINDOWS_NT, APPLICATION]
  for (const [nth, field] of fields.entries()) fixed.writeUInt32LE(field, nth * 4)
  const language = (ENGLISH * 0x1_00_00 + UNICODE).toString(16).padStart(8, '0')
  const translation = Buffer.alloc(4)
  translation.writeUInt16LE(ENGLISH, 0)
  translation.writeUInt16LE(UNICODE, 2)
  const strings = Object.entries(texts).map(([key, text]) => node(key, `${text}\0`))
  return node('VS_VERSION_INFO', fixed, [
    node('StringFileInfo', '', [node(language, '', strings)]),
    node('VarFileInfo', Buffer.alloc(0), [node('Translation', translation)]),
  ])
}

/** Length, length of the value (of a text: in letters), kind, key, value, children; each part begins at a multiple of four. */
function node(key: string, value: Buffer | string, children: readonly Buffer[] = []): Buffer {
  const isText = typeof value === 'string'
  const head = Buffer.concat([Buffer.alloc(6), Buffer.from(`${key}\0`, 'utf16le')])
  const parts = [head, isText ? Buffer.from(value, 'utf16le') : value, ...children]
  const filled = parts.map((part, nth) =>
    nth === parts.length - 1 ? part : Buffer.concat([part, Buffer.alloc(-part.length & 3)]),
  )
  const result = Buffer.concat(filled)
  result.writeUInt16LE(result.length, 0)
  result.writeUInt16LE(value.length, 2)
  result.writeUInt16LE(isText ? 1 : 0, 4)
  return result
}

/** A blue hexagon with a white window in it: a bitmap of 32 bits a pixel, from the bottom up, and an empty mask. */
function iconImage(size: number): Buffer {
  const header = Buffer.alloc(40)
  for (const [at, value] of [
    [0, 40],
    [4, size],
    // Of the bitmap and the mask together.
    [8, size * 2],
    [12, 0x20_00_01],
  ] as const)
    header.writeUInt32LE(value, at)
  const pixels = Buffer.alloc(size * size * 4)
  for (let nth = 0; nth < size * size; nth++) {
    const [x, y] = [((nth % size) + 0.5) / size - 0.5, (Math.floor(nth / size) + 0.5) / size - 0.5].map(Math.abs) as [
      number,
      number,
    ]
    const isHexagon = x < 0.43 && y < 0.5 - x * 0.58
    const isPane = x > 0.03 && x < 0.22 && y > 0.03 && y < 0.22
    if (isHexagon) pixels.writeUInt32LE(isPane ? 0xff_ff_ff_ff : 0xff_1f_5f_bf, nth * 4)
  }
  // A row of the mask takes whole groups of 32 pixels.
  return Buffer.concat([header, pixels, Buffer.alloc(Math.ceil(size / 32) * 4 * size)])
}

/** GRPICONDIR: which icons there are, by their sizes. */
function groupOf(icons: readonly {readonly bytes: Buffer; readonly id: number; readonly size: number}[]): Buffer {
  const head = Buffer.alloc(6)
  head.writeUInt16LE(1, 2)
  head.writeUInt16LE(icons.length, 4)
  const entries = icons.map(({bytes, id, size}) => {
    const entry = Buffer.alloc(14)
    entry.set([size, size], 0)
    entry.writeUInt16LE(1, 4)
    entry.writeUInt16LE(32, 6)
    entry.writeUInt32LE(bytes.length, 8)
    entry.writeUInt16LE(id, 12)
    return entry
  })
  return Buffer.concat([head, ...entries])
}
