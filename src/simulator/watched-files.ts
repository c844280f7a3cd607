// The drive as the program sees it: time stands still during each call, and a change is kept at once.
import type {Files} from '../machine/files.js'
import type {SimulatedClock} from './clock.js'

export function watchFiles(drive: Files, clock: SimulatedClock, save: () => void): Files {
  const read = <T>(work: () => Promise<T>): Promise<T> => clock.whileBusy(work)
  const change = <T>(work: () => Promise<T>): Promise<T> => clock.whileBusy(() => work().finally(save))
  return {
    append: (path, text) => change(() => drive.append(path, text)),
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
    rename: (from, to) => change(() => drive.rename(from, to)),
    status: (path) => read(() => drive.status(path)),
    write: (path, data, options) => change(() => drive.write(path, data, options)),
    // Time must pass here: the chunks may come from something that waits.
    writeChunks: (path, chunks) => drive.writeChunks(path, chunks).finally(save),
  }
}
