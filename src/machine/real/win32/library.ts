// The door to Windows' own libraries: koffi, loaded with the first call, and each library by its absolute path.
import path from 'node:path'
import {Win32Error} from '../../win32.js'
import {ERROR_MOD_NOT_FOUND, ERROR_PROC_NOT_FOUND, ERROR_SUCCESS} from './codes.js'
import {importKoffi, type Koffi} from './koffi.js'

/** The pseudo handle that GetCurrentProcess gives. */
const THIS_PROCESS = -1
/** MAX_PATH. */
const LONGEST_FOLDER = 260

/**
 * koffi throws where more asynchronous calls than its `max_async_calls` are running or queued, and checking a folder takes
 * several calls for each file in it (koffi's doc/misc.md, "Memory usage"). More than libuv has worker threads (4 by default),
 * and few enough that koffi's memory blocks stay small.
 */
const CALLS_AT_ONCE = 32

export const KOFFI_SETTINGS = {
  // What the linker gives a thread of a Windows program by default. koffi's own default is an eighth of it, and Windows'
  // functions (RPC to the service manager and to HNS, whatever an antivirus hooks in) may rely on the whole.
  async_stack_size: 1_048_576,
  // koffi frees a call's memory after its callback, in which the queue starts the next one: hence more than the queue's.
  max_async_calls: 2 * CALLS_AT_ONCE,
}

type Library = ReturnType<Koffi['load']>
/** A name of a type, or a type that koffi made. */
export type NativeType = Parameters<Koffi['out']>[0]

/** A pointer or handle; null is NULL. */
export type Pointer = bigint | null

interface NativeReply<Result> {
  /** GetLastError of the thread that ran the call. Means something only where the call says it failed. */
  readonly lastError: number
  readonly result: Result
}

/** Runs on a worker thread, so that a slow service manager or HNS does not stop the program. */
export type NativeFunction<Result> = (...args: readonly unknown[]) => Promise<NativeReply<Result>>

export interface Native {
  bind<Result>(
    library: string,
    name: string,
    result: NativeType,
    parameters: readonly NativeType[],
  ): NativeFunction<Result>
  readonly koffi: Koffi
}

/** Windows' libraries, and the folder they are in. */
export interface OpenedNative extends Native {
  readonly systemFolder: string
}

interface Bindings extends Native {
  /** How many calls have not come back yet. */
  running(): number
}

/** Opens the libraries once, with the first call. */
export type LazyNative = () => Promise<Native>

/** What `make` makes of Windows' libraries, made once; a library that does not exist yet is tried again with the next call. */
export function lazily<T>(native: LazyNative, make: (native: Native) => T): () => Promise<T> {
  let made: {readonly value: T} | undefined
  return async () => {
    const opened = await native()
    made ??= {value: make(opened)}
    return made.value
  }
}

type ResultOf<Prototype> = Prototype extends `void *${string}`
  ? Pointer
  : Prototype extends `void ${string}`
    ? undefined
    : Prototype extends `intptr_t ${string}`
      ? bigint | number
      : number

/** What a function answered, and its name. */
export interface Reply<Result> extends NativeReply<Result> {
  readonly call: string
}

type Called<Result> = (...args: readonly unknown[]) => Promise<Reply<Result>>

/**
 * Functions of one library by their prototypes, as C has them without names: `int32_t GetX(str16, out uint32_t)`. `structs`:
 * those that `in` points to.
 */
export function functionsOf<const Prototypes extends Readonly<Record<string, string>>>(
  {bind, koffi}: Native,
  library: string,
  prototypes: Prototypes,
  structs: Readonly<Record<string, NativeType>> = {},
): {readonly [Key in keyof Prototypes]: Called<ResultOf<Prototypes[Key]>>} {
  const typeOf = (text: string): NativeType => {
    const [, direction, type = text] = /^(inout|out|in) (.+)$/.exec(text) ?? []
    if (direction === undefined) return type
    const pointer = koffi.pointer(structs[type] ?? type)
    return direction === 'in' ? pointer : koffi[direction as 'inout' | 'out'](pointer)
  }
  const bound = Object.entries(prototypes).map(([key, prototype]) => {
    const [, result = '', call = '', parameters = ''] = /^(void \*|\w+ )(\w+)\((.*)\)$/.exec(prototype) ?? []
    const native = bind(library, call, result.trim(), parameters === '' ? [] : parameters.split(', ').map(typeOf))
    return [key, async (...args: readonly unknown[]) => ({...(await native(...args)), call})]
  })
  return Object.fromEntries(bound) as ReturnType<typeof functionsOf<Prototypes>>
}

export const refusalOf = ({call, lastError}: Reply<unknown>, subject: string): Win32Error =>
  new Win32Error(call, lastError, subject)

/** The result of a function that fails with FALSE or NULL, and sets the last error. */
export async function demand<Result>(subject: string, calling: Promise<Reply<Result>>): Promise<NonNullable<Result>>
/** FALSE or NULL where the failure has one of these codes. */
export async function demand<Result>(
  subject: string,
  calling: Promise<Reply<Result>>,
  ...expected: readonly number[]
): Promise<Result>
export async function demand<Result>(
  subject: string,
  calling: Promise<Reply<Result>>,
  ...expected: readonly number[]
): Promise<Result> {
  const reply = await calling
  const isFailed = reply.result === 0 || reply.result === null
  if (isFailed && !expected.includes(reply.lastError)) throw refusalOf(reply, subject)
  return reply.result
}

