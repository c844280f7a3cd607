import {describe, expect, it} from 'vitest'
import {openSecuredFiles} from '../../../../src/machine/real/win32/secured-files.js'
import {fakeNative, filling, type Played} from './fake-native.js'

const SDDL = 'O:BAD:P(A;;FA;;;BA)'
const DESCRIPTOR = 0x1234_5678_9abcn

function opened(functions: Readonly<Record<string, Played>>) {
  const {calls, native} = fakeNative({
    CloseHandle: () => ({result: 1}),
    ConvertStringSecurityDescriptorToSecurityDescriptorW: filling(1, {2: DESCRIPTOR}),
    LocalFree: () => ({result: null}),
    ...functions,
  })
  return {calls, files: openSecuredFiles(native)}
}

/** SECURITY_ATTRIBUTES as winbase.h has it. */
function read(attributes: Buffer) {
  const [length, descriptor] = [attributes.readUInt32LE(0), attributes.readBigUInt64LE(8)]
  return {descriptor, inherited: attributes.readInt32LE(16), length, size: attributes.length}
}

const WANTED = {descriptor: DESCRIPTOR, inherited: 0, length: 24, size: 24}

describe('what is born with its security descriptor', () => {
  it('is a folder', async () => {
    let given: unknown[] = []
    const {calls, files} = opened({CreateDirectoryW: (...args) => ((given = args), {result: 1})})
    await files.createFolder(`C:\\${'k'.repeat(300)}`, SDDL)
    expect(given[0]).toBe(`\\\\?\\C:\\${'k'.repeat(300)}`)
    expect(read(given[1] as Buffer)).toEqual(WANTED)
    expect(calls.at(-1)).toBe('LocalFree')
  })

  it('is a new file, closed at once, not shared', async () => {
    let given: unknown[] = []
    const {calls, files} = opened({CreateFileW: (...args) => ((given = args), {result: 77})})
    await files.createFile('C:\\k\\kubeconfig.tmp', SDDL)
    expect(given.filter((_, index) => index !== 3)).toEqual(['C:\\k\\kubeconfig.tmp', 0x4000_0000, 0, 1, 0x80, 0])
    expect(read(given[3] as Buffer)).toEqual(WANTED)
    expect(calls.slice(-2)).toEqual(['CloseHandle', 'LocalFree'])
  })

  it('is left as it is where a folder exists', async () => {
    const {files} = opened({CreateDirectoryW: () => ({lastError: 183, result: 0})})
    await files.createFolder('C:\\k', SDDL)
  })

  it.each([
    [5, 'EPERM'],
    [3, 'ENOENT'],
    [112, 'ENOSPC'],
    [4390, 'UNKNOWN'],
  ])('is refused as Node would report it: %i is %s', async (lastError, code) => {
    const {calls, files} = opened({
      CreateDirectoryW: () => ({lastError, result: 0}),
      CreateFileW: () => ({lastError, result: -1}),
    })
    await expect(files.createFolder('C:\\k', SDDL)).rejects.toMatchObject({code, syscall: 'CreateDirectoryW'})
    await expect(files.createFile('C:\\k', SDDL)).rejects.toMatchObject({code, syscall: 'CreateFileW'})
    expect(calls.filter((call) => call === 'LocalFree')).toHaveLength(2)
    expect(calls).not.toContain('CloseHandle')
  })

  it('is a new file or none', async () => {
    const {files} = opened({CreateFileW: () => ({lastError: 80, result: -1})})
    await expect(files.createFile('C:\\k', SDDL)).rejects.toMatchObject({code: 'EEXIST'})
  })
})

it.each([
  ['a folder', 0x10, false],
  ['a junction or mount point', 0x410, true],
  ['nothing', 0xffff_ffff, false],
])('%s is reported by its attributes', async (_, attributes, isReparsePoint) => {
  const {files} = opened({GetFileAttributesW: () => ({result: attributes})})
  expect(await files.isReparsePoint('C:\\k')).toBe(isReparsePoint)
})
