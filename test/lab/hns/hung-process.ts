// A process that ends while HNS hangs: it asks, gives up, and exits as the program does.
import {fileURLToPath} from 'node:url'
import {openRealMachine} from '../../../src/machine/real/index.js'
import {orAborted} from '../../../src/host/wait.js'
import {type Ended, runProgram} from '../windows/windows-host.js'

export const HUNG_EXIT_CODE = 1060
const ROLE = 'ask-and-give-up'
const PATIENCE_MS = 500

/** To be called first of all in a suite: its bundle is the program of that process, too. */
export async function playRole(): Promise<void> {
  if (process.argv[2] !== ROLE) return
  const {clock, win32} = openRealMachine()
  await orAborted(win32.hnsCall('GET', '/networks/', ''), clock.deadline(PATIENCE_MS).signal).catch(
    (error: unknown) => {
      process.stdout.write(`gave up: ${String(error)}\n`)
    },
  )
  process.exit(HUNG_EXIT_CODE)
}

export async function runAskAndGiveUp(bundle: string, timeoutMs: number): Promise<Ended> {
  return runProgram(process.execPath, [fileURLToPath(bundle), ROLE], {timeoutMs})
}
