import {describe, expect, it} from 'vitest'
import {openSession} from '../../../../src/machine/real/win32/session.js'
import {fakeNative, filling} from './fake-native.js'
import type {Played} from './fake-native.js'

describe('the session', () => {
  const open = (played: Record<string, Played>) =>
    openSession(fakeNative({CloseHandle: () => ({result: 1}), ...played}).native)

  it('reports administrator, name and code page', async () => {
    const session = open({
      GetComputerNameExW: (kind, data: Buffer, size: number[]) => {
        size[0] = data.write('WIN-1', 'utf16le') / 2
        return {result: kind === 5 ? 1 : 0}
      },
      GetOEMCP: () => ({result: 850}),
      CheckTokenMembership: filling(1, {2: 0}),
    })
    expect([await session.isAdministrator(), await session.computerName(), await session.oemCodePage()]).toEqual([
      false,
      'WIN-1',
      850,
    ])
  })

  it('asks for membership in S-1-5-32-544, and fails where that is not reported', async () => {
    let asked: unknown
    const administrator = open({
      CheckTokenMembership: (_, sid: Buffer, member: number[]) => {
        asked = [sid.readUInt8(0), sid.readUInt8(1), sid.readUIntBE(2, 6), sid.readUInt32LE(8), sid.readUInt32LE(12)]
        member[0] = 1
        return {result: 1}
      },
    })
    expect(await administrator.isAdministrator()).toBe(true)
    expect(asked).toEqual([1, 2, 5, 32, 544])
    const refused = open({CheckTokenMembership: () => ({lastError: 5, result: 0})})
    await expect(refused.isAdministrator()).rejects.toMatchObject({call: 'CheckTokenMembership', code: 5})
  })

  it('spreads the word of a changed environment', async () => {
    let sent: unknown[] = []
    await open({SendMessageTimeoutW: (...args) => ((sent = args), {result: 1})}).broadcastEnvironmentChange()
    expect(sent.slice(0, 6)).toEqual([0xff_ff, 0x1a, 0, 'Environment', 2, 5000])
  })

  it.each([0, 5, 1400, 1460])(
    'review N7: a broadcast that Windows answers with error %i fails nothing',
    async (lastError) => {
      const session = open({SendMessageTimeoutW: () => ({lastError, result: 0})})
      await expect(session.broadcastEnvironmentChange()).resolves.toBeUndefined()
    },
  )
})
