// The programs of others that travel inside k8s-win.exe and the zip, signed by us: koffi.node and shawl.exe. They leave the
// build before it packages them, and come back with a signature and otherwise the same.
import {AT, layoutOf} from './pe-layout.js'

/** By the names that they have while they are signed. */
export type Parts = ReadonlyMap<string, Buffer>

/** The program in its signed form, where it was signed. */
export function signedOf(name: string, program: Buffer, signed: Parts): Buffer {
  const bytes = signed.get(name) ?? program
  if (!isSameProgram(program, bytes)) throw new Error(`${name} has changed by more than its signature`)
  return bytes
}

/** A signature is at the end of the file, behind zeros up to a multiple of eight, and changes two fields of the headers. */
function isSameProgram(original: Buffer, signed: Buffer): boolean {
  const [one, other] = [withoutSignature(original), withoutSignature(signed)]
  return other.subarray(0, one.length).equals(one) && other.subarray(one.length).every((byte) => byte === 0)
}

function withoutSignature(program: Buffer): Buffer {
  const {end, optional} = layoutOf(program)
  const copy = Buffer.from(program.subarray(0, end))
  copy.writeUInt32LE(0, optional + AT.checksum)
  copy.fill(0, optional + AT.certificates, optional + AT.certificates + 8)
  return copy
}
