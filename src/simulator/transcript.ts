// transcript.ndjson: one line per program, Win32 call and request of the simulated host, in the order in which they ended.
import {withoutCredentials} from '../machine/credentials.js'
import type {Run} from '../machine/run.js'
import {type EffectKind, type Win32, win32Effect, wrapWin32} from '../machine/win32.js'
import type {Effects} from './effects.js'
import type {HostStorage} from './host.js'
import {runProgram} from './programs/index.js'

export interface TranscriptLine {
  readonly args: readonly unknown[]
  readonly at: string
  /** Of a request to a server: the number of the connection that it went over. */
  readonly connection?: number
  readonly kind: EffectKind
  readonly outcome: string
  readonly via: 'http' | 'run' | 'win32'
  readonly what: string
}

export type Transcript = (line: Omit<TranscriptLine, 'at'>) => void

/** Writes at once, so that a crash loses nothing. */
export function openTranscript(host: HostStorage, now: () => number): Transcript {
  // A host that cannot have a transcript fails before anything is done.
  host.record(() => '')
  return ({args, connection, kind, outcome, via, what}) => {
    const at = now()
    host.record(() => {
      const on = connection !== undefined && {connection}
      const line: TranscriptLine = {at: new Date(at).toISOString(), via, what, args, kind, outcome, ...on}
      return `${withoutCredentials(JSON.stringify(line))}\n`
    })
  }
}

export async function record<T>(
  transcript: Transcript,
  line: Omit<TranscriptLine, 'at' | 'outcome'>,
  work: () => Promise<T>,
  outcome: (result: T) => string,
): Promise<T> {
  try {
    const result = await work()
    transcript({...line, outcome: outcome(result)})
    return result
  } catch (error) {
    transcript({...line, outcome: outcomeOf(error)})
    throw error
  }
}

function outcomeOf(error: unknown): string {
  if (!(error instanceof Error)) return `error ${String(error)}`
  const {code} = error as {code?: number | string}
  return code === undefined ? `error ${error.message}` : `error ${code}`
}

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
  return wrapWin32(win32, (call, args, perform) => {
    const kind = win32Effect(call, args)
    const line = {args, kind, via: 'win32', what: call} as const
    return record(
      transcript,
      line,
      () => effects.perform(kind, perform),
      () => 'ok',
    )
  })
}
