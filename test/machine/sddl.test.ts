// Security descriptors in text form, as Windows writes them.
import fc from 'fast-check'
import {describe, expect, it} from 'vitest'

import {parseSddl} from '../../src/machine/sddl.js'

describe('a descriptor is taken apart', () => {
  it('as a folder at the root of a drive has it', () => {
    const sddl =
      'O:S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464G:SYD:PAI(A;OICI;FA;;;S-1-5-32-544)(A;CI;LC;;;BU)(A;OICIIO;GA;;;CO)'
    expect(parseSddl(sddl)).toEqual({
      entries: [
        {allows: true, flags: ['OI', 'CI'], mask: 0x1f_01_ff, text: 'A;OICI;FA;;;S-1-5-32-544', trustee: 'BA'},
        {allows: true, flags: ['CI'], mask: 0x4, text: 'A;CI;LC;;;BU', trustee: 'BU'},
        {allows: true, flags: ['OI', 'CI', 'IO'], mask: 0x1000_0000, text: 'A;OICIIO;GA;;;CO', trustee: 'CO'},
      ],
      isProtected: true,
      owner: 'S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464',
    })
  })

  it.each([
    ['0x1301bf', 0x13_01_bf],
    ['SDGXGWGR', 0xe001_0000],
    ['2032127', 0x1f_01_ff],
    ['', 0],
    ['XY', 0xffff_ffff],
    ['FAx', 0xffff_ffff],
  ])('with the rights "%s"', (rights, mask) => {
    expect(parseSddl(`O:BAD:(A;;${rights};;;BU)`)?.entries?.[0]?.mask).toBe(mask)
  })

  it.each([
    ['no list', 'O:BA'],
    ['a list that is none', 'O:BAD:NO_ACCESS_CONTROL'],
  ])('with %s: everybody', (_, sddl) => {
    expect(parseSddl(sddl)).toEqual({entries: undefined, isProtected: false, owner: 'BA'})
  })

  it.each(['D:PAI', 'D:', 'O:BAD:AIS:AI(AU;SA;FA;;;WD)'])('with an empty list: no account (%s)', (sddl) => {
    expect(parseSddl(sddl)?.entries).toEqual([])
  })

  it.each([
    'O:BAD:PAI(XA;;FX;;;BA;(Member_of {SID(BA)}))(A;;FA;;;WD)',
    'O:BAD:PAI(A;;FA;;;BA',
    'D:(A;;FA;;;BA)O:BA',
    'nonsense',
    'O:BAD:PAI (A;;FA;;;WD)',
  ])('or not at all: %s', (sddl) => {
    expect(parseSddl(sddl)).toBeUndefined()
  })

  it('whatever its entries are', () => {
    const trustee = fc.oneof(
      fc.constantFrom('BA', 'SY', 'BU', 'AU', 'WD', 'CO'),
      fc.array(fc.nat(), {maxLength: 5, minLength: 1}).map((parts) => `S-1-5-21-${parts.join('-')}`),
    )
    const entry = fc.record({
      flags: fc.subarray(['OI', 'CI', 'NP', 'IO', 'ID']),
      mask: fc.nat(0xffff_ffff),
      trustee,
      type: fc.constantFrom('A', 'D'),
    })
    fc.assert(
      fc.property(fc.array(entry), trustee, fc.boolean(), (entries, owner, isProtected) => {
        const list = entries.map(
          (one) => `(${one.type};${one.flags.join('')};0x${one.mask.toString(16)};;;${one.trustee})`,
        )
        const parsed = parseSddl(`O:${owner}D:${isProtected ? 'P' : ''}AI${list.join('')}`)
        expect(parsed).toMatchObject({isProtected, owner})
        expect(parsed?.entries).toMatchObject(
          entries.map((one) => ({allows: one.type === 'A', flags: one.flags, mask: one.mask, trustee: one.trustee})),
        )
      }),
    )
  })
})
