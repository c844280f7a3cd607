// The Host Network Service: one function of vmcompute.dll that speaks JSON.
import type {Win32} from '../../win32.js'
import type {LazyNative, Native, Pointer} from './library.js'

function library({bind, koffi}: Native) {
  return {
    call: bind<number>('vmcompute.dll', 'HNSCall', 'int32_t', [
      'str16',
      'str16',
      'str16',
      koffi.out(koffi.pointer('void *')),
    ]),
    free: bind<undefined>('ole32.dll', 'CoTaskMemFree', 'void', ['void *']),
    koffi,
  }
}

export function openHns(native: LazyNative): Pick<Win32, 'hnsCall'> {
  let bound: ReturnType<typeof library> | undefined

  return {
    async hnsCall(method, path, request) {
      const {call, free, koffi} = (bound ??= library(await native()))
      const response: Pointer[] = [null]
      const {result} = await call(method, path, request, response)
      const text = response[0] ?? null
      try {
        return {hresult: result, response: text === null ? '' : koffi.decode.string16(text)}
      } finally {
        if (text !== null) await free(text)
      }
    },
  }
}
