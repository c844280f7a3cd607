// The Host Network Service: one function of vmcompute.dll that speaks JSON.
import type {Win32} from '../../win32.js'
import {functionsOf, lazily, type LazyNative, type Native, type Pointer} from './library.js'

const library = (native: Native) => ({
  ...functionsOf(native, 'vmcompute.dll', {call: 'int32_t HNSCall(str16, str16, str16, out void *)'}),
  ...functionsOf(native, 'ole32.dll', {free: 'void CoTaskMemFree(void *)'}),
  koffi: native.koffi,
})

export function openHns(native: LazyNative): Pick<Win32, 'hnsCall'> {
  const open = lazily(native, library)
  let last: Promise<unknown> = Promise.resolve()

  const hnsCall: Win32['hnsCall'] = async (method, path, request) => {
    const {call, free, koffi} = await open()
    const response: Pointer[] = [null]
    const {result} = await call(method, path, request, response)
    const text = response[0] ?? null
    try {
      return {hresult: result, response: text === null ? '' : koffi.decode.string16(text)}
    } finally {
      if (text !== null) await free(text)
    }
  }
  return {
    /** One after the other: each that hangs keeps one of the four threads (libuv) that files and services need, too. */
    hnsCall(...request) {
      const answer = last.then(() => hnsCall(...request))
      last = answer.catch(() => {})
      return answer
    },
  }
}
