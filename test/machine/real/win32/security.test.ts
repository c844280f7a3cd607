import {describe, expect, it} from 'vitest'
import {openSecurity} from '../../../../src/machine/real/win32/security.js'
import {wideString} from '../../../../src/machine/real/win32/text.js'
import {fakeNative, filling, pointerTo} from './fake-native.js'

const ok = {result: 0}

describe('security', () => {
  const sddl = wideString('O:BAD:P(A;;FA;;;BA)')

  it('is reported as SDDL, and all memory freed', async () => {
    const freed: unknown[] = []
    const {native} = fakeNative({
      ConvertSecurityDescriptorToStringSecurityDescriptorW: filling(1, {3: pointerTo(sddl)}),
      GetNamedSecurityInfoW: filling(0, {7: 7n}),
      LocalFree: (memory) => (freed.push(memory), {result: null}),
    })
    expect(await openSecurity(native).securityOf('C:\\k')).toBe('O:BAD:P(A;;FA;;;BA)')
    expect(freed).toEqual([pointerTo(sddl), 7n])
  })

  it('is set with its owner, its list and its protection', async () => {
    let given: unknown[] = []
    const {calls, native} = fakeNative({
      ConvertStringSecurityDescriptorToSecurityDescriptorW: filling(1, {2: 7n}),
      GetSecurityDescriptorControl: filling(1, {1: 0x9004}),
      GetSecurityDescriptorDacl: filling(1, {1: 1, 2: 8n}),
      GetSecurityDescriptorOwner: filling(1, {1: 9n}),
      LocalFree: () => ({result: null}),
      SetNamedSecurityInfoW: (...args) => ((given = args), ok),
    })
    await openSecurity(native).setSecurity('C:\\k', 'O:BAD:P(A;;FA;;;BA)')
    expect(given).toEqual(['C:\\k', 1, 0x8000_0005, 9n, null, 8n, null])
    expect(calls.at(-1)).toBe('LocalFree')
    await openSecurity(native).setSecurity(`C:\\${'k'.repeat(300)}`, 'x')
    expect(given[0]).toBe(`\\\\?\\C:\\${'k'.repeat(300)}`)
  })

  it.each([5, 1307])('that Windows refuses with %i is set with privileges, the owner first', async (refusal) => {
    const parts: unknown[] = []
    const enabled: string[] = []
    const {calls, native} = fakeNative({
      AdjustTokenPrivileges: (...[token, , privileges]: [bigint, number, Buffer]) => {
        expect(token).toBe(5n)
        // One privilege, the LUID that was looked up, enabled.
        expect([privileges.readUInt32LE(0), privileges.readUInt32LE(4), privileges.readUInt32LE(12)]).toEqual([
          1,
          enabled.length,
          2,
        ])
        return {result: 1}
      },
      CloseHandle: () => ({result: 1}),
      ConvertStringSecurityDescriptorToSecurityDescriptorW: filling(1, {2: 7n}),
      GetSecurityDescriptorControl: filling(1, {1: 0x9004}),
      GetSecurityDescriptorDacl: filling(1, {1: 1, 2: 8n}),
      GetSecurityDescriptorOwner: filling(1, {1: 9n}),
      LocalFree: () => ({result: null}),
      LookupPrivilegeValueW: (...[, name, luid]: [null, string, Buffer]) => {
        luid.writeUInt32LE(enabled.push(name))
        return {result: 1}
      },
      OpenProcessToken: filling(1, {2: 5n}),
      SetNamedSecurityInfoW: (...args: unknown[]) => ({result: parts.push(args[2]) === 1 ? refusal : 0}),
    })
    await openSecurity(native).setSecurity('C:\\k', 'O:BAD:P(A;;FA;;;BA)')
    expect(parts).toEqual([0x8000_0005, 0x1, 0x8000_0004])
    expect(enabled).toEqual(['SeTakeOwnershipPrivilege', 'SeRestorePrivilege'])
    expect(calls.filter((call) => call === 'CloseHandle')).toHaveLength(1)
  })

  it('is refused where the token does not hold the privileges', async () => {
    const {calls, native} = fakeNative({
      AdjustTokenPrivileges: () => ({lastError: 1300, result: 1}),
      CloseHandle: () => ({result: 1}),
      ConvertStringSecurityDescriptorToSecurityDescriptorW: filling(1, {2: 7n}),
      GetSecurityDescriptorControl: filling(1, {1: 0x9004}),
      GetSecurityDescriptorDacl: filling(1, {1: 1, 2: 8n}),
      GetSecurityDescriptorOwner: filling(1, {1: 9n}),
      LocalFree: () => ({result: null}),
      LookupPrivilegeValueW: () => ({result: 1}),
      OpenProcessToken: filling(1, {2: 5n}),
      SetNamedSecurityInfoW: () => ({result: 5}),
    })
    await expect(openSecurity(native).setSecurity('C:\\k', 'x')).rejects.toMatchObject({
      call: 'AdjustTokenPrivileges',
      code: 1300,
    })
    expect(calls.slice(-2)).toEqual(['CloseHandle', 'LocalFree'])
  })

  it('that is wrong is refused with its code', async () => {
    const wrong = fakeNative({
      ConvertStringSecurityDescriptorToSecurityDescriptorW: () => ({lastError: 1336, result: 0}),
    })
    await expect(openSecurity(wrong.native).setSecurity('C:\\k', 'nonsense')).rejects.toMatchObject({code: 1336})
    const missing = fakeNative({GetNamedSecurityInfoW: () => ({result: 2})})
    await expect(openSecurity(missing.native).securityOf('C:\\none')).rejects.toMatchObject({
      code: 2,
      subject: 'C:\\none',
    })
  })
})
