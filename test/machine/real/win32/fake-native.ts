// Windows' functions played by the test, with koffi's real memory and types. Wrong parameter types fail as they would.
import koffi from 'koffi'
import type {LazyNative, NativeType} from '../../../../src/machine/real/win32/library.js'

interface Reply {
  readonly lastError?: number
  readonly result: unknown
}
export type Played = (...args: never[]) => Promise<Reply> | Reply

export interface FakeNative {
  /** Names of the functions called, in order. */
  readonly calls: string[]
  readonly native: LazyNative
}

export function fakeNative(functions: Readonly<Record<string, Played>>): FakeNative {
  const calls: string[] = []
  const bind = (library: string, name: string, result: NativeType, parameters: readonly NativeType[]) => {
    koffi.proto('__stdcall', null, result, [...parameters])
    return async (...args: readonly unknown[]) => {
      const play = functions[name]
      if (!play) throw new Error(`${library} has no ${name} in this test`)
      if (args.length !== parameters.length)
        throw new Error(`${name} takes ${parameters.length} values, not ${args.length}`)
      calls.push(name)
      const reply = await play(...(args as never[]))
      return {lastError: reply.lastError ?? 0, result: reply.result as never}
    }
  }
  return {calls, native: async () => ({bind, koffi})}
}

/** Answers `result`, after filling output arguments (by their index) with values. */
export function filling(result: number, values: Readonly<Record<number, unknown>>): Played {
  return (...args: readonly unknown[]) => {
    for (const [index, value] of Object.entries(values)) (args[Number(index)] as unknown[])[0] = value
    return {result}
  }
}

/** Memory with an address, as Windows would give it. Must be held while it is used. */
export function pointerTo(bytes: Uint8Array): bigint {
  return koffi.address(bytes)
}
