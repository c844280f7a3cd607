import {describe, expect, it} from 'vitest'
import {Win32Error} from '../../../../src/machine/win32.js'
import {openHns} from '../../../../src/machine/real/win32/hns.js'
import {wideString} from '../../../../src/machine/real/win32/text.js'
import {fakeNative, pointerTo} from './fake-native.js'

const ok = {result: 0}

describe('HNS', () => {
  it('answers JSON, and its memory is freed', async () => {
    const answer = wideString('{"Success":true}')
    const {calls, native} = fakeNative({
      CoTaskMemFree: (memory) => ({result: memory === pointerTo(answer) ? undefined : expect.unreachable()}),
      HNSCall(method, path, request, response: bigint[]) {
        expect([method, path, request]).toEqual(['GET', '/networks', ''])
        response[0] = pointerTo(answer)
        return ok
      },
    })
    expect(await openHns(native).hnsCall('GET', '/networks', '')).toEqual({hresult: 0, response: '{"Success":true}'})
    expect(calls).toEqual(['HNSCall', 'CoTaskMemFree'])
  })

  it('is called once at a time, also after a call that failed', async () => {
    let [running, most] = [0, 0]
    const {native} = fakeNative({
      async HNSCall(_, path) {
        most = Math.max(most, ++running)
        await new Promise((resolve) => void setImmediate(resolve))
        running--
        return path === '/bad' ? raise(new Error('no')) : ok
      },
    })
    const hns = openHns(native)
    const paths = ['/a', '/bad', '/b']
    const ended = await Promise.allSettled(paths.map((path) => hns.hnsCall('GET', path, '')))
    expect(ended.map(({status}) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(most).toBe(1)
  })

  it('may answer nothing but a failure', async () => {
    const {calls, native} = fakeNative({HNSCall: () => ({result: -2_147_023_728})})
    expect(await openHns(native).hnsCall('GET', '/x', '')).toEqual({hresult: -2_147_023_728, response: ''})
    expect(calls).toEqual(['HNSCall'])
  })

  it('is found when its library is installed later, also by calls that wait for the same answer', async () => {
    const {native} = fakeNative({HNSCall: () => ok})
    let isInstalled = false
    const hns = openHns(async () => {
      const opened = await native()
      const missing = new Win32Error('LoadLibrary', 126, 'vmcompute.dll')
      return {...opened, bind: (...names) => (isInstalled ? opened.bind(...names) : raise(missing))}
    })
    await expect(hns.hnsCall('GET', '/x', '')).rejects.toMatchObject({code: 126})
    isInstalled = true
    const answers = await Promise.all([hns.hnsCall('GET', '/x', ''), hns.hnsCall('GET', '/x', '')])
    expect(answers).toEqual([
      {hresult: 0, response: ''},
      {hresult: 0, response: ''},
    ])
  })
})

function raise(error: Error): never {
  throw error
}
