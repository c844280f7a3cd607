// The simulator's own files: machine.json, the transcript, the lock. An I/O error on them is not
// an error of the simulated host: there is no simulated host to work on.
import {simulatorUnusable} from '../errors/program.js'

export function onOwnFiles<T>(dir: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    const {code, syscall} = error as NodeJS.ErrnoException
    if (code === undefined || syscall === undefined) throw error
    throw simulatorUnusable({dir, reason: (error as Error).message}, {cause: error})
  }
}
