import {describe, expect, it} from 'vitest'
import type {Native} from '../../../../src/machine/real/win32/library.js'
import {openMutex} from '../../../../src/machine/real/win32/mutex.js'
import {Win32Error} from '../../../../src/machine/win32.js'
import {fakeNative, filling, type Played} from './fake-native.js'

const MUTEX = 'Global\\k8s-win'

/** Windows, with an administrator, on a host without another run. */
function windows(played: Record<string, Played> = {}) {
  return fakeNative({
    AddSIDToBoundaryDescriptor: () => ({result: 1}),
    CloseHandle: () => ({result: 1}),
    ConvertStringSecurityDescriptorToSecurityDescriptorW: filling(1, {2: 7n}),
    CreateBoundaryDescriptorW: () => ({result: 3n}),
    CreateMutexW: () => ({result: 5n}),
    CreatePrivateNamespaceW: () => ({result: 4n}),
    DeleteBoundaryDescriptor: () => ({result: undefined}),
    LocalFree: () => ({result: null}),
    OpenMutexW: () => ({result: 6n}),
    OpenPrivateNamespaceW: () => ({result: 4n}),
    ...played,
  })
}

/** Windows' libraries, of which one function cannot be bound. */
const without = (native: Native, missing: string, code = 127): Native => ({
  ...native,
  bind(library, name, ...rest) {
    if (name === missing) throw new Win32Error('GetProcAddress', code, name)
    return native.bind(library, name, ...rest)
  },
})

