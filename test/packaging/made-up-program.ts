// A small Windows program (PE32+): code that loads addresses of names and calls functions, and data with the names.

const [HEADERS, CODE, DATA] = [0x4_00, 0x4_00, 0x20_00]
const [CODE_RVA, DATA_RVA] = [0x10_00, 0x20_00]
/** lea rcx, [rip + offset]; lea rdx, ...: the registers of the first two arguments. */
export const RCX = [0x48, 0x8d, 0x0d] as const
export const RDX = [0x48, 0x8d, 0x15] as const

export interface MadeUpCall {
  /** What the function is: calls with the same number call the same function. */
  readonly callee?: number
  readonly isImported?: boolean
  readonly isWide?: boolean
  readonly load?: readonly number[]
  readonly name: string
}

export interface MadeUpProgram {
  readonly bytes: Buffer
  /** The data after the code, as text. */
  text(): string
}

/** `script` follows the names. `loadConfiguration` is the size that its load configuration says; 0 for none. */
export function madeUpProgram(calls: readonly MadeUpCall[], script = '', loadConfiguration = 0): MadeUpProgram {
  const bytes = Buffer.alloc(HEADERS + CODE + DATA)
  const [pe, optional] = [0x40, 0x40 + 24]
  bytes.writeUInt32LE(pe, 0x3c)
  bytes.write('PE\0\0', pe, 'latin1')
  bytes.writeUInt16LE(2, pe + 6)
  bytes.writeUInt16LE(240, pe + 20)
  bytes.writeUInt16LE(0x2_0b, optional)
  for (const [nth, [rva, size, start]] of [
    [CODE_RVA, CODE, HEADERS],
    [DATA_RVA, DATA, HEADERS + CODE],
  ].entries()) {
    const at = optional + 240 + nth * 40
    for (const [offset, value] of [
      [8, size],
      [12, rva],
      [16, size],
      [20, start],
    ] as const) {
      bytes.writeUInt32LE(value!, at + offset)
    }
  }

  const configuration = DATA - 0x2_00
  if (loadConfiguration > 0) {
    bytes.writeUInt32LE(DATA_RVA + configuration, optional + 112 + 10 * 8)
    bytes.writeUInt32LE(loadConfiguration, HEADERS + CODE + configuration)
  }

  let [at, data] = [HEADERS, 1]
  const relative = (rva: number, next: number): number => rva - (next - HEADERS + CODE_RVA)
  for (const {callee, isImported = false, isWide = false, load = RCX, name} of calls) {
    const encoding = isWide ? 'utf16le' : 'latin1'
    if (isWide) data += data & 1
    bytes.set(load, at)
    bytes.writeInt32LE(relative(DATA_RVA + data, at + 7), at + 3)
    data += bytes.write(`${name}\0`, HEADERS + CODE + data, encoding)
    at += 7
    if (callee === undefined) continue
    const call = isImported ? [0xff, 0x15] : [0xe8]
    bytes.set(call, at)
    at += call.length + 4
    bytes.writeInt32LE(relative(isImported ? DATA_RVA + 0x18_00 + callee * 8 : CODE_RVA + 0x3_00 + callee, at), at - 4)
  }

  bytes.write(script, HEADERS + CODE + data, 'latin1')
  return {bytes, text: () => bytes.toString('latin1', HEADERS + CODE)}
}
