// status: the health of a node as a table. Reads only: no lock, nothing written.
import {readOnlyMachine} from '../../machine/read-only.js'
import {rememberingMachine} from '../../machine/remembering.js'
import {redactAll} from '../../output/redact.js'
import type {StatusDocument} from '../../pipeline/run/status-report.js'
import {type HealthRun, lookAtNode} from './node-health.js'
import {statusDocument} from './status-document.js'

export type StatusRun = Omit<HealthRun, 'configFile' | 'ignoreChecks'>

/** Rejects with a ProblemsError for what is wrong with the request, and when the signal is aborted. */
export async function runStatus(run: StatusRun): Promise<StatusDocument> {
  const {clock} = run.machine
  const startedAt = clock.now()
  const look = await lookAtNode({...run, machine: rememberingMachine(readOnlyMachine(run.machine))})
  const times = {finishedAt: clock.now(), startedAt}
  return redactAll({...statusDocument(look, times), simulated: run.machine.simulated}, run.redactor.redact)
}
