// Programs and Win32 calls of the simulated host: each is an effect, and one line of the transcript.
import type {Run} from '../machine/run.js'
import type {Win32} from '../machine/win32.js'
import {WIN32_EFFECTS, win32Effect} from '../machine/win32.js'
import type {Effects} from './effects.js'
import {runProgram} from './programs/index.js'
import type {Transcript} from './transcript.js'
import {record} from './transcript.js'

export function recordedRun(effects: Effects, transcript: Transcript): Run {
  return async (program, args, options) => {
    options.signal?.throwIfAborted()
    const deadline = effects.clock.deadline(options.deadlineMs)
    const signal = options.signal ? AbortSignal.any([deadline.signal, options.signal]) : deadline.signal
    const line = {args, kind: options.effect, via: 'run', what: program} as const
    try {
      return await record(
        transcript,
        line,
        () => effects.perform(options.effect, () => runProgram(effects.stageFor(signal), program, args, options)),
        ({exitCode}) => `exit ${exitCode}`,
      )
    } finally {
      deadline.cancel()
    }
  }
}

export function recordedWin32(win32: Win32, effects: Effects, transcript: Transcript): Win32 {
  const recordedCall = (call: keyof Win32) => {
    const target = win32[call] as (...args: readonly unknown[]) => Promise<unknown>
    return (...args: readonly unknown[]): Promise<unknown> => {
      const kind = win32Effect(call, args)
      const line = {args, kind, via: 'win32', what: call} as const
      return record(
        transcript,
        line,
        () => effects.perform(kind, () => target.apply(win32, [...args])),
        () => 'ok',
      )
    }
  }

  const calls = Object.keys(WIN32_EFFECTS) as (keyof Win32)[]
  return Object.fromEntries(calls.map((call) => [call, recordedCall(call)])) as unknown as Win32
}
