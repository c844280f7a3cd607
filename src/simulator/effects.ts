// A simulated host at work: its clock, and what happens around every effect. Time stands still during an effect; after a
// change, and as time passes, the daemons advance and the world is saved.
import type {EffectKind} from '../machine/win32.js'
import type {Files} from '../machine/files.js'
import {interceptFiles} from '../machine/intercept.js'
import {createSimulatedClock, type SimulatedClock, type Speed} from './clock.js'
import {advanceDaemons} from './daemons/index.js'
import type {Stage} from './model.js'

export interface Effects {
  readonly clock: SimulatedClock
  /** Runs an effect; after a change, even a failed one, the daemons advance. */
  perform<T>(kind: EffectKind, work: () => Promise<T>): Promise<T>
  readonly stage: Stage
  /** `stage`, on which nothing elapses once the signal is aborted. */
  stageFor(signal: AbortSignal): Stage
}

/** `start`: the first moment on its clock. */
export function createEffects(
  start: number,
  parts: Omit<Stage, 'elapse' | 'now'>,
  /** After every change and hop; `isChanged` is false for a hop in which the daemons did nothing: comparing worlds takes long. */
  save: (isChanged: boolean) => void = () => {},
  speed?: Speed,
): Effects {
  const clock = createSimulatedClock(start, () => advance(false), speed)
  const stage: Stage = {...parts, elapse: (ms) => clock.elapse(ms), now: () => clock.now()}
  const daemonStage: Stage = {...stage, elapse: () => Promise.reject(new Error('a daemon must not elapse time'))}
  // Once at a time.
  let advancing = Promise.resolve()
  const advance = (isChange: boolean): Promise<void> => {
    advancing = advancing.then(async () => {
      stage.world.os.time = clock.now()
      const isAdvanced = await advanceDaemons(daemonStage)
      save(isChange || isAdvanced)
    })
    return advancing
  }

  stage.world.os.time = clock.now()
  return {
    clock,
    perform: (kind, work) =>
      clock.whileBusy(async () => {
        try {
          return await work()
        } finally {
          if (kind === 'change') await advance(true)
        }
      }),
    stage,
    stageFor: (signal) => ({...stage, elapse: (ms) => clock.elapse(ms, signal)}),
  }
}

/** The drive as the program sees it: time stands still during each call, and each change is saved. */
export function watchFiles(drive: Files, clock: SimulatedClock, save: () => void = () => {}): Files {
  const watched = interceptFiles(drive, ({kind, what}, perform) => {
    // Time must pass here: the chunks may come from something that waits.
    if (what === 'writeChunks') return perform().finally(save)
    // To append changes nothing of the world, which is large, and logs grow line by line.
    const isSaved = kind === 'change' && what !== 'append'
    return clock.whileBusy(isSaved ? () => perform().finally(save) : perform)
  })
  return {
    ...watched,
    async *readChunks(path) {
      const chunks = drive.readChunks(path)[Symbol.asyncIterator]()
      const next = (): Promise<IteratorResult<Uint8Array>> => clock.whileBusy(() => chunks.next())
      try {
        for (let piece = await next(); !piece.done; piece = await next()) yield piece.value
      } finally {
        await chunks.return?.()
      }
    },
  }
}
