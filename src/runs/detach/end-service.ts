// What becomes of the service when a run ends: it stays while there is something left to continue.
import {isTransient} from '../../errors/catalogue.js'
import type {Machine} from '../../machine/machine.js'
import type {RunResultDocument} from '../../pipeline/run/events.js'
import {removeRequest} from './request.js'
import {deleteRunService, isServiceActive} from './run-service.js'

/** Of a run that holds the lock, whichever it is: one that was started by hand has done what the service was to do. */
export async function endService(machine: Machine, result: RunResultDocument, baseDir: string): Promise<void> {
  // A purge has deleted both, with the folder.
  if (baseDir === '' || (await isToBeContinued(machine, result))) return
  await removeRun(machine, baseDir)
}

/** In this order: a service without a request ends at once, and a request without a service is read by no run. */
export async function removeRun(machine: Machine, baseDir: string): Promise<void> {
  await removeRequest(machine, baseDir)
  await deleteRunService(machine, baseDir)
}

async function isToBeContinued(machine: Machine, result: RunResultDocument): Promise<boolean> {
  const {continuesAfterRestart = false, error, errors = error ? [error] : [], outcome} = result
  if (outcome === 'detached' || continuesAfterRestart) return true
  if (outcome === 'done' || outcome === 'planned') return false
  // The service itself decides whether it tries again, and continues at the next start what a shutdown has ended.
  if (outcome === 'failed' && !isTransient(errors.map(({id}) => id))) return false
  return isServiceActive(machine)
}