/** The result of a function that returns its error: ERROR_SUCCESS, or one of those expected. */
export async function demandSuccess(
  subject: string,
  calling: Promise<Reply<number>>,
  ...expected: readonly number[]
): Promise<number> {
  const {call, result} = await calling
  if (result !== ERROR_SUCCESS && !expected.includes(result)) throw new Win32Error(call, result, subject)
  return result
}

export function lazyNative(platform: NodeJS.Platform): () => Promise<OpenedNative> {
  let opened: Promise<OpenedNative> | undefined
  return () => (opened ??= openNative(platform))
}

async function openNative(platform: NodeJS.Platform): Promise<OpenedNative> {
  if (platform !== 'win32') throw new Error(`Windows' libraries can be called on Windows only, not on ${platform}`)
  const koffi = await loadKoffi()
  // In every process already: Windows looks in no folder for it.
  const kernel32 = loadFrom(koffi, 'kernel32.dll')
  const systemFolder = systemFolderOf(kernel32)
  const native = bindings(koffi, (name) => loadFrom(koffi, path.win32.join(systemFolder, name)))
  endDespiteHungCalls(process, native.running, terminator(kernel32))
  return {...native, systemFolder}
}

/** From Windows itself. %SystemRoot% is a variable, which whoever starts an elevated program may have set. */
function systemFolderOf(kernel32: Library): string {
  const getSystemDirectory = kernel32.func('uint32_t __stdcall GetSystemDirectoryW(void *folder, uint32_t characters)')
  const folder = Buffer.alloc(LONGEST_FOLDER * 2)
  const length = getSystemDirectory(folder, LONGEST_FOLDER) as number
  if (length === 0 || length > LONGEST_FOLDER) throw new Win32Error('GetSystemDirectoryW', length, 'System32')
  return folder.toString('utf16le', 0, length * 2)
}

/** koffi, with settings that it takes only before its first library is loaded. */
export async function loadKoffi(): Promise<Koffi> {
  const koffi = await importKoffi()
  const {async_stack_size, max_async_calls} = koffi.config()
  const isSet =
    async_stack_size === KOFFI_SETTINGS.async_stack_size && max_async_calls === KOFFI_SETTINGS.max_async_calls
  if (!isSet) koffi.config(KOFFI_SETTINGS)
  return koffi
}

function loadFrom(koffi: Koffi, file: string): Library {
  try {
    return koffi.load(file)
  } catch {
    throw new Win32Error('LoadLibrary', ERROR_MOD_NOT_FOUND, file)
  }
}

/** Exported for tests, which load another system's libraries. */
export function bindings(koffi: Koffi, load: (name: string) => Library, lastErrorOf?: () => number): Bindings {
  const queue = callQueue()
  const libraries = new Map<string, Library>()
  const library = (name: string): Library => {
    const known = libraries.get(name)
    if (known) return known
    const loaded = load(name)
    libraries.set(name, loaded)
    return loaded
  }
  const getLastError =
    lastErrorOf ?? (library('kernel32.dll').func('uint32_t __stdcall GetLastError()') as () => number)

  return {
    bind<Result>(from: string, name: string, result: NativeType, parameters: readonly NativeType[]) {
      const native = find(library(from), name, result, parameters)
      return (...args: readonly unknown[]) =>
        new Promise<NativeReply<Result>>((resolve, reject) => {
          queue.add((returned) => {
            try {
              native.async(...args, (error: Error | null, value: Result) => {
                // koffi shows the worker's GetLastError only while this callback runs.
                const lastError = getLastError()
                if (error) reject(error)
                else resolve({lastError, result: value})
                // Buffers must outlive the call: koffi has only their addresses.
                keepAlive(args)
                returned()
              })
            } catch (error) {
              reject(error)
              returned()
            }
          })
        })
    },
    koffi,
    running: queue.running,
  }
}

function terminator(kernel32: Library): (exitCode: number) => void {
  const terminate = kernel32.func('int __stdcall TerminateProcess(intptr_t process, uint32_t code)')
  return (exitCode) => void terminate(THIS_PROCESS, exitCode)
}

function find(library: Library, name: string, result: NativeType, parameters: readonly NativeType[]) {
  try {
    return library.func('__stdcall', name, result, [...parameters])
  } catch (error) {
    if (error instanceof Error && error.message.startsWith('Cannot find function')) {
      throw new Win32Error('GetProcAddress', ERROR_PROC_NOT_FOUND, name)
    }
    throw error
  }
}

function keepAlive(args: readonly unknown[]): number {
  return args.length
}

interface Ending {
  on(event: 'exit', listener: (exitCode: number) => void): unknown
}

/** All that was to be written is written when `exit` is emitted, so the process may be ended the hard way. */
export function endDespiteHungCalls(
  ending: Ending,
  running: () => number,
  terminate: (exitCode: number) => void,
): void {
  ending.on('exit', (exitCode) => {
    if (running() > 0) terminate(exitCode)
  })
}

interface CallQueue {
  /** Calls `start` now or when an earlier call has returned. `start` must report the return of its own call. */
  add(start: (returned: () => void) => void): void
  /** How many calls were started and have not returned. Waiting ones do not count. */
  running(): number
}

function callQueue(): CallQueue {
  const waiting: (() => void)[] = []
  let running = 0
  return {
    add(start) {
      const begin = () => {
        running++
        start(() => {
          running--
          waiting.shift()?.()
        })
      }
      if (running < CALLS_AT_ONCE) begin()
      else waiting.push(begin)
    },
    running: () => running,
  }
}
