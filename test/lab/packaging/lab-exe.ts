// k8s-win.exe for Wine. The lab's own libraries (steady-pipes.ts, FILL_GAPS of lab-node.ts) come into a node.exe by
// NODE_OPTIONS, which the executable ignores: in this copy two bytes are changed, and it reads the variable.
import {pageAligned} from '../layers/page-aligned.js'

/**
 * The beginning of the blob, little-endian (Node.js, src/node_sea.h and SeaSerializer in src/node_sea.cc): a magic number and
 * flags of four bytes each, execArgvExtension in one, then the length in eight and the text of the main file's name.
 */
const MAGIC = Buffer.from([0x20, 0xda, 0x43, 0x01])
const EXTENSION_AT = 8
const MAIN_AT = 17
const MAIN = 'main.cjs'
const [NONE, ENV] = [0, 1]
/** The name of the variable as packaging/environment.ts leaves it, at the end of a message with which it shares its bytes. */
const [MESSAGE, EMPTIED] = [' is not allowed in ', '\0ODE_OPTIONS\0']

export function labExe(exe: Buffer): Buffer {
  const program = pageAligned(exe)
  const found = blobsOf(program)
  const [blob = 0] = found
  if (found.length !== 1 || program[blob + EXTENSION_AT] !== NONE) {
    throw new Error(
      `${found.length} blobs, and execArgvExtension ${program[blob + EXTENSION_AT]} where 0 ("none") is meant`,
    )
  }
  program[blob + EXTENSION_AT] = ENV
  const name = program.indexOf(MESSAGE + EMPTIED)
  if (name === -1) throw new Error('NODE_OPTIONS is not emptied')
  program.write('N', name + MESSAGE.length, 'latin1')
  return program
}

function blobsOf(program: Buffer): number[] {
  const found: number[] = []
  for (let at = program.indexOf(MAGIC); at !== -1; at = program.indexOf(MAGIC, at + 1)) {
    if (program.toString('latin1', at + MAIN_AT, at + MAIN_AT + MAIN.length) === MAIN) found.push(at)
  }
  return found
}
