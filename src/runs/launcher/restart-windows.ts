// --allow-restart: k8s-win restarts Windows itself, where a run requires it and its launcher does not do so.
import type {Launcher} from '../../config/launchers.js'
import {orGivenUp} from '../../host/wait.js'
import type {Machine} from '../../machine/machine.js'
import {Win32Error} from '../../machine/win32.js'
import type {RunResultDocument} from '../../pipeline/run/events.js'

/** Time to read the end of the output, and for a launcher to report it. */
export const RESTART_SECONDS = 30

/** Those that do not restart Windows: the others restart it by themselves, and start the same command again. */
const RESTARTED_BY_K8S_WIN: readonly Launcher[] = ['azure-cse', 'ec2launch-v1', 'none']

export const restartsWindowsUnder = (launcher: Launcher): boolean => RESTARTED_BY_K8S_WIN.includes(launcher)

/** Those start a run once, whatever becomes of it; the exit code that they get means no restart. */
export const startsOnce = (launcher: Launcher): boolean => launcher !== 'none' && restartsWindowsUnder(launcher)

const CALL_MS = 10_000

/** After everything is written, where the document announces it. The problem in words where Windows refuses. */
export async function restartWindows(
  {clock, win32}: Pick<Machine, 'clock' | 'win32'>,
  {
    command,
    continuesAfterRestart,
    restartsIn,
  }: Pick<RunResultDocument, 'command' | 'continuesAfterRestart' | 'restartsIn'>,
): Promise<string | undefined> {
  if (restartsIn === undefined) return undefined
  const message = `k8s-win ${command} requires a restart of Windows, and can continue after it.`
  const begin = async (): Promise<string> => {
    try {
      await win32.restartWindows(message, restartsIn)
      return ''
    } catch (error) {
      if (!(error instanceof Win32Error)) throw error
      return problemOf(error)
    }
  }
  const problem = await orGivenUp(clock, CALL_MS, begin())
  if (problem === '') return undefined
  const then = continuesAfterRestart === true ? ': the run continues after it' : ', then run the same command again'
  return `Windows was not restarted: ${problem ?? 'it did not respond'}. Restart it${then}.`
}

/** winerror.h: also ERROR_SHUTDOWN_IN_PROGRESS, ERROR_SHUTDOWN_IS_SCHEDULED and ERROR_NOT_ALL_ASSIGNED. */
const MEANINGS: Readonly<Record<number, string>> = {
  5: 'this account may not restart it',
  1115: 'a shutdown is in progress',
  1190: 'another shutdown is scheduled',
  1300: 'this account may not restart it',
}

const problemOf = ({call, code}: Win32Error): string =>
  `${MEANINGS[code] ?? `${call} was refused`} (Windows error ${code})`
