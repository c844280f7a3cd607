// transcript.ndjson: one line for everything that left the program, in the order it ended.
import {withoutCredentials} from '../machine/credentials.js'
import type {EffectKind} from '../machine/win32.js'
import type {HostStorage} from './host.js'

export interface TranscriptLine {
  readonly args: readonly unknown[]
  readonly at: string
  readonly kind: EffectKind
  readonly outcome: string
  readonly via: 'http' | 'run' | 'win32'
  readonly what: string
}

export type Transcript = (line: Omit<TranscriptLine, 'at'>) => void

/** Written at once and without waiting, so that a crash loses nothing. */
export function openTranscript(host: HostStorage, now: () => number): Transcript {
  // A host that takes no transcript is noticed before anything is done.
  host.record('')
  return ({args, kind, outcome, via, what}) => {
    const line: TranscriptLine = {at: new Date(now()).toISOString(), via, what, args, kind, outcome}
    host.record(`${withoutCredentials(JSON.stringify(line))}\n`)
  }
}

/** One line for one effect, however it ends. */
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

/** An error in the words of the transcript: a code where there is one. */
function outcomeOf(error: unknown): string {
  if (!(error instanceof Error)) return `error ${String(error)}`
  const {code} = error as {code?: number | string}
  return code === undefined ? `error ${error.message}` : `error ${code}`
}
