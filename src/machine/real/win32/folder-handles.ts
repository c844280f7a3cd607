// Files and folders by handle. Each is opened by its name in a folder that is open itself, never by a path, which means
// another file as soon as another account has replaced a folder in it. Rust's library deletes folders by the same calls since
// CVE-2022-21658 (library/std/src/sys/fs/windows/remove_dir_all.rs).
import {ERROR_INVALID_FUNCTION, ERROR_INVALID_PARAMETER, ERROR_NO_MORE_FILES, ERROR_NOT_SUPPORTED} from './codes.js'
import {functionsOf, lazily, type LazyNative, type Native} from './library.js'
import {systemError} from './secured-files.js'

/** A file, or a link to one; a folder, junction or mount point; or a folder above what is deleted. */
type OpenedAs = 'file' | 'folder' | 'parent'

interface FolderEntry {
  readonly isFolder: boolean
  /** UTF-16, which may be invalid: it is not a string of JavaScript. */
  readonly name: Buffer
}

export interface FolderHandles {
  close(handle: bigint): Promise<void>
  /** A folder only if it is empty; a link or a junction, never what it leads to. */
  delete(handle: bigint): Promise<void>
  isReparsePoint(handle: bigint): Promise<boolean>
  list(folder: bigint): Promise<FolderEntry[]>
  /** Undefined where there is nothing of this name. `name` is a root where there is no parent, else one name without a path. */
  open(parent: bigint | undefined, name: Buffer, as: OpenedAs): Promise<bigint | 'other-kind' | undefined>
}

// Access rights, sharing, options and attributes: winnt.h, ntifs.h.
const [FILE_LIST_DIRECTORY, FILE_READ_ATTRIBUTES, DELETE, SYNCHRONIZE] = [0x1, 0x80, 0x1_00_00, 0x10_00_00]
const [SHARE_READ_WRITE, SHARE_ALL] = [0x1 | 0x2, 0x1 | 0x2 | 0x4]
const [FILE_DIRECTORY_FILE, FILE_NON_DIRECTORY_FILE] = [0x1, 0x40]
/** FILE_SYNCHRONOUS_IO_NONALERT, FILE_OPEN_FOR_BACKUP_INTENT, FILE_OPEN_REPARSE_POINT. */
const ALWAYS = 0x20 | 0x40_00 | 0x20_00_00
const [OBJ_CASE_INSENSITIVE, OBJ_DONT_REPARSE] = [0x40, 0x10_00]
const [FILE_ATTRIBUTE_DIRECTORY, FILE_ATTRIBUTE_REPARSE_POINT] = [0x10, 0x400]

/**
 * While a folder is open nobody may rename or delete it: a right to delete it is not shared. (Windows compares sharing only for
 * handles that read, write or delete: hence the right to list a parent.) A daemon may still have a file open.
 */
const OPENED: Readonly<Record<OpenedAs, readonly [access: number, share: number, options: number]>> = {
  file: [DELETE, SHARE_ALL, FILE_NON_DIRECTORY_FILE],
  folder: [DELETE | FILE_LIST_DIRECTORY | FILE_READ_ATTRIBUTES, SHARE_READ_WRITE, FILE_DIRECTORY_FILE],
  parent: [FILE_LIST_DIRECTORY | FILE_READ_ATTRIBUTES, SHARE_READ_WRITE, FILE_DIRECTORY_FILE],
}

/** NTSTATUS: STATUS_OBJECT_NAME_NOT_FOUND and _PATH_NOT_FOUND; STATUS_FILE_IS_A_DIRECTORY and STATUS_NOT_A_DIRECTORY. */
const ABSENT = new Set([0xc000_0034, 0xc000_003a])
const OTHER_KIND = new Set([0xc000_00ba, 0xc000_0103])

// Values of FILE_INFO_BY_HANDLE_CLASS (minwinbase.h).
const [FILE_DISPOSITION_INFO, FILE_DISPOSITION_INFO_EX, FILE_ATTRIBUTE_TAG_INFO] = [4, 21, 9]
const [FILE_ID_BOTH_DIRECTORY_INFO, FILE_ID_BOTH_DIRECTORY_RESTART_INFO] = [10, 11]
/** Delete, POSIX semantics (the name is free at once, whoever has the file open), and ignore the read-only attribute. */
const DELETE_NOW = 0x1 | 0x2 | 0x10
/** A file system that does not know FILE_DISPOSITION_INFO_EX (FAT, or a server's). It refuses to delete read-only files. */
const UNKNOWN_CLASS = new Set([ERROR_INVALID_FUNCTION, ERROR_NOT_SUPPORTED, ERROR_INVALID_PARAMETER])

/** Offsets in OBJECT_ATTRIBUTES of 64 bits, in the UNICODE_STRING behind it and its letters, and in FILE_ID_BOTH_DIR_INFO. */
const OBJECT = {attributes: 24, name: 16, root: 8, string: 48}
const STRING = {letters: 64, lettersAt: 56, longest: 50}
const ENTRY = {attributes: 56, name: 104, nameBytes: 60}
const LIST_BYTES = 64 * 1024

