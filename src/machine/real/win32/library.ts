// The door to Windows' own libraries: koffi, loaded with the first call, and each library by its absolute path.
import path from 'node:path'
import {Win32Error} from '../../win32.js'
import {systemFolder} from '../system-folder.js'
import {ERROR_MOD_NOT_FOUND, ERROR_PROC_NOT_FOUND} from './codes.js'

export type Koffi = typeof import('koffi').default
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

/** Opens the door once, with the first call through it. */
export type LazyNative = () => Promise<Native>

export function lazyNative(environment: NodeJS.ProcessEnv, platform: NodeJS.Platform): LazyNative {
  let opened: Promise<Native> | undefined
  return () => (opened ??= openNative(environment, platform))
}

async function openNative(environment: NodeJS.ProcessEnv, platform: NodeJS.Platform): Promise<Native> {
  if (platform !== 'win32') throw new Error(`Windows' libraries can be called on Windows only, not on ${platform}`)
  const {default: koffi} = await import('koffi')
  return bindings(koffi, (name) => loadFrom(koffi, path.win32.join(systemFolder(environment), name)))
}

function loadFrom(koffi: Koffi, file: string): Library {
  try {
    return koffi.load(file)
  } catch {
    throw new Win32Error('LoadLibrary', ERROR_MOD_NOT_FOUND, file)
  }
}

/** Exported for tests, which load another system's libraries. */
export function bindings(koffi: Koffi, load: (name: string) => Library, lastErrorOf?: () => number): Native {
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
          native.async(...args, (error: Error | null, value: Result) => {
            // koffi shows the worker's GetLastError only while this callback runs.
            const lastError = getLastError()
            if (error) reject(error)
            else resolve({lastError, result: value})
            // Buffers must outlive the call: koffi has only their addresses.
            keepAlive(args)
          })
        })
    },
    koffi,
  }
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
