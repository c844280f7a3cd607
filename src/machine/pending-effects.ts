// A machine that knows what it is waiting for, so that an expired deadline can be reported with its cause.
import {shortened} from '../errors/shortened.js'
import {DeadlineError} from './clock.js'
import {safeUrl} from './credentials.js'
import {type Effect, interceptMachine} from './intercept.js'
import type {Machine} from './machine.js'

/** A copy waits for its writing and for its reading. */
const MOST_REPORTED = 3
/** One line; the log has all of it. */
const LONGEST = 200

/** An effect's own deadline passed. */
export class EffectDeadlineError extends DeadlineError {
  constructor(
    ms: number,
    readonly what: string,
  ) {
    super(ms)
    this.name = 'EffectDeadlineError'
  }
}

export interface PendingEffects {
  readonly machine: Machine
  /** What is waited for, in words, the longest first; undefined where nothing is. */
  waitsFor(): string | undefined
}

export function watchPendingEffects(machine: Machine): PendingEffects {
  const effects = new Set<Effect>()
  // A stream is under way until its end, not only while it is opened.
  async function* untilItsEnd(effect: Effect, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    effects.add(effect)
    try {
      yield* chunks
    } finally {
      effects.delete(effect)
    }
  }

  const watched = interceptMachine(machine, async (effect, perform) => {
    effects.add(effect)
    try {
      return await perform()
    } catch (error) {
      if (!(error instanceof DeadlineError) || error instanceof EffectDeadlineError) throw error
      throw error.ms === effect.deadlineMs ? new EffectDeadlineError(error.ms, describeEffect(effect)) : error
    } finally {
      effects.delete(effect)
    }
  })
  return {
    machine: {
      ...watched,
      files: {
        ...watched.files,
        readChunks: (path) =>
          untilItsEnd({args: [path], kind: 'read', via: 'files', what: 'read'}, watched.files.readChunks(path)),
      },
      http: {
        ...watched.http,
        async stream(request) {
          const {effect: kind, method: what, url} = request
          const answer = await watched.http.stream(request)
          const chunks = untilItsEnd({args: [safeUrl(url)], kind, via: 'http', what}, answer.chunks)
          return {...answer, chunks}
        },
      },
    },
    waitsFor() {
      const longest = [...effects].slice(0, MOST_REPORTED).map((effect) => describeEffect(effect))
      return longest.length === 0 ? undefined : [...new Set(longest)].join('; ')
    },
  }
}

/** "read C:\k\kubeconfig", "GET https://…", "queryServiceStatus kubelet", "netsh.exe advfirewall …". */
export function describeEffect({args, via, what}: Effect): string {
  const name = via === 'run' ? (what.split('\\').at(-1) ?? what) : what
  return shortened([name, ...args].filter((part) => part !== '').join(' '), LONGEST)
}