describe('review S14: the lock', () => {
  it('is in a namespace of administrators, closed to others, taken once and released once', async () => {
    const seen: Record<string, unknown> = {}
    const {calls, native} = windows({
      AddSIDToBoundaryDescriptor: (_: unknown, sid: Buffer) => ((seen.sid = sid.toString('hex')), {result: 1}),
      ConvertStringSecurityDescriptorToSecurityDescriptorW: (sddl: unknown, ...[, out]: [unknown, unknown[]]) => {
        out[0] = 7n
        seen.sddl = sddl
        return {result: 1}
      },
      CreateMutexW: (attributes: Buffer, _: unknown, name: unknown) => {
        seen.mutex = [name, attributes.readBigUInt64LE(8)]
        return {result: 5n}
      },
      CreatePrivateNamespaceW: (attributes: Buffer, boundary: unknown) => {
        seen.namespace = [attributes.readBigUInt64LE(8), boundary]
        return {result: 4n}
      },
    })
    const release = await openMutex(native).takeMutex(MUTEX)
    expect(seen).toEqual({
      mutex: ['k8s-win\\k8s-win', 7n],
      namespace: [7n, 3n],
      sddl: 'D:P(A;;GA;;;SY)(A;;GA;;;BA)',
      sid: '01020000000000052000000020020000',
    })
    await release?.()
    await release?.()
    expect(calls.filter((name) => name === 'CloseHandle')).toHaveLength(1)
  })

  it('is looked for where another administrator has the namespace, and left to who has it', async () => {
    const {calls, native} = windows({
      CreateMutexW: () => ({lastError: 183, result: 5n}),
      CreatePrivateNamespaceW: () => ({lastError: 183, result: null}),
    })
    expect(await openMutex(native).takeMutex(MUTEX)).toBeUndefined()
    expect(calls.filter((name) => /Namespace|Mutex|CloseHandle/.test(name))).toEqual([
      'CreatePrivateNamespaceW',
      'OpenPrivateNamespaceW',
      'CreateMutexW',
      'CloseHandle',
    ])
  })

  it('is tried again where the other run ends in between, but not for ever', async () => {
    let tries = 0
    const {native} = windows({
      CreatePrivateNamespaceW: () => (++tries < 3 ? {lastError: 183, result: null} : {result: 4n}),
      OpenPrivateNamespaceW: () => ({lastError: 3, result: null}),
    })
    expect(await openMutex(native).takeMutex(MUTEX)).toBeDefined()
    const endless = windows({
      CreatePrivateNamespaceW: () => ({lastError: 183, result: null}),
      OpenPrivateNamespaceW: () => ({lastError: 3, result: null}),
    })
    await expect(openMutex(endless.native).takeMutex(MUTEX)).rejects.toMatchObject({call: 'OpenPrivateNamespaceW'})
  })

  it.each<[string, Record<string, Played>, boolean]>([
    ['there is none', {OpenMutexW: () => ({lastError: 2, result: null})}, false],
    ['nobody has the namespace', {OpenPrivateNamespaceW: () => ({lastError: 3, result: null})}, false],
    ['it is there', {}, true],
    ['it is there and closed to us', {OpenMutexW: () => ({lastError: 5, result: null})}, true],
  ])('is looked for without being taken: %s', async (_, played, isHeld) => {
    const {calls, native} = windows(played)
    expect(await openMutex(native).isMutexHeld(MUTEX)).toBe(isHeld)
    expect(calls).not.toContain('CreateMutexW')
    expect(calls).not.toContain('CreatePrivateNamespaceW')
    expect(calls.includes('CloseHandle')).toBe(Object.keys(played).length === 0)
  })

  it('is in a namespace that a process opens once, for all its mutexes and for as long as it lives', async () => {
    // As Windows does it: a process that has opened it may not do so again.
    let opened = 0
    const {calls, native} = windows({
      CreatePrivateNamespaceW: () => ({lastError: 183, result: null}),
      OpenPrivateNamespaceW: () => (++opened === 1 ? {result: 4n} : {lastError: 52, result: null}),
    })
    const {isMutexHeld, takeMutex} = openMutex(native)
    await Promise.all([takeMutex(MUTEX), takeMutex(String.raw`Global\k8s-win-yielding`), isMutexHeld(MUTEX)])
    const release = await takeMutex(MUTEX)
    await release?.()
    expect(await isMutexHeld(MUTEX)).toBe(true)
    expect(calls.filter((name) => name === 'OpenPrivateNamespaceW')).toHaveLength(1)
    // A second machine in the same process.
    expect(await openMutex(native).isMutexHeld(MUTEX)).toBe(true)
    expect(await openMutex(native).takeMutex(MUTEX)).toBeDefined()
  })

  it('is looked for again where nobody had the namespace, or Windows failed once', async () => {
    let asked = 0
    const codes = [3, 8]
    const {native} = windows({
      OpenPrivateNamespaceW: () =>
        asked < codes.length ? {lastError: codes[asked++] ?? 0, result: null} : {result: 4n},
    })
    const {isMutexHeld} = openMutex(native)
    expect(await isMutexHeld(MUTEX)).toBe(false)
    await expect(isMutexHeld(MUTEX)).rejects.toMatchObject({code: 8})
    expect(await isMutexHeld(MUTEX)).toBe(true)
  })

  it('is not given to a user who is not an administrator: the checks refuse that user', async () => {
    const {calls, native} = windows({CreatePrivateNamespaceW: () => ({lastError: 5, result: null})})
    expect(await openMutex(native).takeMutex(MUTEX)).toBeDefined()
    expect(calls).not.toContain('CreateMutexW')
  })

  it('fails with what Windows said', async () => {
    const failing = (played: Record<string, Played>) => openMutex(windows(played).native).takeMutex(MUTEX)
    await expect(failing({CreateMutexW: () => ({lastError: 6, result: null})})).rejects.toMatchObject({code: 6})
    await expect(failing({AddSIDToBoundaryDescriptor: () => ({lastError: 87, result: 0})})).rejects.toMatchObject({
      code: 87,
    })
    expect(await failing({CreateMutexW: () => ({lastError: 5, result: null})})).toBeUndefined()
  })

  it('has its plain name where there are no namespaces, as in Wine', async () => {
    let name: unknown
    const {native} = windows({
      CreateMutexW: (...[, , given]: [unknown, unknown, unknown]) => ((name = given), {result: 5n}),
    })
    const release = await openMutex(async () => without(await native(), 'AddSIDToBoundaryDescriptor')).takeMutex(MUTEX)
    await release?.()
    expect(name).toBe(MUTEX)
  })
})

describe('review V10: the lock never has a name that anybody may take', () => {
  it('where Windows has namespaces, and refuses a boundary', async () => {
    const {calls, native} = windows({CreateBoundaryDescriptorW: () => ({lastError: 8, result: null})})
    const {isMutexHeld, takeMutex} = openMutex(native)
    await expect(takeMutex(MUTEX)).rejects.toMatchObject({call: 'CreateBoundaryDescriptorW', code: 8})
    await expect(isMutexHeld(MUTEX)).rejects.toMatchObject({call: 'CreateBoundaryDescriptorW', code: 8})
    expect(calls.filter((name) => /Mutex/.test(name))).toEqual([])
  })

  it('where binding fails for another reason than a missing function', async () => {
    const {native} = windows()
    const broken = async () => without(await native(), 'OpenPrivateNamespaceW', 8)
    await expect(openMutex(broken).takeMutex(MUTEX)).rejects.toMatchObject({code: 8})
  })
})
