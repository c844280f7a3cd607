// A simulated host at work: its clock, and what happens around every effect. Time stands still during an effect; after a
// change, and as time passes, the daemons advance and the world is saved.
import type {EffectKind} from '../machine/win32.js'
import type {Files} from '../machine/files.js'
import {createSimulatedClock, type SimulatedClock} from './clock.js'
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
  save: () => void = () => {},
): Effects {
  const clock = createSimulatedClock(start, () => advance())
  const stage: Stage = {...parts, elapse: (ms) => clock.elapse(ms), now: () => clock.now()}
  const daemonStage: Stage = {...stage, elapse: () => Promise.reject(new Error('a daemon must not elapse time'))}
  // Once at a time.
  let advancing = Promise.resolve()
  const advance = (): Promise<void> => {
    advancing = advancing.then(async () => {
      stage.world.os.time = clock.now()
      await advanceDaemons(daemonStage)
      save()
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
          if (kind === 'change') await advance()
        }
      }),
    stage,
    stageFor: (signal) => ({...stage, elapse: (ms) => clock.elapse(ms, signal)}),
  }
}

/** The drive as the program sees it: time stands still during each call, and each change is saved. */
export function watchFiles(drive: Files, clock: SimulatedClock, save: () => void = () => {}): Files {
  const read = <T>(work: () => Promise<T>): Promise<T> => clock.whileBusy(work)
  const change = <T>(work: () => Promise<T>): Promise<T> => clock.whileBusy(() => work().finally(save))
  return {
    // Changes nothing of the world, which is large, and logs grow line by line.
    append: (path, text, options) => read(() => drive.append(path, text, options)),
    digest: (path, algorithm) => read(() => drive.digest(path, algorithm)),
    list: (path) => read(() => drive.list(path)),
    makeDirectory: (path, options) => change(() => drive.makeDirectory(path, options)),
    read: (path) => read(() => drive.read(path)),
    async *readChunks(path) {
      const chunks = drive.readChunks(path)[Symbol.asyncIterator]()
      try {
        for (let next = await read(() => chunks.next()); !next.done; next = await read(() => chunks.next())) {
          yield next.value
        }
      } finally {
        await chunks.return?.()
      }
    },
    readRange: (path, start, length) => read(() => drive.readRange(path, start, length)),
    remove: (path) => change(() => drive.remove(path)),
    removeEmpty: (path) => change(() => drive.removeEmpty(path)),
    rename: (from, to) => change(() => drive.rename(from, to)),
    status: (path) => read(() => drive.status(path)),
    write: (path, data, options) => change(() => drive.write(path, data, options)),
    // Time must pass here: the chunks may come from something that waits.
    writeChunks: (path, chunks) => drive.writeChunks(path, chunks).finally(save),
  }
}
