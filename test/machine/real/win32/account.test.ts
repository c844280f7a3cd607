import {describe, expect, it} from 'vitest'
import {openSession} from '../../../../src/machine/real/win32/session.js'
import {wideString} from '../../../../src/machine/real/win32/text.js'
import {fakeNative, filling, pointerTo} from './fake-native.js'

describe('the account', () => {
  const text = wideString('S-1-5-21-1-2-3-1001')

  it('is reported by the SID of the token, and everything is closed', async () => {
    let converted: unknown
    const {calls, native} = fakeNative({
      CloseHandle: () => ({result: 1}),
      ConvertSidToStringSidW: (sid: unknown, out: unknown[]) => {
        converted = sid
        out[0] = pointerTo(text)
        return {result: 1}
      },
      GetTokenInformation: (...[token, kind, user]: [unknown, unknown, Buffer]) => {
        expect([token, kind]).toEqual([5n, 1])
        user.writeBigUInt64LE(77n)
        return {result: 1}
      },
      LocalFree: () => ({result: null}),
      OpenProcessToken: filling(1, {2: 5n}),
    })
    expect(await openSession(native).accountSid()).toBe('S-1-5-21-1-2-3-1001')
    expect(converted).toBe(77n)
    expect(calls.slice(-2)).toEqual(['LocalFree', 'CloseHandle'])
  })

  it('review N1: the memory that the asynchronous call reads by its address is still in use after it', async () => {
    let memory: Buffer = Buffer.alloc(0)
    let seen: bigint | undefined
    const {native} = fakeNative({
      CloseHandle: () => ({result: 1}),
      ConvertSidToStringSidW: (_: unknown, out: unknown[]) => {
        seen = memory.readBigUInt64LE()
        out[0] = pointerTo(text)
        return {result: 1}
      },
      GetTokenInformation: (...[, , user]: [unknown, unknown, Buffer]) => {
        memory = user
        user.writeBigUInt64LE(77n)
        return {result: 1}
      },
      LocalFree: () => ({result: null}),
      OpenProcessToken: filling(1, {2: 5n}),
    })
    await openSession(native).accountSid()
    expect([seen, memory.readBigUInt64LE()]).toEqual([77n, 0n])
  })

  it('fails with what Windows said', async () => {
    const refused = fakeNative({LocalFree: () => ({result: null}), OpenProcessToken: () => ({lastError: 5, result: 0})})
    await expect(openSession(refused.native).accountSid()).rejects.toMatchObject({call: 'OpenProcessToken', code: 5})
  })
})
