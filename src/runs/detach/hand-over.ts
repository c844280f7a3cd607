// Hands a run over to the service: its program and shawl in a place that only administrators can change, the request, and
// the service, which is not started yet.
import {win32} from 'node:path'
import {isWithin} from '../../config/base-dir.js'
import {layoutOf} from '../../config/layout.js'
import {programNotInstalled} from '../../errors/detach.js'
import {orAborted, orGivenUp, waitFor} from '../../host/wait.js'
import {ADMINISTRATORS_ONLY} from '../../host/security/security.js'
import {copyProgram} from '../../pipeline/desired/programs/own-program.js'
import {claimFile} from '../../pipeline/desired/files/file.js'
import {ensureFolder} from '../../pipeline/desired/files/folder.js'
import type {StepContext} from '../../pipeline/run/step.js'
import {RECORDS_MS, type Run} from '../run.js'
import {removeRequest, type RunRequest, writeRequest} from './request.js'
import {RUN_SERVICE, runService} from './run-service.js'

const STEP = 'base-dir'
/** Windows gives it to administrators only. The service runs as SYSTEM: a folder of the user's own is not enough. */
const PROGRAM_FILES = /^[a-z]:\\program files\\/i

/** After the step base-dir. `token`: the bootstrap token, if the run still needs one. */
export async function handOver(context: StepContext, request: RunRequest, token?: string): Promise<void> {
  const {config, host, signal} = context
  const program = await placeProgram(context)
  const shawl = await placeShawl(context)
  // A copy that was there already is not written again, and a reset does not close its folder first.
  for (const path of [...program, shawl]) await host.trust.demand(path, 'program')
  await writeRequest(host, config.baseDir, request, token)
  await host.services.ensure(runService(shawl, program, config.baseDir), signal)
}

/** shawl looks after its program once a second (src/service.rs): for so long a service whose run has ended is running. */
const ENDING_MS = 3000
const LOOK_EVERY_MS = 250

/** The run waits there until this one has released the lock; one that waits there already reads the new request. */
export async function startHandedOver({host: {clock, services}}: Pick<StepContext, 'host'>): Promise<void> {
  const isStopped = async (): Promise<true | undefined> =>
    (await services.status(RUN_SERVICE))?.state === 'stopped' ? true : undefined
  await waitFor(clock, {deadlineMs: ENDING_MS, everyMs: LOOK_EVERY_MS}, isStopped)
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

/** Changes nothing: throws where the program can neither run as a service from where it is nor be copied. */
export async function demandProgram({config, host}: Pick<StepContext, 'config' | 'host'>): Promise<void> {
  const {assets, trust} = host
  const {command, file} = assets.program
  if (isInstalled(command, config.baseDir)) {
    for (const path of command) await trust.demand(path, 'program')
    return
  }

  if (file === undefined) throw programNotInstalled({program: command.at(-1) ?? ''})
  await trust.demand(file)
}

/** What starts k8s-win from there. */
async function placeProgram(context: StepContext): Promise<readonly string[]> {
  await demandProgram(context)
  const {baseDir} = context.config
  const {command} = context.host.assets.program
  if (isInstalled(command, baseDir)) return command
  await copyProgram(context, STEP, () => true)
  const {program} = layoutOf(baseDir)
  // One that was deleted meanwhile, by its launcher, cannot be copied.
  if (!(await context.host.files.status(program))) throw programNotInstalled({program: command.at(-1) ?? ''})
  return [program]
}

function isInstalled(command: readonly string[], baseDir: string): boolean {
  const folder = layoutOf(baseDir).programFolder.toLowerCase()
  return command.every((path) => PROGRAM_FILES.test(path) || isWithin(path.toLowerCase(), folder))
}

async function placeShawl(context: StepContext): Promise<string> {
  const {assets, files} = context.host
  const {runShawl} = layoutOf(context.config.baseDir)
  const wanted = await assets.shawl()
  if ((await files.read(runShawl))?.equals(wanted)) return runShawl
  await claimFile(context, STEP, runShawl)
  await ensureFolder(context, STEP, win32.dirname(runShawl), ADMINISTRATORS_ONLY)
  await files.write(runShawl, wanted)
  context.changed(`write ${runShawl}`)
  return runShawl
}
