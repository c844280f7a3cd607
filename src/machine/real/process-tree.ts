// Ends a process and everything it started.
import path from 'node:path'
import {execa} from 'execa'

/** taskkill itself may hang on a sick host; the caller has waited long enough already. */
const TASKKILL_MS = 10_000

type KillTree = (processId: number) => Promise<void>

/** Windows has no process groups that could be killed: taskkill walks the tree of parents. */
export function windowsKillTree(systemFolder: string): KillTree {
  return async (processId) => {
    await execa(path.win32.join(systemFolder, 'taskkill.exe'), ['/T', '/F', '/PID', String(processId)], {
      cwd: systemFolder,
      reject: false,
      stdio: 'ignore',
      timeout: TASKKILL_MS,
      windowsHide: true,
    })
  }
}

/** For a process that was started detached, and so leads a group. */
export const posixKillTree: KillTree = async (processId) => {
  try {
    process.kill(-processId, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
