// k8s-win as a service: its program and shawl in a place that only administrators can change, because it runs as SYSTEM.
import {win32} from 'node:path'
import {isWithin} from '../../../config/base-dir.js'
import {layoutOf} from '../../../config/layout.js'
import {programNotInstalled} from '../../../errors/detach.js'
import {ADMINISTRATORS_ONLY} from '../../../host/security/security.js'
import type {StepContext} from '../../run/step.js'
import {claimFile} from '../files/file.js'
import {ensureFolder} from '../files/folder.js'
import {copyProgram, moveFolder, whileStopped} from './own-program.js'

const STEP = 'base-dir'
/** Windows gives it to administrators only. The service runs as SYSTEM: a folder of the user's own is not enough. */
const PROGRAM_FILES = /^[a-z]:\\program files\\/i

type Context = Pick<StepContext, 'config' | 'host'>

export function isInstalled(command: readonly string[], baseDir: string): boolean {
  const folder = layoutOf(baseDir).programFolder.toLowerCase()
  return command.every((path) => PROGRAM_FILES.test(path) || isWithin(path.toLowerCase(), folder))
}

/**
 * What starts k8s-win as a service. Changes nothing: throws where the program can neither run as a service from where it is
 * nor be copied. `copies`: a single file is also copied from below Program Files, so that another one may be installed there.
 */
export async function demandProgram(
  {config: {baseDir}, host}: {readonly config: {readonly baseDir: string}; readonly host: Context['host']},
  copies = false,
): Promise<readonly string[]> {
  const {assets, trust} = host
  const {command, file} = assets.program
  if (isInstalled(command, baseDir) && !(copies && file !== undefined)) {
    for (const path of command) await trust.demand(path, 'program')
    return command
  }

  if (file === undefined) throw programNotInstalled({program: command.at(-1) ?? ''})
  await trust.demand(file)
  return [layoutOf(baseDir).program]
}

/** What starts k8s-win from there. */
export async function placeProgram(context: StepContext, copies = false): Promise<readonly string[]> {
  const {config, host} = context
  const command = await demandProgram(context, copies)
  const {program} = layoutOf(config.baseDir)
  if (command[0] !== program) return command
  await copyProgram(context, STEP, () => true)
  // One that was deleted meanwhile, by its launcher, cannot be copied.
  if (!(await host.files.status(program)))
    throw programNotInstalled({program: host.assets.program.command.at(-1) ?? ''})
  return command
}

export async function placeShawl(context: StepContext): Promise<string> {
  const {assets, files} = context.host
  const {runShawl} = layoutOf(context.config.baseDir)
  const wanted = await assets.shawl()
  await moveFolder(context, runShawl)
  if ((await files.read(runShawl))?.equals(wanted)) return runShawl
  await claimFile(context, STEP, runShawl)
  await ensureFolder(context, STEP, win32.dirname(runShawl), ADMINISTRATORS_ONLY)
  await whileStopped(context, runShawl, () => files.write(runShawl, wanted))
  context.changed(`write ${runShawl}`)
  return runShawl
}
