// Who serves a named pipe, asked so that the server learns who asks and can do nothing in that name. Any account can create
// a pipe of a name that is free, and may act as whoever opens it, unless the opening forbids it: learn.microsoft.com,
// "Impersonation Levels". Node's own client cannot (libuv, src/win/pipe.c, open_named_pipe: FILE_FLAG_OVERLAPPED alone).
import type {Win32} from '../../win32.js'
import {ERROR_FILE_NOT_FOUND, ERROR_PIPE_BUSY} from './codes.js'
import {descriptors, SECURITY_PARTS} from './descriptor.js'
import {
  demand,
  demandSuccess,
  functionsOf,
  lazily,
  type LazyNative,
  type Native,
  type Pointer,
  refusalOf,
} from './library.js'

/** FILE_READ_ATTRIBUTES and READ_CONTROL: less than every client of a pipe asks for. */
const READ_RIGHTS = 0x80 | 0x2_00_00
const SHARED = 0x3
const OPEN_EXISTING = 3
/** SECURITY_SQOS_PRESENT and SECURITY_IDENTIFICATION. */
const IDENTIFICATION = 0x10_00_00 | 0x1_00_00
const INVALID_HANDLE = -1
const SE_KERNEL_OBJECT = 6
/**
 * All instances of the pipe have clients: the server makes another one, which another client may open first. 10 seconds in all
 * where it makes none.
 */
const BUSY_MS = 200
const TRIES = 50

const library = (native: Native) => ({
  ...functionsOf(native, 'kernel32.dll', {
    closeHandle: 'int32_t CloseHandle(intptr_t)',
    createFile: 'intptr_t CreateFileW(str16, uint32_t, uint32_t, void *, uint32_t, uint32_t, intptr_t)',
    serverProcessId: 'int32_t GetNamedPipeServerProcessId(intptr_t, out uint32_t)',
    waitNamedPipe: 'int32_t WaitNamedPipeW(str16, uint32_t)',
  }),
  ...functionsOf(native, 'advapi32.dll', {
    getSecurity: 'uint32_t GetSecurityInfo(intptr_t, int32_t, uint32_t, void *, void *, void *, void *, out void *)',
  }),
  toSddl: descriptors(native).toSddl,
})

export function openPipes(native: LazyNative): Pick<Win32, 'pipeServer'> {
  const open = lazily(native, library)

  return {
    async pipeServer(pipe) {
      const {closeHandle, createFile, getSecurity, serverProcessId, toSddl, waitNamedPipe} = await open()
      const connect = () => createFile(pipe, READ_RIGHTS, SHARED, null, OPEN_EXISTING, IDENTIFICATION, 0)
      let opened = await connect()
      for (let tries = 1; tries < TRIES && opened.lastError === ERROR_PIPE_BUSY; tries++) {
        if (Number(opened.result) !== INVALID_HANDLE) break
        await waitNamedPipe(pipe, BUSY_MS)
        opened = await connect()
      }
      const handle = Number(opened.result)
      if (handle === INVALID_HANDLE) {
        if (opened.lastError === ERROR_FILE_NOT_FOUND) return undefined
        throw refusalOf(opened, pipe)
      }
      try {
        const [id, descriptor]: [number[], Pointer[]] = [[0], [null]]
        await demand(pipe, serverProcessId(handle, id))
        const asked = getSecurity(handle, SE_KERNEL_OBJECT, SECURITY_PARTS, null, null, null, null, descriptor)
        await demandSuccess(pipe, asked)
        return {processId: id[0] ?? 0, sddl: await toSddl(descriptor[0]!, pipe)}
      } finally {
        await closeHandle(handle)
      }
    },
  }
}
