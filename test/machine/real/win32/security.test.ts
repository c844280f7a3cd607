import {describe, expect, it} from 'vitest'
import {openSecurity} from '../../../../src/machine/real/win32/security.js'
import {wideString} from '../../../../src/machine/real/win32/text.js'
import {fakeNative, filling, pointerTo} from './fake-native.js'

const ok = {result: 0}

describe('security', () => {
  const sddl = wideString('O:BAD:P(A;;FA;;;BA)')

  it('is told as SDDL, and all memory freed', async () => {
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
