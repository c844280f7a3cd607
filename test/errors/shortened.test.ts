// Words of others, cut.
import fc from 'fast-check'
import {expect, test} from 'vitest'
import {shortened, wholeWords} from '../../src/errors/shortened.js'
import {truncate} from '../../src/output/text/text-shape.js'

const TEXT = 'the kubelet ended with an error'

test('review P3-5: no line is cut in the middle of a word, unless the word is too long to be lost', () => {
  expect(shortened(TEXT, 5)).toBe('the…')
  expect(truncate(TEXT, 14)).toBe('the kubelet…')
  expect(shortened(TEXT, 11)).toBe('the kubelet…')
  expect(shortened('sha256:0123456789', 10)).toBe('sha256:012…')
  expect(shortened(`at ${'0123456789'.repeat(9)}`, 50)).toMatch(/^at 0123.*6…$/)
})

test('a beginning stays one, and loses at most half', () => {
  fc.assert(
    fc.property(fc.string({maxLength: 100}), fc.nat(100), (text, length) => {
      const beginning = text.slice(0, length)
      const kept = wholeWords(text, beginning)
      expect(beginning.startsWith(kept)).toBe(true)
      expect(kept.length).toBeGreaterThanOrEqual(Math.floor(beginning.trimEnd().length / 2))
    }),
  )
})
