import fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import {zip} from '../../src/bundle/zip.js'
import {unzip} from './unzip.js'

const NOON = Date.UTC(2026, 4, 17, 12, 30, 20)

describe('a ZIP archive', () => {
  it('returns every member, whatever its name and bytes', async () => {
    const member = fc.record({
      bytes: fc.oneof(
        fc.uint8Array({maxLength: 300}),
        fc.nat(5000).map((length) => Buffer.alloc(length, 'again and ')),
      ),
      path: fc
        .string({maxLength: 40, minLength: 1, unit: 'grapheme'})
        .filter((path) => Buffer.from(path).toString() === path),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(member, {maxLength: 8}), fc.nat(4_000_000_000_000), async (members, at) => {
        const back = unzip(await zip(members, at))
        expect(back.map(({bytes, name}) => [name, bytes.toString('hex')])).toEqual(
          members.map(({bytes, path}) => [path, Buffer.from(bytes).toString('hex')]),
        )
      }),
      {numRuns: 200},
    )
  })

  it('has the time it was made at', async () => {
    const [member] = unzip(await zip([{bytes: Buffer.from('x'), path: 'a/b.txt'}], NOON))
    expect(member?.modified).toBe('2026-05-17T12:30:20.000Z')
  })

  it('packs what can be packed, and stores the rest as it is', async () => {
    const archive = await zip(
      [
        {bytes: Buffer.alloc(100_000), path: 'a'},
        {bytes: Buffer.from('x'), path: 'b'},
      ],
      NOON,
    )
    expect(archive.length).toBeLessThan(1000)
    expect(unzip(archive).map(({bytes}) => bytes.length)).toEqual([100_000, 1])
  })

  it('takes no more members than its format can count', async () => {
    const one = {bytes: Buffer.alloc(0), path: 'a'}
    await expect(
      zip(
        Array.from({length: 65_535}, () => one),
        NOON,
      ),
    ).rejects.toThrow(/too many members/)
  })

  it('of which a byte is changed is refused by the reader', async () => {
    const archive = await zip([{bytes: Buffer.from('some text'), path: 'a'}], NOON)
    archive.writeUInt8(archive.readUInt8(33) ^ 1, 33)
    expect(() => unzip(archive)).toThrow()
  })
})
