// Addresses and networks as numbers, against a model that counts bits as text.
import fc from 'fast-check'
import {describe, expect, it} from 'vitest'

import {
  contains,
  formatAddress,
  formatCidr,
  isInside,
  isLinkLocal,
  networkOf,
  overlaps,
  parseAddress,
  parseCidr,
} from '../../src/config/cidr.js'

const address = fc.integer({max: 0xff_ff_ff_ff, min: 0})
const cidr = fc.record({address, prefix: fc.integer({max: 32, min: 0})})
/** Networks that have a fair chance to meet: all in 10.0.0.0/28. */
const small = fc.record({
  address: fc.integer({max: 0x0a_00_00_0f, min: 0x0a_00_00_00}),
  prefix: fc.integer({max: 32, min: 28}),
})

const bits = (number: number): string => number.toString(2).padStart(32, '0')

describe('an address', () => {
  it('is the same after it was written and read', () => {
    fc.assert(fc.property(address, (number) => parseAddress(formatAddress(number)) === number))
  })

  it.each([
    '',
    '10.0.0',
    '10.0.0.0.0',
    '256.0.0.1',
    '10.0.0.-1',
    '01.0.0.1',
    ' 10.0.0.1',
    '10.0.0.1 ',
    '1e1.0.0.1',
    '::1',
  ])('is not %o', (text) => {
    expect(parseAddress(text)).toBeUndefined()
  })
})

describe('a network', () => {
  it('is the same after it was written and read', () => {
    fc.assert(
      fc.property(cidr, (network) => {
        expect(parseCidr(formatCidr(network))).toEqual(network)
      }),
    )
  })

  it.each(['', '10.0.0.0', '10.0.0.0/', '10.0.0.0/33', '10.0.0.0/-1', '10.0.0/8', '10.0.0.0/8 ', '/8', '10.0.0.0/8/8'])(
    'is not %o',
    (text) => {
      expect(parseCidr(text)).toBeUndefined()
    },
  )

  it('contains the addresses that share its first bits, and no others', () => {
    fc.assert(
      fc.property(small, fc.integer({max: 0x0a_00_00_20, min: 0x09_ff_ff_f0}), (network, number) => {
        const shares = bits(number).startsWith(bits(network.address).slice(0, network.prefix))
        expect(contains(network, number)).toBe(shares)
      }),
    )
    fc.assert(
      fc.property(cidr, address, (network, number) => {
        expect(contains(network, number)).toBe(bits(number).startsWith(bits(network.address).slice(0, network.prefix)))
      }),
    )
  })

  it('contains its own network address', () => {
    fc.assert(fc.property(cidr, (network) => contains(network, networkOf(network).address)))
  })

  it('overlaps another exactly where they share an address, whichever is asked', () => {
    const all = Array.from({length: 16}, (_, index) => 0x0a_00_00_00 + index)
    fc.assert(
      fc.property(small, small, (a, b) => {
        const share = all.some((number) => contains(a, number) && contains(b, number))
        expect(overlaps(a, b)).toBe(share)
        expect(overlaps(b, a)).toBe(share)
      }),
    )
    fc.assert(fc.property(cidr, cidr, (a, b) => overlaps(a, b) === overlaps(b, a)))
  })
})

describe('as text', () => {
  it('an address is inside, outside, or one of them is none', () => {
    expect(isInside('10.244.3.0/24', '10.244.3.2')).toBe(true)
    expect(isInside('10.244.3.0/24', '10.244.4.2')).toBe(false)
    expect(isInside('nowhere', '10.244.3.2')).toBe(false)
    expect(isInside('10.244.3.0/24', 'nobody')).toBe(false)
  })

  it('169.254/16 is link-local, its neighbours are not', () => {
    expect(['169.254.0.0', '169.254.17.4', '169.254.255.255'].every((text) => isLinkLocal(text))).toBe(true)
    expect(['169.253.255.255', '169.255.0.0', '10.0.0.5', ''].some((text) => isLinkLocal(text))).toBe(false)
  })
})
