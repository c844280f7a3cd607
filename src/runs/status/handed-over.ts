// A run that was handed over to the service k8s-win-run and has not ended, for status.
import type {Machine} from '../../machine/machine.js'
import type {HandedOverRun} from '../../pipeline/run/status-report.js'
import {peekRequest} from '../detach/request.js'
import {isServiceActive, isServiceOf, RUN_SERVICE} from '../detach/run-service.js'
import type {K8sWinError} from '../../errors/k8s-win-error.js'

/** Undefined for a run in another base directory. */
export async function handedOverRun(
  machine: Pick<Machine, 'files' | 'win32'>,
  baseDir: string,
): Promise<HandedOverRun | undefined> {
  // First the file: most nodes have none, and then nothing more is asked.
  const request = await peekRequest(machine, baseDir)
  const service = request && (await machine.win32.queryServiceConfig(RUN_SERVICE))
  if (!request || !service || !isServiceOf(service, baseDir)) return undefined
  return {command: request.command, state: (await isServiceActive(machine)) ? 'running' : 'at-next-start'}
}

const TEXTS = {
  'at-next-start': {
    cause: 'The service k8s-win-run continues it when Windows starts the next time.',
    fix: 'Restart Windows, or run the same command again.',
  },
  running: {cause: 'The service k8s-win-run continues it.', fix: 'Follow it: "k8s-win attach".'},
} as const

/** What the records show as unfinished continues by itself. `isRestartDue`: without a restart it would stop again. */
export function continuedError(error: K8sWinError, {state}: HandedOverRun, isRestartDue: boolean): K8sWinError {
  const continued = error.with(TEXTS[state])
  return isRestartDue && state === 'at-next-start'
    ? continued.with({fix: 'Restart Windows: the run continues after it.'})
    : continued
}
