// The headers of a 64-bit Windows program. Format: Microsoft's "PE Format".

const PE_HEADER_AT = 0x3c
const PE32_PLUS = 0x2_0b
const OPTIONAL_AT = 24
/** Of the optional header. */
export const AT = {
  certificates: 112 + 4 * 8,
  checksum: 64,
  fileAlignment: 36,
  headersSize: 60,
  imageSize: 56,
  initializedData: 8,
  loadConfiguration: 112 + 10 * 8,
  resources: 112 + 2 * 8,
  sectionAlignment: 32,
} as const
export const SECTION_SIZE = 40

export interface Section {
  readonly rva: number
  /** In the file. */
  readonly size: number
  readonly start: number
  readonly virtualSize: number
}

export interface Layout {
  /** Where the file ends without its signature. */
  readonly end: number
  readonly optional: number
  readonly pe: number
  readonly sections: readonly Section[]
  readonly table: number
}

export function layoutOf(program: Buffer): Layout {
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
      size: program.readUInt32LE(at + 16),
      start: program.readUInt32LE(at + 20),
      virtualSize: program.readUInt32LE(at + 8),
    }
  })
  // The one directory that is at an offset of the file, at its end.
  const signature = program.readUInt32LE(optional + AT.certificates)
  return {end: signature === 0 ? program.length : signature, optional, pe, sections, table}
}

/** Where what is loaded at this address is in the file. */
export function fileOffset(sections: readonly Section[], rva: number): number | undefined {
  const section = sections.find((one) => one.rva <= rva && rva < one.rva + one.size)
  return section === undefined ? undefined : section.start + rva - section.rva
}
