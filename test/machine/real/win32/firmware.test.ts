// The UUID in the raw table of the firmware, which may hold anything.
import fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import {openFirmware, uuidIn} from '../../../../src/machine/real/win32/firmware.js'
import {fakeNative} from './fake-native.js'

const UUID = '33221100-5544-7766-8899-aabbccddeeff'
const BYTES = Buffer.from('00112233445566778899aabbccddeeff', 'hex')

const structure = (type: number, body: Buffer, texts = '\0'): Buffer =>
  Buffer.concat([Buffer.from([type, body.length + 4, 0, 0]), body, Buffer.from(`${texts}\0`, 'latin1')])
const system = (uuid = BYTES): Buffer =>
  structure(1, Buffer.concat([Buffer.alloc(4, 1), uuid, Buffer.from([6])]), 'a\0b\0')
const BIOS = structure(0, Buffer.alloc(14), 'Maker\x001.0\0')
function table(version: readonly [number, number], ...structures: readonly Buffer[]): Buffer {
  const all = Buffer.concat(structures)
  const header = Buffer.from([0, ...version, 0, 0, 0, 0, 0])
  header.writeUInt32LE(all.length, 4)
  return Buffer.concat([header, all])
}

const END = structure(127, Buffer.alloc(0))

describe('the UUID of the machine', () => {
  it('is in the structure of type 1, behind others with and without texts', () => {
    expect(uuidIn(table([3, 2], BIOS, structure(2, Buffer.alloc(0)), system(), END))).toBe(UUID)
  })

  it.each([
    [[2, 6], UUID],
    [[3, 0], UUID],
    [[2, 5], '00112233-4455-6677-8899-aabbccddeeff'],
  ] as const)('in version %j is %s', (version, uuid) => expect(uuidIn(table(version, system()))).toBe(uuid))

  it.each([
    ['an empty table', Buffer.alloc(0)],
    ['a header alone', table([3, 0])],
    ['no such structure', table([3, 0], BIOS, END)],
    ['a structure of version 2.0, which had none', table([2, 0], structure(1, Buffer.alloc(4)))],
    ['a structure that ends outside of the table', table([3, 0], system()).subarray(0, 8 + 20)],
    ['a structure without a length', table([3, 0], Buffer.from([0, 0, 0, 0, 0, 0]), system())],
    ['texts without an end', table([3, 0], structure(0, Buffer.alloc(4), 'text').subarray(0, -1))],
  ])('is not in %s', (_, bytes) => expect(uuidIn(bytes)).toBeUndefined())

  it('is a UUID or none, whatever the firmware writes', () => {
    const shape = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/
    const bytes = fc.uint8Array({maxLength: 300}).map((one) => Buffer.from(one))
    const whole = table([3, 0], BIOS, system(), END)
    const damaged = fc.tuple(fc.nat(whole.length - 1), fc.nat(255)).map(([at, value]) => {
      const copy = Buffer.from(whole)
      copy[at] = value
      return copy
    })
    fc.assert(fc.property(fc.oneof(bytes, damaged), (one) => shape.test(uuidIn(one) ?? UUID)))
  })

  it('is asked of Windows, in memory of the size that it names', async () => {
    const whole = table([3, 0], BIOS, system(), END)
    const {calls, native} = fakeNative({
      GetSystemFirmwareTable: (provider: number, id: number, buffer: Buffer | null, size: number) => {
        expect([provider.toString(16), id, size]).toEqual(['52534d42', 0, buffer?.length ?? 0])
        if (buffer) whole.copy(buffer)
        return {result: whole.length}
      },
    })
    expect(await openFirmware(native).systemUuid()).toBe(UUID)
    expect(calls).toHaveLength(2)
    const refused = fakeNative({GetSystemFirmwareTable: () => ({lastError: 1168, result: 0})})
    await expect(openFirmware(refused.native).systemUuid()).rejects.toMatchObject({code: 1168})
  })
})
