// A launcher drives a command to the end, by its published rule.
import {azureCse, type Emulator} from '../../src/simulator/launchers/emulators.js'

/**
 * The SSM agent (agent/appconfig/constants_windows.go, RebootExitCode). It does not continue a document that it continued
 * 15 times (agent/framework/processor/processor.go, CommandRetryLimit), which then gets no result before its time is over.
 * Of other codes 0 is success for it, as for Azure's extension.
 */
export const ssm: Emulator = {
  react: (code, restarts) =>
    code === 3010 && restarts < 15 ? {belief: 'unfinished', restarts: true} : azureCse.react(code, restarts),
}

/** Runs that no test needs: one that gets here has found a loop. */
const MANY = 30

export interface Emulated {
  /** What it reports to its user in the end. */
  readonly belief: 'done' | 'failed'
  /** Restarts of Windows that it made. */
  readonly restarts: number
  readonly runs: number
}

/** Starts the command, which returns its exit code, until the launcher is through with it. */
export async function emulate(
  {react}: Emulator,
  command: () => Promise<number>,
  restart: () => void,
): Promise<Emulated> {
  let restarts = 0
  for (let runs = 1; runs <= MANY; runs++) {
    const {belief, restarts: isRestart} = react(await command(), restarts)
    if (isRestart) {
      restarts++
      restart()
    }
    if (belief !== 'unfinished') return {belief, restarts, runs}
  }
  throw new Error('the launcher runs the command again and again')
}
