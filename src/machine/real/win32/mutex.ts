// The lock of the host: a mutex in a namespace whose boundary is the group Administrators. In Global\ anybody could make
// one of the same name first, and hold it. Source: learn.microsoft.com, "Object Namespaces"; WireGuard's driver library
// guards its mutexes in the same way, and opens its namespace once per process too (wireguard-nt, api/namespace.c): a second
// time its prefix is refused as a duplicate. Windows removes the namespace when the last process that opened it has ended.
import {type Win32, Win32Error} from '../../win32.js'
import {
  ERROR_ACCESS_DENIED,
  ERROR_ALREADY_EXISTS,
  ERROR_DUP_NAME,
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
    create: 'void *CreatePrivateNamespaceW(void *, void *, str16)',
    createBoundary: 'void *CreateBoundaryDescriptorW(str16, uint32_t)',
    deleteBoundary: 'void DeleteBoundaryDescriptor(void *)',
    open: 'void *OpenPrivateNamespaceW(void *, str16)',
  })

type Library = ReturnType<typeof library>
type Namespaces = ReturnType<typeof namespaces>
type Namespace = {readonly nameOf: (name: string) => string}
type Found = 'absent' | 'denied' | Namespace

export function openMutex(native: LazyNative): Pick<Win32, 'isMutexHeld' | 'takeMutex'> {
  const open = lazily(native, library)
  let known: Promise<Found> = Promise.resolve('absent')
  /** One after the other: the first that finds it has found it for all. */
  const namespaceBy = (enter: () => Promise<Found>): Promise<Found> =>
    (known = known.catch((): Found => 'absent').then((found) => (found === 'absent' ? enter() : found)))
  return {
    async isMutexHeld(name) {
      const calls = await open()
      const namespace = await namespaceBy(() => findNamespace(calls))
      return typeof namespace === 'object' && isThere(calls, namespace.nameOf(name))
    },
    async takeMutex(name) {
      const calls = await open()
      return calls.fromSddl(ADMINISTRATORS_ONLY, async (descriptor) => {
        const attributes = securityAttributes(descriptor)
        const namespace = await namespaceBy(() => enterNamespace(calls, attributes))
        // A user who is not an administrator has nothing to lock: every change of the host is refused.
        return typeof namespace === 'object' ? take(calls, attributes, namespace.nameOf(name)) : async () => {}
      })
    },
  }
}

const enterNamespace = (calls: Library, attributes: Buffer): Promise<Found> =>
  inBoundary(calls, async (boundary, {create, ...names}) => {
    for (let tries = 1; ; tries++) {
      const made = await create(attributes, boundary, NAMESPACE)
      if (made.result !== null) return ENTERED
      if (made.lastError === ERROR_ACCESS_DENIED) return 'denied'
      if (made.lastError !== ERROR_ALREADY_EXISTS) throw refusalOf(made, NAMESPACE)

      const found = await openNamespace(names, boundary)
      if (found !== 'absent') return found
      if (tries === TRIES) throw new Win32Error('OpenPrivateNamespaceW', ERROR_PATH_NOT_FOUND, NAMESPACE)
    }
  })

/** That of another run; this one makes none. */
const findNamespace = (calls: Library): Promise<Found> =>
  inBoundary(calls, (boundary, names) => openNamespace(names, boundary))

async function inBoundary<T>(
  calls: Library,
  work: (boundary: Pointer, names: Namespaces) => Promise<T>,
): Promise<Namespace | T> {
  const {names} = calls
  if (!names) return {nameOf: (name) => name}
  // A failure is not a reason to use a name that anybody may take.
  const boundary: Pointer[] = [await demand(NAMESPACE, names.createBoundary(NAMESPACE, 0))]
  try {
    await demand(NAMESPACE, names.addSid(boundary, ADMINISTRATORS))
    return await work(boundary[0] ?? null, names)
  } finally {
    await names.deleteBoundary(boundary[0])
  }
}

async function openNamespace({open}: Pick<Namespaces, 'open'>, boundary: Pointer): Promise<Found> {
  const found = await open(boundary, NAMESPACE)
  // Another machine of this process has opened it.
  if (found.result !== null || found.lastError === ERROR_DUP_NAME) return ENTERED
  if (found.lastError === ERROR_ACCESS_DENIED) return 'denied'
  if (found.lastError === ERROR_PATH_NOT_FOUND) return 'absent'
  throw refusalOf(found, NAMESPACE)
}

const ENTERED: Namespace = {nameOf: (name) => `${NAMESPACE}\\${name.replace(/^.*\\/, '')}`}

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
  name: string,
): Promise<(() => Promise<void>) | undefined> {
  // Not owned, because ownership belongs to a thread and calls change threads: whoever created it and keeps it open holds it.
  const made = await createMutex(attributes, 0, name)
  if (made.result === null) {
    // A mutex of another account may deny access: the lock is held nevertheless.
    if (made.lastError === ERROR_ACCESS_DENIED) return undefined
    throw refusalOf(made, name)
  }

  let released: Promise<void> | undefined
  const release = async (): Promise<void> => void (await closeHandle(made.result))

  if (made.lastError === ERROR_ALREADY_EXISTS) {
    await release()
    return undefined
  }

  return () => (released ??= release())
}
