// The simulator's own files: machine.json, the transcript, the lock. Where the system refuses them, the simulated host
// did not fail: there is none to work on.
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
