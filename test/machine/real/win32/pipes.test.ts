import {describe, expect, it} from 'vitest'
import {openPipes} from '../../../../src/machine/real/win32/pipes.js'
import {fakeNative, type Played, pointerTo} from './fake-native.js'

const PIPE = String.raw`\\.\pipe\docker_engine`
const SDDL = 'O:BAD:(A;;FA;;;BA)'
const text = Buffer.from(`${SDDL}\0`, 'utf16le')

function play(functions: Record<string, Played> = {}) {
  const opened: unknown[][] = []
  const {calls, native} = fakeNative({
    CloseHandle: () => ({result: 1}),
    ConvertSecurityDescriptorToStringSecurityDescriptorW: (_d, _r, _p, out: unknown[]) => {
      out[0] = pointerTo(text)
      return {result: 1}
    },
    CreateFileW: (...args: unknown[]) => {
      opened.push(args)
      return {result: 7}
    },
    GetNamedPipeServerProcessId: (_handle, out: unknown[]) => {
      out[0] = 1234
      return {result: 1}
    },
    GetSecurityInfo: (_h, _t, _p, _a, _b, _c, _d, out: unknown[]) => {
      out[0] = 99n
      return {result: 0}
    },
    LocalFree: () => ({result: null}),
    WaitNamedPipeW: () => ({result: 1}),
    ...functions,
  })
  return {calls, opened, pipes: openPipes(native)}
}

describe('review S2-7: the server of a pipe', () => {
  it('is asked for without letting it act as the caller, and the handle is closed', async () => {
    const {calls, opened, pipes} = play()
    expect(await pipes.pipeServer(PIPE)).toEqual({processId: 1234, sddl: SDDL})
    // FILE_READ_ATTRIBUTES | READ_CONTROL; SECURITY_SQOS_PRESENT | SECURITY_IDENTIFICATION.
    expect(opened).toEqual([[PIPE, 0x2_00_80, 3, null, 3, 0x11_00_00, 0]])
    expect(calls.at(-1)).toBe('CloseHandle')
  })

  it('is none where there is no pipe', async () => {
    const {calls, pipes} = play({CreateFileW: () => ({lastError: 2, result: -1})})
    expect(await pipes.pipeServer(PIPE)).toBeUndefined()
    expect(calls).toEqual(['CreateFileW'])
  })

  it('is asked for again where all instances are taken, and not for ever', async () => {
    const waited: unknown[] = []
    const {pipes} = play({
      CreateFileW: () => ({lastError: 231, result: -1}),
      WaitNamedPipeW: (_pipe, ms) => {
        waited.push(ms)
        return {lastError: 121, result: 0}
      },
    })
    await expect(pipes.pipeServer(PIPE)).rejects.toMatchObject({call: 'CreateFileW', code: 231})
    const waitedMs = waited.reduce((sum: number, ms) => sum + Number(ms), 0)
    expect(waitedMs).toBeGreaterThan(5000)
    expect(waitedMs).toBeLessThanOrEqual(10_000)
  })

  it('is known in the end where other clients are first ten times', async () => {
    let times = 0
    const {pipes} = play({
      CreateFileW: () => {
        times += 1
        return times > 10 ? {result: 7} : {lastError: 231, result: -1}
      },
    })
    expect(await pipes.pipeServer(PIPE)).toMatchObject({processId: 1234})
  })

  it.each(['GetNamedPipeServerProcessId', 'ConvertSecurityDescriptorToStringSecurityDescriptorW'])(
    'is unknown where %s fails, and the handle is closed',
    async (call) => {
      const {calls, pipes} = play({[call]: () => ({lastError: 6, result: 0})})
      await expect(pipes.pipeServer(PIPE)).rejects.toMatchObject({call, code: 6})
      expect(calls.at(-1)).toBe('CloseHandle')
    },
  )
})
