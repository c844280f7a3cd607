import fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import {type Encoding, encodingOf, LineSplitter, LONGEST_LINE} from '../../src/logs/split-lines.js'

function split(bytes: Buffer, sizes: readonly number[], encoding: Encoding) {
  const splitter = new LineSplitter(encoding, 0)
  const lines = []
  let at = 0
  for (const size of sizes) lines.push(...splitter.push(bytes.subarray(at, (at += size))))
  return [...lines, ...splitter.push(bytes.subarray(at)), ...splitter.end()]
}

const swapped = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16()
const WRITE: Readonly<Record<Encoding, (text: string) => Buffer>> = {
  'utf-16be': swapped,
  'utf-16le': (text) => Buffer.from(text, 'utf16le'),
  'utf-8': (text) => Buffer.from(text),
}

describe('lines', () => {
  it.each(['utf-8', 'utf-16le', 'utf-16be'] as const)('of %s are the same however their bytes come', (encoding) => {
    const line = fc.string({unit: 'grapheme'}).map((text) => text.replaceAll(/[\r\n\uFEFF]/g, ''))
    fc.assert(
      fc.property(fc.array(line), fc.array(fc.nat(30)), (texts, sizes) => {
        const bytes = WRITE[encoding](texts.map((text) => `${text}\n`).join(''))
        const lines = split(bytes, sizes, encoding)
        expect(lines.map(({text}) => text)).toEqual(texts)
        for (const {offset, text} of lines) {
          const there = bytes.subarray(offset, offset + WRITE[encoding](text).length)
          expect(there.equals(WRITE[encoding](text))).toBe(true)
        }
      }),
    )
  })

  it('of any bytes at all are bounded', () => {
    fc.assert(
      fc.property(fc.uint8Array({maxLength: 300}), fc.array(fc.nat(90)), (bytes, sizes) => {
        const lines = split(Buffer.from(bytes), sizes, 'utf-8')
        const ends = bytes.filter((byte) => byte === 10).length
        expect(lines.length).toBe(ends + (bytes.length > 0 && bytes.at(-1) !== 10 ? 1 : 0))
      }),
    )
  })

  it('that have no end for megabytes are cut, and those after them are not', () => {
    const splitter = new LineSplitter('utf-8', 0)
    for (let block = 0; block < 64; block++) expect(splitter.push(Buffer.alloc(65_536))).toEqual([])
    const [long, next] = splitter.push(Buffer.from('\nnext\n'))
    expect(long?.text).toMatch(/^\0+ \[\d+ bytes more, cut\]$/)
    expect(long?.text).toContain(`[${64 * 65_536 - LONGEST_LINE} bytes more, cut]`)
    expect(next).toEqual({offset: 64 * 65_536 + 1, text: 'next'})
  })

  it('lose their carriage return, and the file its mark', () => {
    expect(split(Buffer.from('\uFEFFone\r\ntwo\r\n\r\n'), [], 'utf-8').map(({text}) => text)).toEqual([
      'one',
      'two',
      '',
    ])
    expect(split(Buffer.from('\uFEFFone\r\n', 'utf16le'), [3], 'utf-16le').map(({text}) => text)).toEqual(['one'])
  })
})

describe('the encoding', () => {
  it.each([
    ['utf-8', Buffer.from('I1115 hello')],
    ['utf-8', Buffer.from('\uFEFFhello')],
    ['utf-8', Buffer.alloc(600)],
    ['utf-8', Buffer.alloc(0)],
    ['utf-16le', Buffer.from('\uFEFFhello', 'utf16le')],
    ['utf-16le', Buffer.from('I1115 hello', 'utf16le')],
    ['utf-16be', swapped('\uFEFFhello')],
    ['utf-16be', swapped('I1115 hello')],
  ])('%s is seen in %j', (encoding, bytes) => {
    expect(encodingOf(bytes)).toBe(encoding)
  })
})
