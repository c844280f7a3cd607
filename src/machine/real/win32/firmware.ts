// The UUID of this machine in the table that its firmware gives to Windows (DSP0134, System Management BIOS).
import type {Win32} from '../../win32.js'
import {demand, functionsOf, lazily, type LazyNative} from './library.js'

/** 'RSMB' */
const RAW_SMBIOS = 0x52_53_4d_42
/** RawSMBIOSData: calling method, major, minor and DMI revision, then the length of the structures after it. */
const HEADER_BYTES = 8
const SYSTEM_INFORMATION = 1
const UUID_AT = 8
const UUID_BYTES = 16
/** Type, length and handle: the shortest structure. */
const SHORTEST = 4
/** Its length has 32 bits; real tables have a few kilobytes. */
const LARGEST = 1024 * 1024
/** From 2.6 on, the first three fields of the UUID are little-endian. */
const LITTLE_ENDIAN_SINCE = 0x02_06

export function openFirmware(native: LazyNative): Pick<Win32, 'systemUuid'> {
  const open = lazily(native, (opened) =>
    functionsOf(opened, 'kernel32.dll', {
      getTable: 'uint32_t GetSystemFirmwareTable(uint32_t, uint32_t, void *, uint32_t)',
    }),
  )

  return {
    async systemUuid() {
      const {getTable} = await open()
      const size = await demand('SMBIOS', getTable(RAW_SMBIOS, 0, null, 0))
      const table = Buffer.alloc(Math.min(size, LARGEST))
      const written = await demand('SMBIOS', getTable(RAW_SMBIOS, 0, table, table.length))
      return uuidIn(table.subarray(0, written))
    },
  }
}

/** Undefined where the table has none. Firmware may write anything: nothing outside of the table is read. */
export function uuidIn(table: Buffer): string | undefined {
  if (table.length < HEADER_BYTES) return undefined
  for (let at = HEADER_BYTES; at + SHORTEST <= table.length;) {
    const [type, length = 0] = table.subarray(at)
    if (length < SHORTEST) return undefined
    const uuid = table.subarray(at + UUID_AT, at + Math.min(length, UUID_AT + UUID_BYTES))
    if (type === SYSTEM_INFORMATION) return uuid.length === UUID_BYTES ? textOf(uuid, table) : undefined
    // Its texts follow it, and end with two zeros.
    const end = table.indexOf('\0\0', at + length, 'latin1')
    if (end === -1) return undefined
    at = end + 2
  }

  return undefined
}

function textOf(uuid: Buffer, table: Buffer): string {
  const isLittleEndian = table.readUInt16BE(1) >= LITTLE_ENDIAN_SINCE
  const field = (from: number, to: number): string => {
    const bytes = Buffer.from(uuid.subarray(from, to))
    return (isLittleEndian && from < 8 ? bytes.reverse() : bytes).toString('hex')
  }
  return [field(0, 4), field(4, 6), field(6, 8), field(8, 10), field(10, 16)].join('-')
}
