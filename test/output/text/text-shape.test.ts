import fc from 'fast-check'
import {expect, test} from 'vitest'
import {
  ascii,
  breakHard,
  printable,
  textWidth,
  truncate,
  truncateMiddle,
  wrap,
} from '../../../src/output/text/text-shape.js'

const text = fc.string({maxLength: 200, unit: 'grapheme'}).map((value) => printable(value))

test.each([
  ['abc', 3],
  ['漢字', 4],
  ['e\u0301', 1],
  ['\u001B[31mred\u001B[39m', 3],
  ['🎉', 2],
])('%j takes %i columns', (value, width) => {
  expect(textWidth(value)).toBe(width)
})

test('truncated text fits, and is the text where nothing had to go', () => {
  fc.assert(
    fc.property(text, fc.integer({max: 100, min: 1}), (value, width) => {
      const cut = truncate(value, width)
      expect(textWidth(cut)).toBeLessThanOrEqual(width)
      if (textWidth(value) <= width) expect(cut).toBe(value)
      else if (width > 2) expect(cut.endsWith('…')).toBe(true)
    }),
  )
})

test('a name cut in its middle fits, and keeps its beginning and its end', () => {
  fc.assert(
    fc.property(text, fc.integer({max: 100, min: 1}), (value, width) => {
      const cut = truncateMiddle(value, width)
      expect(textWidth(cut)).toBeLessThanOrEqual(width)
      if (textWidth(value) <= width) expect(cut).toBe(value)
      const [head = '', tail = ''] = cut.split('…')
      if (textWidth(value) > width && !value.includes('…')) {
        expect(value.startsWith(head)).toBe(true)
        expect(value.endsWith(tail)).toBe(true)
      }
    }),
  )
  expect(truncateMiddle('kubernetes-node-windows-amd64-v1.21.5.tar.gz', 23)).toBe('kubernetes-…21.5.tar.gz')
})

test('text broken hard fits and keeps every blank', () => {
  fc.assert(
    fc.property(text, fc.integer({max: 100, min: 2}), (value, width) => {
      const lines = breakHard(`  ${value}`, width)
      for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(width)
      expect(lines.join('')).toBe(`  ${value}`)
    }),
  )
})

test('wrapped text fits and loses nothing', () => {
  fc.assert(
    fc.property(text, fc.integer({max: 100, min: 6}), (value, width) => {
      const lines = wrap(value, width, '  ')
      for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(width)
      expect(lines.join('').replaceAll(' ', '')).toBe(value.replaceAll(' ', ''))
    }),
  )
})

test('text from outside cannot steer the terminal', () => {
  fc.assert(
    fc.property(fc.string({unit: 'binary'}), (value) => {
      // eslint-disable-next-line no-control-regex -- control characters are what is looked for
      expect(printable(value)).not.toMatch(/[\u0000-\u001F\u007F-\u009F\u202E]/)
    }),
  )
  expect(printable('one\r\n  two\u001B[2J\u0007 three')).toBe('one two^G three')
})

test('ASCII keeps what it can and escapes the rest', () => {
  expect(ascii(String.raw`C:\Kübernetes`)).toBe(String.raw`C:\K\u00fcbernetes`)
})
