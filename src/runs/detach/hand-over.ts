// Hands a run over to the service: its program and shawl in a place that only administrators can change, the request, and
// the service, which is not started yet.
import {orAborted, orGivenUp, waitFor} from '../../host/wait.js'
import {placeProgram, placeShawl} from '../../pipeline/desired/programs/service-program.js'
import type {StepContext} from '../../pipeline/run/step.js'
import {RECORDS_MS, type Run} from '../run.js'
import {removeRequest, type RunRequest, writeRequest} from './request.js'
import {RUN_SERVICE, runService} from './run-service.js'

/** After the step base-dir. `token`: the bootstrap token, if the run still needs one. `file`: the file that its --config names. */
export async function handOver(
  context: StepContext,
  request: RunRequest,
  token?: string,
  file?: string,
): Promise<void> {
  const {config, host, signal} = context
  const program = await placeProgram(context)
  const shawl = await placeShawl(context)
  // A copy that was there already is not written again, and a reset does not close its folder first.
  for (const path of [...program, shawl]) await host.trust.demand(path, 'program')
  await writeRequest(host, config.baseDir, request, token, file)
  await host.services.ensure(runService(shawl, program, config.baseDir), signal)
}

/** shawl checks its program once a second (src/service.rs): for so long a service whose run has ended is running. */
const ENDING_MS = 3000
const POLL_MS = 250

/** The run waits there until this one has released the lock; one that waits there already reads the new request. */
export async function startHandedOver({host: {clock, services}}: Pick<StepContext, 'host'>): Promise<void> {
  const isStopped = async (): Promise<true | undefined> =>
    (await services.status(RUN_SERVICE))?.state === 'stopped' ? true : undefined
  await waitFor(clock, {deadlineMs: ENDING_MS, everyMs: POLL_MS}, isStopped)
  await services.start(RUN_SERVICE)
}

/** One that was stopped while it was handed over is not continued: a service without a request deletes itself. */
export async function orTakenBack(
  {machine, signal}: Pick<Run, 'machine' | 'signal'>,
  baseDir: string,
  handingOver: Promise<void>,
): Promise<void> {
  try {
    await orAborted(handingOver, signal)
  } catch (error) {
    await orGivenUp(machine.clock, RECORDS_MS, removeRequest(machine, baseDir))
    throw error
  }
}

/** For what is done before the steps: nothing of it is shown but warnings. */
export const quietContext = (
  {bus, signal}: Pick<Run, 'bus' | 'signal'>,
  parts: Pick<StepContext, 'config' | 'host' | 'journal'>,
): StepContext => ({...parts, changed() {}, progress() {}, signal, warn: (message) => bus.warn(message)})
