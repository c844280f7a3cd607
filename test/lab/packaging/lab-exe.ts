// k8s-win.exe for Wine. The lab's own libraries (steady-pipes.ts, FILL_GAPS of lab-node.ts) come into a node.exe by
// NODE_OPTIONS, and its download hosts have a certificate of the authority that NODE_EXTRA_CA_CERTS names. The executable
// ignores both: in this copy three bytes are changed, and it reads the variables.
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
const READ_AGAIN = ['NODE_OPTIONS', 'NODE_EXTRA_CA_CERTS']

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
  for (const name of READ_AGAIN) restore(program, name)
  return program
}

/** What packaging/environment.ts changed in C's form of the name; that of V8 has the length of the name before it. */
function restore(program: Buffer, name: string): void {
  const emptied = `\0${name.slice(1)}\0`
  const found: number[] = []
  for (let at = program.indexOf(emptied); at !== -1; at = program.indexOf(emptied, at + 1)) {
    if (program.readUInt32LE(at - 4) !== name.length) found.push(at)
  }
  if (found.length !== 1) throw new Error(`${name} is emptied ${found.length} times, where once is meant`)
  program.write(name.slice(0, 1), found[0]!, 'latin1')
}

function blobsOf(program: Buffer): number[] {
  const found: number[] = []
  for (let at = program.indexOf(MAGIC); at !== -1; at = program.indexOf(MAGIC, at + 1)) {
    if (program.toString('latin1', at + MAIN_AT, at + MAIN_AT + MAIN.length) === MAIN) found.push(at)
  }
  return found
}
