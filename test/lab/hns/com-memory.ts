// What COM's allocator has made in this process and what is left of it, by programs/com-memory.dll.c.
import path from 'node:path'
import {loadKoffi} from '../../../src/machine/real/win32/library.js'

const koffi = await loadKoffi()

export interface ComMemory {
  readonly made: number
  readonly left: number
}

/** Starts counting; each call of the result reports the numbers since. */
export function watchComMemory(programs: string): () => ComMemory {
  const library = koffi.load(path.win32.join(programs, 'com-memory.dll'))
  const number = (name: string) => library.func('__stdcall', name, 'int32_t', []) as () => number
  const [watch, made, left] = ['WatchBlocks', 'BlocksMade', 'BlocksLeft'].map(number)
  const result = watch!()
  if (result < 0) throw new Error(`CoRegisterMallocSpy answered 0x${(result >>> 0).toString(16)}`)
  return () => ({left: left!(), made: made!()})
}
