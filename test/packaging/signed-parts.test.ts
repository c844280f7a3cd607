// The signature of a part may change where it was made, and nothing else of it.
import {describe, expect, it} from 'vitest'
import {AT, layoutOf} from '../../packaging/pe-layout.js'
import {signedOf} from '../../packaging/signed-parts.js'
import {madeUpProgram} from './made-up-program.js'

const NAME = 'koffi.node'

/** As signtool leaves it: zeros up to a multiple of eight, the signature, and where it is. */
function signed(program: Buffer, change?: (bytes: Buffer) => void): Buffer {
  const start = Math.ceil(program.length / 8) * 8
  const bytes = Buffer.concat([program, Buffer.alloc(start - program.length), Buffer.from('signature')])
  const {optional} = layoutOf(program)
  bytes.writeUInt32LE(0x1234, optional + AT.checksum)
  bytes.writeUInt32LE(start, optional + AT.certificates)
  bytes.writeUInt32LE('signature'.length, optional + AT.certificates + 4)
  change?.(bytes)
  return bytes
}

describe('review V6: a part that was signed', () => {
  const program = Buffer.concat([madeUpProgram([]).bytes, Buffer.from('end')])

  it('is packaged in place of the one that was not', () => {
    const bytes = signed(program)
    expect(signedOf(NAME, program, new Map([[NAME, bytes]]))).toBe(bytes)
  })

  it('is the one that was not where there is no account to sign it with', () => {
    expect(signedOf(NAME, program, new Map())).toBe(program)
    expect(signedOf(NAME, program, new Map([[NAME, Buffer.from(program)]]))).toEqual(program)
  })

  it('is refused where more than its signature has changed', () => {
    const changes: ((bytes: Buffer) => void)[] = [
      (bytes) => bytes.write('x', 0x5_00),
      (bytes) => bytes.write('x', program.length),
      (bytes) => bytes.writeUInt32LE(0x9_00, layoutOf(program).optional + AT.certificates),
    ]
    for (const change of changes) {
      const parts = new Map([[NAME, signed(program, change)]])
      expect(() => signedOf(NAME, program, parts)).toThrow(/changed by more than its signature/)
    }
  })
})
