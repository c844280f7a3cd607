import fc from 'fast-check'
import {expect, it} from 'vitest'
import {openPatternMatch, SlowPatternError} from '../../../src/machine/real/pattern-match.js'

it('finds what the pattern itself finds, in however many texts', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({maxLength: 20})),
      fc.constantFrom(/a/, /^$/, /\d+/, /[^]b|c$/m),
      (texts, pattern) => {
        expect(openPatternMatch(pattern)(texts)).toEqual(texts.map((text) => pattern.test(text)))
      },
    ),
  )
  const many = Array.from({length: 100_000}, (_, index) => `line ${index} of many`)
  expect(openPatternMatch(/ 99\d\d\d of/)(many).filter(Boolean)).toHaveLength(1000)
})

it('gives up a pattern that never ends, and works on with another text', () => {
  const match = openPatternMatch(/(a+)+$/)
  const evil = `${'a'.repeat(40)}b`
  expect(() => match(['fine', evil, 'fine'])).toThrow(SlowPatternError)
  expect(match(['aaa', 'b'])).toEqual([true, false])
})
