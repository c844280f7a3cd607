import {describe, expect, it} from 'vitest'
import {openResources} from '../../../../src/machine/real/win32/resources.js'
import {wideString} from '../../../../src/machine/real/win32/text.js'
import {fakeNative} from './fake-native.js'
import type {Played} from './fake-native.js'

const GIB = 2 ** 30

describe('drives and memory', () => {
  const open = (played: Record<string, Played>) => openResources(fakeNative(played).native)
  const space =
    (free: bigint, total: bigint): Played =>
    (root: string, toCaller: Buffer, all: Buffer) => {
      expect(root).toBe('D:\\')
      toCaller.writeBigUInt64LE(free)
      all.writeBigUInt64LE(total)
      return {result: 1}
    }
  const volume =
    (fileSystem: string): Played =>
    (...args: unknown[]) => {
      const [root, name, , , , , data, characters] = args as [string, null, number, null, null, null, Buffer, number]
      expect([root, name, data.length]).toEqual(['D:\\', null, characters * 2])
      wideString(fileSystem).copy(data)
      return {result: 1}
    }

  it.each([
    [0, 'unknown'],
    [2, 'removable'],
    [3, 'fixed'],
    [5, 'cdrom'],
    [6, 'ramdisk'],
    [99, undefined],
    [1, undefined],
  ])('a drive of type %i is %s', async (type, kind) => {
    const resources = open({
      GetDiskFreeSpaceExW: space(5n * BigInt(GIB), 6n * BigInt(GIB)),
      GetDriveTypeW: () => ({result: type}),
      GetVolumeInformationW: volume('NTFS'),
    })
    expect(await resources.drive('D:')).toEqual(
      kind && {fileSystem: 'NTFS', freeBytes: 5 * GIB, kind, totalBytes: 6 * GIB},
    )
  })

  it('review S1: a drive on another computer is known without asking that computer', async () => {
    const resources = open({GetDriveTypeW: () => ({result: 4})})
    expect(await resources.drive('Z:')).toEqual({fileSystem: '', freeBytes: 0, kind: 'network', totalBytes: 0})
  })

  it('a drive without a disc in it is reported as empty', async () => {
    const notReady: Played = () => ({lastError: 21, result: 0})
    const resources = open({
      GetDiskFreeSpaceExW: notReady,
      GetDriveTypeW: () => ({result: 5}),
      GetVolumeInformationW: notReady,
    })
    expect(await resources.drive('D:')).toEqual({fileSystem: '', freeBytes: 0, kind: 'cdrom', totalBytes: 0})
  })

  it('refusals are reported by their call and code', async () => {
    const refused: Played = () => ({lastError: 5, result: 0})
    const fixed: Played = () => ({result: 3})
    await expect(open({GetDriveTypeW: fixed, GetVolumeInformationW: refused}).drive('D:')).rejects.toMatchObject({
      call: 'GetVolumeInformationW',
      code: 5,
      subject: 'D:\\',
    })
    await expect(
      open({GetDiskFreeSpaceExW: refused, GetDriveTypeW: fixed, GetVolumeInformationW: volume('NTFS')}).drive('D:'),
    ).rejects.toMatchObject({call: 'GetDiskFreeSpaceExW', code: 5})
    await expect(open({GlobalMemoryStatusEx: refused}).memory()).rejects.toMatchObject({code: 5})
  })

  it('memory is asked for with the size of the structure, and read from its places', async () => {
    const resources = open({
      GlobalMemoryStatusEx(status: Buffer) {
        expect([status.length, status.readUInt32LE(0)]).toEqual([64, 64])
        status.writeUInt32LE(25, 4)
        status.writeBigUInt64LE(8n * BigInt(GIB), 8)
        status.writeBigUInt64LE(6n * BigInt(GIB), 16)
        status.writeBigUInt64LE(99n, 24)
        return {result: 1}
      },
    })
    expect(await resources.memory()).toEqual({availableBytes: 6 * GIB, totalBytes: 8 * GIB})
  })
})
