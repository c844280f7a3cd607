// Where the code of a 64-bit Windows program loads the address of a name, and what it calls next. No disassembler: of the
// x86-64 instructions only "lea <register>, [rip + offset]", "call" and "jmp" are recognised, by their bytes (Intel's manual,
// volume 2). What is not one of them by accident names no variable.
import {fileOffset, layoutOf} from './pe-layout.js'

export interface NameReference {
  /** Of the name, in the file. */
  readonly at: number
  /** What is called next, if the name is the first argument: its address, or that of the imported function's. */
  readonly callee?: number
  readonly name: string
  /** Bytes of a letter. */
  readonly width: 1 | 2
}

const LOAD_ADDRESS = 0x8d
const LOAD_SIZE = 7
/** rcx, which has the first argument. */
const FIRST_ARGUMENT = '48:0d'
/** How far after the load the call is: the other arguments are between them. */
const NEAR = 40
const NAME = /^[A-Za-z_]\w{1,50}$/
const LONGEST = 52

export function* namesReferred(program: Buffer): Generator<NameReference> {
  const {sections} = layoutOf(program)
  const [code] = sections
  if (code === undefined) return
  const end = code.start + Math.min(code.size, code.virtualSize) - LOAD_SIZE - NEAR
  const addressOf = (at: number): number => at - code.start + code.rva
  for (
    let at = program.indexOf(LOAD_ADDRESS, code.start + 1);
    at !== -1 && at < end;
    at = program.indexOf(LOAD_ADDRESS, at + 1)
  ) {
    const [prefix, operand] = [program[at - 1]!, program[at + 1]!]
    // REX.W, perhaps with REX.R, and an operand relative to the next instruction, to any register.
    if ((prefix !== 0x48 && prefix !== 0x4c) || (operand & 0xc7) !== 0x05) continue
    const next = at - 1 + LOAD_SIZE
    const target = fileOffset(sections, addressOf(next) + program.readInt32LE(at + 2))
    const found = target === undefined ? undefined : nameAt(program, target)
    if (found === undefined || target === undefined) continue
    const isFirst = `${prefix.toString(16)}:${operand.toString(16).padStart(2, '0')}` === FIRST_ARGUMENT
    const callee = isFirst ? calleeAfter(program, next, addressOf) : undefined
    yield {...found, ...(callee !== undefined && {callee}), at: target}
  }
}

function nameAt(program: Buffer, at: number): Pick<NameReference, 'name' | 'width'> | undefined {
  // Most addresses are not of texts, and there are many.
  if (!isLetter(program[at]!)) return undefined
  for (const [width, encoding] of [
    [1, 'latin1'],
    [2, 'utf16le'],
  ] as const) {
    const text = program.toString(encoding, at, at + LONGEST * width)
    const end = text.indexOf('\0')
    if (end > 0 && NAME.test(text.slice(0, end))) return {name: text.slice(0, end), width}
  }
  return undefined
}

function calleeAfter(program: Buffer, from: number, addressOf: (at: number) => number): number | undefined {
  for (let at = from; at < from + NEAR; at++) {
    const [one, two] = [program[at]!, program[at + 1]!]
    if (one === 0xe8 || one === 0xe9) return addressOf(at + 5) + program.readInt32LE(at + 1)
    // By the table of imported functions.
    if (one === 0xff && (two === 0x15 || two === 0x25)) return addressOf(at + 6) + program.readInt32LE(at + 2)
  }
  return undefined
}

/** A to Z, a to z, or an underscore. */
const isLetter = (byte: number): boolean => byte === 0x5f || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a)
