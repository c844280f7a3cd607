import {expect, test} from 'vitest'
import {description, ttl} from '../../../src/config/options/token-options.js'

test.each([
  ['0', 0],
  ['0s', 0],
  ['24h', 86_400_000],
  ['24h0m0s', 86_400_000],
  ['90m', 5_400_000],
  ['720h', 2_592_000_000],
])('a TTL of %s', (text, value) => {
  expect(ttl(text)).toEqual({value})
})

test.each(['', '-1h', '1d', '24', 'never', '1.5h', 'h'])('%j is not a TTL', (text) => {
  expect(ttl(text)).toHaveProperty('reason')
})

test('a description is one line', () => {
  expect(description('rack 7')).toEqual({value: 'rack 7'})
  expect(description('a\nb')).toHaveProperty('reason')
  expect(description('x'.repeat(1001))).toHaveProperty('reason')
})
