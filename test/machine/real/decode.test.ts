import fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import {decodeOem, decodeOutput} from '../../../src/machine/real/decode.js'
import {OEM_TABLES} from '../../../src/machine/real/decode.js'

const never = () => Promise.reject(new Error('the code page should not be asked'))

describe('output', () => {
  it.each([
    ['nothing', '', ''],
    ['ASCII', '4f6b0d0a', 'Ok\r\n'],
    ['UTF-8', 'c3a4e282ac', 'ä€'],
    ['UTF-8 with its mark', 'efbbbfc3a4', 'ä'],
    ['UTF-16 with its mark', 'fffee400ac20', 'ä€'],
    ['UTF-16 without', '4f006b000d000a00', 'Ok\r\n'],
  ])('in %s', async (_, hex, text) => {
    expect(await decodeOutput(Buffer.from(hex, 'hex'), never)).toBe(text)
  })

  it('in UTF-8, whatever it says', async () => {
    const text = fc.string({unit: 'grapheme'}).filter((value) => !/^\ufeff|\0/u.test(value))
    await fc.assert(
      fc.asyncProperty(text, async (value) => {
        expect(await decodeOutput(Buffer.from(value), never)).toBe(value)
      }),
    )
  })

  it('in UTF-16 without a mark, as soon as it has a line end', async () => {
    const letter = fc.integer({max: 0xd7_ff, min: 0x20}).filter((code) => code % 256 !== 0)
    await fc.assert(
      fc.asyncProperty(fc.array(letter), async (codes) => {
        const value = `${String.fromCharCode(...codes)}\r\n`
        expect(await decodeOutput(Buffer.from(value, 'utf16le'), never)).toBe(value)
      }),
    )
  })

  it.each([
    [437, 'fa8199', '·üÖ'],
    [850, '81e1f5', 'üß§'],
    [852, 'a9a79f', 'ęžč'],
    [866, '8fe0a8', 'При'],
    [932, '93fa967b', '日本'],
    [936, 'd6d0b9fa', '中国'],
    [949, 'c7d1', '한'],
    [950, 'a4a4', '中'],
    [1258, 'fcd0', 'üĐ'],
    [65_001, '41ff', 'A\ufffd'],
    [99_999, '81', 'ü'],
  ])('in code page %i', async (codePage, hex, text) => {
    const bytes = Buffer.from(hex, 'hex')
    expect(decodeOem(bytes, codePage)).toBe(text)
    expect(await decodeOutput(bytes, async () => codePage)).toBe(text)
  })

  it('in a table of k8s-win has a letter for every byte', () => {
    for (const table of OEM_TABLES.values()) expect(new Set(table).size).toBe(128)
  })

  it('never fails', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array(), fc.constantFrom(437, 850, 932, 1258), async (bytes, codePage) => {
        expect(typeof (await decodeOutput(bytes, async () => codePage))).toBe('string')
      }),
    )
  })
})
