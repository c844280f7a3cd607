// Drives and memory.
import type {DriveKind, Win32} from '../../win32.js'
import {ERROR_NOT_READY} from './codes.js'
import {demand, functionsOf, lazily, type LazyNative, type Native} from './library.js'
import {readWideString} from './text.js'

/** GetDriveTypeW's answers by number; 1 is a drive that is not there. */
const KINDS: readonly (DriveKind | undefined)[] = [
  'unknown',
  undefined,
  'removable',
  'fixed',
  'network',
  'cdrom',
  'ramdisk',
]
const MEMORYSTATUSEX_BYTES = 64
const TOTAL_AT = 8
const AVAILABLE_AT = 16
/** MAX_PATH + 1, which is what Microsoft asks for. */
const NAME_CHARACTERS = 261

const library = (native: Native) =>
  functionsOf(native, 'kernel32.dll', {
    getDriveType: 'uint32_t GetDriveTypeW(str16)',
    getFreeSpace: 'int32_t GetDiskFreeSpaceExW(str16, void *, void *, void *)',
    getMemory: 'int32_t GlobalMemoryStatusEx(void *)',
    getVolume: 'int32_t GetVolumeInformationW(str16, void *, uint32_t, void *, void *, void *, void *, uint32_t)',
  })

export function openResources(native: LazyNative): Pick<Win32, 'drive' | 'memory'> {
  const open = lazily(native, library)

  return {
    async drive(name) {
      const calls = await open()
      const root = `${name}\\`
      const {result} = await calls.getDriveType(root)
      const kind = KINDS[result]
      if (kind === undefined) return undefined
      // The rest would query the other computer: such a drive is not used.
      if (kind === 'network') return {fileSystem: '', freeBytes: 0, kind, totalBytes: 0}
      return {fileSystem: await fileSystemOf(calls, root), kind, ...(await spaceOf(calls, root))}
    },
    async memory() {
      const status = Buffer.alloc(MEMORYSTATUSEX_BYTES)
      status.writeUInt32LE(MEMORYSTATUSEX_BYTES, 0)
      await demand('memory', (await open()).getMemory(status))
      return {
        availableBytes: Number(status.readBigUInt64LE(AVAILABLE_AT)),
        totalBytes: Number(status.readBigUInt64LE(TOTAL_AT)),
      }
    },
  }
}

async function fileSystemOf({getVolume}: ReturnType<typeof library>, root: string): Promise<string> {
  const name = Buffer.alloc(NAME_CHARACTERS * 2)
  const asked = getVolume(root, null, 0, null, null, null, name, NAME_CHARACTERS)
  return (await demand(root, asked, ERROR_NOT_READY)) ? readWideString(name) : ''
}

async function spaceOf(
  {getFreeSpace}: ReturnType<typeof library>,
  root: string,
): Promise<{freeBytes: number; totalBytes: number}> {
  const [free, total] = [Buffer.alloc(8), Buffer.alloc(8)]
  await demand(root, getFreeSpace(root, free, total, null), ERROR_NOT_READY)
  return {freeBytes: Number(free.readBigUInt64LE()), totalBytes: Number(total.readBigUInt64LE())}
}
