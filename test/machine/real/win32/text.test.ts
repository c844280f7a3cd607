import fc from 'fast-check'
import koffi from 'koffi'
import {describe, expect, it} from 'vitest'
import {decodeRegistryData, encodeRegistryData} from '../../../../src/machine/real/win32/registry.js'
import {decodeWideList, readWideList, wideList} from '../../../../src/machine/real/win32/text.js'
import type {RegistryValue} from '../../../../src/machine/win32.js'
import {pointerTo} from './fake-native.js'

const text = fc.string({unit: 'grapheme'}).filter((value) => !value.includes('\0'))
const entry = text.filter((value) => value !== '')

describe('lists in UTF-16', () => {
  it('end with two zeros, also empty ones', () => {
    expect(wideList(['ab', 'ü'])).toEqual(Buffer.from('ab\0ü\0\0', 'utf16le'))
    expect(wideList([])).toEqual(Buffer.alloc(4))
  })

  it('are read back from memory', () => {
    fc.assert(
      fc.property(fc.array(entry), (entries) => {
        const bytes = Buffer.from(wideList(entries))
        expect(decodeWideList(koffi, pointerTo(bytes))).toEqual(entries)
      }),
    )
    expect(decodeWideList(koffi, null)).toEqual([])
  })

  it.each([
    ['', []],
    ['\0', []],
    ['\0\0', []],
    ['a\0b\0\0', ['a', 'b']],
    ['a\0b\0', ['a', 'b']],
    ['a\0b', ['a', 'b']],
    // A file to be deleted at the next start: its new name is empty.
    ['a\0\0b\0c\0\0', ['a', '', 'b', 'c']],
  ])('%j is read as %j', (stored, entries) => {
    expect(readWideList(Buffer.from(stored, 'utf16le'))).toEqual(entries)
  })
})

describe('registry values', () => {
  it('are the same after they were stored', () => {
    const value = fc.oneof(
      fc.record({data: fc.integer({max: 0xffff_ffff, min: 0}), type: fc.constant('REG_DWORD' as const)}),
      fc.record({data: text, type: fc.constantFrom('REG_SZ' as const, 'REG_EXPAND_SZ' as const)}),
      fc.record({data: fc.array(entry), type: fc.constant('REG_MULTI_SZ' as const)}),
    )
    fc.assert(
      fc.property(value, (stored: RegistryValue) => {
        const {bytes, type} = encodeRegistryData(stored)
        expect(decodeRegistryData(type, bytes)).toEqual(stored)
      }),
    )
  })

  it('may lack the end of a text', () => {
    expect(decodeRegistryData(1, Buffer.from('no end', 'utf16le'))).toEqual({data: 'no end', type: 'REG_SZ'})
  })

  it('of types that are not read are left out', () => {
    expect(decodeRegistryData(3, Buffer.from('binary'))).toBeUndefined()
    expect(decodeRegistryData(4, Buffer.alloc(0))).toBeUndefined()
  })
})
