// The text form of security descriptors, parsed. Grammar and codes: learn.microsoft.com, "Security Descriptor String
// Format" and "ACE Strings". Who may be trusted is judged elsewhere.
import {remembered} from './remembered.js'

export interface AccessEntry {
  readonly allows: boolean
  /** Two-letter codes: OI files inherit it, CI folders do, IO it counts only for them, ID it came from above. */
  readonly flags: readonly string[]
  readonly mask: number
  /** Between its parentheses. */
  readonly text: string
  /** SYSTEM and Administrators always as SY and BA; others as they are written, a SID or two letters. */
  readonly trustee: string
}

export interface Descriptor {
  /** Undefined: there is no list, and everybody may do everything. */
  readonly entries: readonly AccessEntry[] | undefined
  /** Takes nothing from the folder above. */
  readonly isProtected: boolean
  /** Empty if it is not given. */
  readonly owner: string
}

/** The standard rights, those of files and folders, and the generic ones. */
const RIGHTS: Readonly<Record<string, number>> = {
  CC: 0x1,
  CR: 0x100,
  DC: 0x2,
  DT: 0x40,
  FA: 0x1f_01_ff,
  FR: 0x12_00_89,
  FW: 0x12_01_16,
  FX: 0x12_00_a0,
  GA: 0x1000_0000,
  GR: 0x8000_0000,
  GW: 0x4000_0000,
  GX: 0x2000_0000,
  LC: 0x4,
  LO: 0x80,
  RC: 0x2_00_00,
  RP: 0x10,
  SD: 0x1_00_00,
  SW: 0x8,
  WD: 0x4_00_00,
  WO: 0x8_00_00,
  WP: 0x20,
}
export const EVERY_RIGHT = 0xffff_ffff
const SHAPE =
  /^(?:O:([A-Z]{2}|S-[\dxA-Fa-f-]+))?(?:G:(?:[A-Z]{2}|S-[\dxA-Fa-f-]+))?(?:D:(NO_ACCESS_CONTROL|[A-Z]*)((?:\([^()]*\))*))?(?:S:.*)?$/
const DENIES = new Set(['D', 'OD', 'XD'])
const ALIASES: Readonly<Record<string, string>> = {'S-1-5-18': 'SY', 'S-1-5-32-544': 'BA'}

/** Undefined where it is not understood completely, as with conditional entries: then nothing may be concluded from it. */
export const parseSddl: (sddl: string) => Descriptor | undefined = remembered((sddl) => {
  const parts = SHAPE.exec(sddl)
  if (!parts) return undefined
  const [, owner = '', flags, list = ''] = parts
  const isOpen = flags === undefined || flags === 'NO_ACCESS_CONTROL'
  const entries = [...list.matchAll(/\(([^()]*)\)/g)].map(([, text = '']) => parseEntry(text))
  return {
    entries: isOpen ? undefined : entries,
    isProtected: !isOpen && flags.includes('P'),
    owner: ALIASES[owner] ?? owner,
  }
})

function parseEntry(text: string): AccessEntry {
  const [type = '', flags = '', rights = '', , , trustee = ''] = text.split(';')
  return {
    allows: !DENIES.has(type),
    flags: flags.match(/../g) ?? [],
    mask: parseRights(rights),
    text,
    trustee: ALIASES[trustee] ?? trustee,
  }
}

/** What is not known is taken for everything. */
function parseRights(rights: string): number {
  if (/^(?:0x[\da-f]+|\d+)$/i.test(rights)) return Number(rights) >>> 0
  const codes = rights.match(/../g) ?? []
  const isKnown = codes.join('') === rights && codes.every((code) => RIGHTS[code] !== undefined)
  return isKnown ? codes.reduce((mask, code) => (mask | (RIGHTS[code] ?? 0)) >>> 0, 0) : EVERY_RIGHT
}
