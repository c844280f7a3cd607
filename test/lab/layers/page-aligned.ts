// A Windows program with its sections where pages begin in the file: only then can Wine map them. Else it reads all of them
// into memory of the process, 85 MB for node.exe, at each start, and copies their page tables whenever that starts another.
// The sections themselves stay as they are.
import {readFileSync, writeFileSync} from 'node:fs'
import {pathToFileURL} from 'node:url'

const PAGE = 0x10_00
/** Offsets of the PE format, in the file and in its optional header (PE32+). */
const PE_HEADER_AT = 0x3c
const OPTIONAL_AT = 24
const FILE_ALIGNMENT_AT = 36
const HEADERS_SIZE_AT = 60
/** The signature, the fifth of the directories: it is at an offset of the file, and is not of this one any more. */
const SIGNATURE_AT = 112 + 4 * 8
const SECTION_SIZE = 40

export function pageAligned(program: Buffer): Buffer {
  const pe = program.readUInt32LE(PE_HEADER_AT)
  const optional = pe + OPTIONAL_AT
  const table = optional + program.readUInt16LE(pe + 20)
  const headersSize = program.readUInt32LE(optional + HEADERS_SIZE_AT)
  if (headersSize > PAGE) throw new Error(`headers of ${headersSize} bytes do not fit into a page`)
  const headers = Buffer.alloc(PAGE)
  program.copy(headers, 0, 0, headersSize)
  headers.writeUInt32LE(PAGE, optional + FILE_ALIGNMENT_AT)
  headers.writeUInt32LE(PAGE, optional + HEADERS_SIZE_AT)
  headers.fill(0, optional + SIGNATURE_AT, optional + SIGNATURE_AT + 8)
  const parts = [headers]
  let end = PAGE
  for (let nth = 0; nth < program.readUInt16LE(pe + 6); nth++) {
    const section = table + nth * SECTION_SIZE
    const [size, at] = [program.readUInt32LE(section + 16), program.readUInt32LE(section + 20)]
    if (size === 0) continue
    const part = Buffer.alloc(Math.ceil(size / PAGE) * PAGE)
    program.copy(part, 0, at, at + size)
    headers.writeUInt32LE(part.length, section + 16)
    headers.writeUInt32LE(end, section + 20)
    parts.push(part)
    end += part.length
  }

  return Buffer.concat(parts)
}

const [, self, from, to] = process.argv
if (import.meta.url === pathToFileURL(self ?? '').href) writeFileSync(to!, pageAligned(readFileSync(from!)))
