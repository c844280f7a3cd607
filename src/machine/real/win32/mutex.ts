// The lock of the host: a mutex in a namespace whose boundary is the group Administrators. In Global\ anybody could make
// one of the same name first, and hold it. Source: learn.microsoft.com, "Object Namespaces"; WireGuard's driver library
// guards its mutexes in the same way (wireguard-nt, api/namespace.c).
import {type Win32, Win32Error} from '../../win32.js'
import {
  ERROR_ACCESS_DENIED,
  ERROR_ALREADY_EXISTS,
  ERROR_FILE_NOT_FOUND,
  ERROR_PATH_NOT_FOUND,
  ERROR_PROC_NOT_FOUND,
} from './codes.js'
import {descriptors} from './descriptor.js'
import {demand, functionsOf, lazily, type LazyNative, type Native, type Pointer, refusalOf} from './library.js'
import {securityAttributes} from './secured-files.js'

const NAMESPACE = 'k8s-win'
/** S-1-5-32-544. */
const ADMINISTRATORS = Buffer.from('01020000000000052000000020020000', 'hex')
/** Who is outside of the boundary could still open the namespace, were it not for its own access list. */
const ADMINISTRATORS_ONLY = 'D:P(A;;GA;;;SY)(A;;GA;;;BA)'
/** Another run may end between the two calls, but not every time. */
const TRIES = 20
const SYNCHRONIZE = 0x10_00_00

const library = (native: Native) => ({
  ...functionsOf(native, 'kernel32.dll', {
    closeHandle: 'int32_t CloseHandle(void *)',
    createMutex: 'void *CreateMutexW(void *, int32_t, str16)',
    openMutex: 'void *OpenMutexW(uint32_t, int32_t, str16)',
  }),
  fromSddl: descriptors(native).from,
  names: namespacesOf(native),
})

/** Undefined where Windows' library lacks one of them: Wine's, on which there are no other users. */
function namespacesOf(native: Native): Namespaces | undefined {
  try {
    return namespaces(native)
  } catch (error) {
    if (error instanceof Win32Error && error.code === ERROR_PROC_NOT_FOUND) return undefined
    throw error
  }
}

const namespaces = (native: Native) =>
  functionsOf(native, 'kernel32.dll', {
    addSid: 'int32_t AddSIDToBoundaryDescriptor(inout void *, void *)',
    close: 'uint8_t ClosePrivateNamespace(void *, uint32_t)',
    create: 'void *CreatePrivateNamespaceW(void *, void *, str16)',
    createBoundary: 'void *CreateBoundaryDescriptorW(str16, uint32_t)',
    deleteBoundary: 'void DeleteBoundaryDescriptor(void *)',
    open: 'void *OpenPrivateNamespaceW(void *, str16)',
  })

type Library = ReturnType<typeof library>
type Namespaces = ReturnType<typeof namespaces>
type Namespace = {readonly leave: () => Promise<void>; readonly nameOf: (name: string) => string}

export function openMutex(native: LazyNative): Pick<Win32, 'isMutexHeld' | 'takeMutex'> {
  const open = lazily(native, library)
  return {
    async isMutexHeld(name) {
      const calls = await open()
      const namespace = await findNamespace(calls)
      if (namespace === 'denied' || namespace === 'absent') return false
      try {
        return await isThere(calls, namespace.nameOf(name))
      } finally {
        await namespace.leave()
      }
    },
    async takeMutex(name) {
      const calls = await open()
      return calls.fromSddl(ADMINISTRATORS_ONLY, async (descriptor) => {
        const attributes = securityAttributes(descriptor)
        const namespace = await enterNamespace(calls, attributes)
        // A user who is not an administrator has nothing to lock: every change of the host is refused.
        return namespace === 'denied' ? async () => {} : take(calls, attributes, name, namespace)
      })
    },
  }
}

const enterNamespace = (calls: Library, attributes: Buffer): Promise<'denied' | Namespace> =>
  inBoundary(calls, async (boundary, {create, ...names}) => {
    for (let tries = 1; ; tries++) {
      const made = await create(attributes, boundary, NAMESPACE)
      if (made.result !== null) return entered(names, made.result)
      if (made.lastError === ERROR_ACCESS_DENIED) return 'denied'
      if (made.lastError !== ERROR_ALREADY_EXISTS) throw refusalOf(made, NAMESPACE)

      const found = await openNamespace(names, boundary)
      if (found !== 'absent') return found
      if (tries === TRIES) throw new Win32Error('OpenPrivateNamespaceW', ERROR_PATH_NOT_FOUND, NAMESPACE)
    }
  })

/** That of another run; this one makes none. */
const findNamespace = (calls: Library): Promise<'absent' | 'denied' | Namespace> =>
  inBoundary(calls, (boundary, names) => openNamespace(names, boundary))

async function inBoundary<T>(
  calls: Library,
  work: (boundary: Pointer, names: Namespaces) => Promise<T>,
): Promise<Namespace | T> {
  const {names} = calls
  if (!names) return {leave: async () => {}, nameOf: (name) => name}
  // A failure is not a reason to use a name that anybody may take.
  const boundary: Pointer[] = [await demand(NAMESPACE, names.createBoundary(NAMESPACE, 0))]
  try {
    await demand(NAMESPACE, names.addSid(boundary, ADMINISTRATORS))
    return await work(boundary[0] ?? null, names)
  } finally {
    await names.deleteBoundary(boundary[0])
  }
}

async function openNamespace(
  names: Pick<Namespaces, 'close' | 'open'>,
  boundary: Pointer,
): Promise<'absent' | 'denied' | Namespace> {
  const found = await names.open(boundary, NAMESPACE)
  if (found.result !== null) return entered(names, found.result)
  if (found.lastError === ERROR_ACCESS_DENIED) return 'denied'
  if (found.lastError === ERROR_PATH_NOT_FOUND) return 'absent'
  throw refusalOf(found, NAMESPACE)
}

const entered = ({close}: Pick<Namespaces, 'close'>, handle: Pointer): Namespace => ({
  leave: async () => void (await close(handle, 0)),
  nameOf: (name) => `${NAMESPACE}\\${name.replace(/^.*\\/, '')}`,
})

/** Opened for no longer than that takes: while a handle is open, the mutex is there. */
async function isThere({closeHandle, openMutex: open}: Library, name: string): Promise<boolean> {
  const found = await open(SYNCHRONIZE, 0, name)
  if (found.result !== null) {
    await closeHandle(found.result)
    return true
  }

  if (found.lastError === ERROR_FILE_NOT_FOUND) return false
  if (found.lastError === ERROR_ACCESS_DENIED) return true
  throw refusalOf(found, name)
}

async function take(
  {closeHandle, createMutex}: Library,
  attributes: Buffer,
  wanted: string,
  {leave, nameOf}: Namespace,
): Promise<(() => Promise<void>) | undefined> {
  const name = nameOf(wanted)
  // Not owned, because ownership belongs to a thread and calls change threads: whoever created it and keeps it open holds it.
  const made = await createMutex(attributes, 0, name)
  if (made.result === null) {
    await leave()
    // A mutex of another account may deny access: the lock is held nevertheless.
    if (made.lastError === ERROR_ACCESS_DENIED) return undefined
    throw refusalOf(made, name)
  }

  let released: Promise<void> | undefined
  const release = async (): Promise<void> => {
    await closeHandle(made.result)
    await leave()
  }

  if (made.lastError === ERROR_ALREADY_EXISTS) {
    await release()
    return undefined
  }

  return () => (released ??= release())
}