const library = (native: Native) => ({
  ...functionsOf(native, 'kernel32.dll', {
    close: 'int32_t CloseHandle(void *)',
    get: 'int32_t GetFileInformationByHandleEx(void *, int32_t, void *, uint32_t)',
    set: 'int32_t SetFileInformationByHandle(void *, int32_t, void *, uint32_t)',
  }),
  ...functionsOf(native, 'ntdll.dll', {
    open: 'int32_t NtOpenFile(void *, uint32_t, void *, void *, uint32_t, uint32_t)',
    toWin32: 'uint32_t RtlNtStatusToDosError(int32_t)',
  }),
  address: native.koffi.address,
})

export function openFolderHandles(native: LazyNative): FolderHandles {
  const open = lazily(native, library)
  /** False where there is no more. */
  const get = async (handle: bigint, kind: number, bytes: Buffer): Promise<boolean> => {
    const {lastError, result} = await (await open()).get(handle, kind, bytes, bytes.length)
    if (result === 0 && lastError !== ERROR_NO_MORE_FILES) throw systemError('GetFileInformationByHandleEx', lastError)
    return result !== 0
  }

  return {
    close: async (handle) => void (await (await open()).close(handle)),
    async delete(handle) {
      const {set} = await open()
      let reply = await set(handle, FILE_DISPOSITION_INFO_EX, Buffer.from([DELETE_NOW, 0, 0, 0]), 4)
      if (reply.result === 0 && UNKNOWN_CLASS.has(reply.lastError)) {
        reply = await set(handle, FILE_DISPOSITION_INFO, Buffer.from([1]), 1)
      }
      if (reply.result === 0) throw systemError('SetFileInformationByHandle', reply.lastError)
    },
    async isReparsePoint(handle) {
      const attributesAndTag = Buffer.alloc(8)
      const isKnown = await get(handle, FILE_ATTRIBUTE_TAG_INFO, attributesAndTag)
      return !isKnown || (attributesAndTag.readUInt32LE() & FILE_ATTRIBUTE_REPARSE_POINT) !== 0
    },
    async list(folder) {
      const entries: FolderEntry[] = []
      for (let kind = FILE_ID_BOTH_DIRECTORY_RESTART_INFO; ; kind = FILE_ID_BOTH_DIRECTORY_INFO) {
        const bytes = Buffer.alloc(LIST_BYTES)
        if (!(await get(folder, kind, bytes))) return entries
        entries.push(...entriesIn(bytes))
      }
    },
    async open(parent, name, as) {
      const {address, open: openFile, toWin32} = await open()
      const [access, share, options] = OPENED[as]
      const [handle, ioStatus, object] = [Buffer.alloc(8), Buffer.alloc(16), objectAttributes(parent, name, address)]
      const {result} = await openFile(handle, access | SYNCHRONIZE, object, ioStatus, share, options | ALWAYS)
      if (result >= 0) return handle.readBigUInt64LE()
      if (OTHER_KIND.has(result >>> 0)) return 'other-kind'
      if (ABSENT.has(result >>> 0)) return undefined
      throw systemError('NtOpenFile', (await toWin32(result)).result)
    },
  }
}

/** In one piece of memory, so that all of it lives as long as the call. */
function objectAttributes(parent: bigint | undefined, name: Buffer, address: (memory: Buffer) => bigint): Buffer {
  const memory = Buffer.alloc(STRING.letters + name.length)
  name.copy(memory, STRING.letters)
  memory.writeUInt32LE(OBJECT.string)
  memory.writeBigUInt64LE(parent ?? 0n, OBJECT.root)
  memory.writeBigUInt64LE(address(memory) + BigInt(OBJECT.string), OBJECT.name)
  // In a folder, a junction is never followed, not even one that the folder was turned into since it was opened. The letter
  // of a drive is a link itself.
  memory.writeUInt32LE(OBJ_CASE_INSENSITIVE | (parent === undefined ? 0 : OBJ_DONT_REPARSE), OBJECT.attributes)
  for (const at of [OBJECT.string, STRING.longest]) memory.writeUInt16LE(name.length, at)
  memory.writeBigUInt64LE(address(memory) + BigInt(STRING.letters), STRING.lettersAt)
  return memory
}

function entriesIn(bytes: Buffer): FolderEntry[] {
  const entries: FolderEntry[] = []
  for (let at = 0, next = -1; next !== 0; at += next) {
    next = bytes.readUInt32LE(at)
    const name = bytes.subarray(at + ENTRY.name, at + ENTRY.name + bytes.readUInt32LE(at + ENTRY.nameBytes))
    const isFolder = (bytes.readUInt32LE(at + ENTRY.attributes) & FILE_ATTRIBUTE_DIRECTORY) !== 0
    if (!['.', '..'].includes(name.toString('utf16le'))) entries.push({isFolder, name})
  }

  return entries
}
