// Folders and files that are born with their security descriptor: set afterwards, there would be a moment without it,
// and a handle opened in that moment keeps its rights.
import {ERROR_ALREADY_EXISTS} from './codes.js'
import {descriptors, nativePath} from './descriptor.js'
import {functionsOf, lazily, type LazyNative, type Native, type Pointer} from './library.js'

const GENERIC_WRITE = 0x4000_0000
const CREATE_NEW = 1
const FILE_ATTRIBUTE_NORMAL = 0x80
const FILE_ATTRIBUTE_REPARSE_POINT = 0x400
const INVALID_FILE_ATTRIBUTES = 0xffff_ffff
const INVALID_HANDLE = -1
/** SECURITY_ATTRIBUTES on 64 bits: length, descriptor, whether a handle is inherited. */
const ATTRIBUTES_BYTES = 24
const DESCRIPTOR_OFFSET = 8

/** As Node.js reports them, whose own calls are used beside these (libuv, uv_translate_sys_error). */
const NODE_CODES: Readonly<Record<number, string>> = {
  2: 'ENOENT',
  3: 'ENOENT',
  5: 'EPERM',
  19: 'EROFS',
  32: 'EBUSY',
  80: 'EEXIST',
  112: 'ENOSPC',
  123: 'ENOENT',
  145: 'ENOTEMPTY',
  183: 'EEXIST',
  206: 'ENAMETOOLONG',
}

export interface SecuredFiles {
  /** An empty file; rejects with EEXIST where there is one. */
  createFile(path: string, sddl: string): Promise<void>
  /** One folder, whose parent is there. Nothing happens where something of its name exists. */
  createFolder(path: string, sddl: string): Promise<void>
  /** Also the mount point of a volume, which Node takes for a plain folder. */
  isReparsePoint(path: string): Promise<boolean>
}

const library = (native: Native) => ({
  ...functionsOf(native, 'kernel32.dll', {
    closeHandle: 'int32_t CloseHandle(intptr_t)',
    createDirectory: 'int32_t CreateDirectoryW(str16, void *)',
    createFile: 'intptr_t CreateFileW(str16, uint32_t, uint32_t, void *, uint32_t, uint32_t, intptr_t)',
    getAttributes: 'uint32_t GetFileAttributesW(str16)',
  }),
  fromSddl: descriptors(native).from,
})

export function openSecuredFiles(native: LazyNative): SecuredFiles {
  const open = lazily(native, library)

  return {
    async createFile(path, sddl) {
      const {closeHandle, createFile, fromSddl} = await open()
      await fromSddl(sddl, async (descriptor) => {
        const attributes = securityAttributes(descriptor)
        const args = [GENERIC_WRITE, 0, attributes, CREATE_NEW, FILE_ATTRIBUTE_NORMAL, 0] as const
        const {lastError, result} = await createFile(nativePath(path), ...args)
        if (Number(result) === INVALID_HANDLE) throw systemError('CreateFileW', lastError)
        await closeHandle(result)
      })
    },
    async createFolder(path, sddl) {
      const {createDirectory, fromSddl} = await open()
      await fromSddl(sddl, async (descriptor) => {
        const {lastError, result} = await createDirectory(nativePath(path), securityAttributes(descriptor))
        if (result === 0 && lastError !== ERROR_ALREADY_EXISTS) throw systemError('CreateDirectoryW', lastError)
      })
    },
    async isReparsePoint(path) {
      const {result} = await (await open()).getAttributes(nativePath(path))
      return result !== INVALID_FILE_ATTRIBUTES && (result & FILE_ATTRIBUTE_REPARSE_POINT) !== 0
    },
  }
}

export function securityAttributes(descriptor: Pointer): Buffer {
  const attributes = Buffer.alloc(ATTRIBUTES_BYTES)
  attributes.writeUInt32LE(ATTRIBUTES_BYTES)
  attributes.writeBigUInt64LE(descriptor ?? 0n, DESCRIPTOR_OFFSET)
  return attributes
}

/** In the shape of Node's own, so that locks are waited for and refusals reported alike. */
export function systemError(syscall: string, lastError: number): Error {
  const code = NODE_CODES[lastError] ?? 'UNKNOWN'
  return Object.assign(new Error(`${syscall} failed with Windows error ${lastError}`), {code, syscall})
}
