// Three numbers, with or without "v", and perhaps a suffix.
import fc from 'fast-check'
import {describe, expect, it} from 'vitest'

import {isBelow, parseVersion, type Version} from '../../src/config/version.js'

const number = fc.integer({max: 9999, min: 0})

describe('a version', () => {
  it('is read with and without "v", which its text never has', () => {
    fc.assert(
      fc.property(number, number, number, fc.constantFrom('', '-flannel3', '-rc.1'), (major, minor, patch, suffix) => {
        const text = `${major}.${minor}.${patch}${suffix}`
        const version = {major, minor, patch, text}
        expect(parseVersion(text)).toEqual(version)
        expect(parseVersion(`v${text}`)).toEqual(version)
      }),
    )
  })

  it.each([
    '',
    'v',
    '1.21',
    '1',
    'latest',
    '1.21.x',
    '1.21.5.1',
    '1.21.5 ',
    '1.21.5-',
    '1.21.5/../x',
    'vv1.21.5',
    '12345.0.0',
  ])('is not %o', (text) => {
    expect(parseVersion(text)).toBeUndefined()
  })
})

describe('isBelow', () => {
  it.each([
    ['1.20.15', 1, 21, true],
    ['1.21.0', 1, 21, false],
    ['1.9.0', 1, 21, true],
    ['1.100.0', 1, 21, false],
    ['0.99.0', 1, 21, true],
    ['2.0.0', 1, 21, false],
    ['0.11.0', 0, 12, true],
    ['0.12.0', 0, 12, false],
  ])('%s below %i.%i: %s', (text, major, minor, expected) => {
    expect(isBelow(parseVersion(text) as Version, major, minor)).toBe(expected)
  })
})
