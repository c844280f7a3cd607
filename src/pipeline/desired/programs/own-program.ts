// The copy of k8s-win in the base directory. Launchers delete the folder that they have put it in, and what continues a
// run, or removes the node, needs it.
import {isWithin} from '../../../config/base-dir.js'
import {WATCH} from '../../../config/daemons.js'
import {layoutOf, ownPrograms} from '../../../config/layout.js'
import type {K8sWinError} from '../../../errors/k8s-win-error.js'
import {keyOf} from '../../../host/security/known-paths.js'
import {ADMINISTRATORS_ONLY} from '../../../host/security/security.js'
import {trustedFiles} from '../../../host/security/trust.js'
import {moveFolderAside} from '../files/move-aside.js'
import type {StepContext, StepId} from '../../run/step.js'
import {deleteProgram, isInUse, moveOut} from './delete-program.js'
import {claimFile} from '../files/file.js'
import {ensureFolder} from '../files/folder.js'
import {copyVerified} from './previous-programs.js'
import {removeFile, removeIfEmpty} from '../files/remove-path.js'
import {noteRead, noteUnread} from '../services/configuration-read.js'
import {callService, startService} from '../services/stop-service.js'

type Context = Pick<StepContext, 'config' | 'host'>

/**
 * Folders that are emptied by what filled them: those for temporary files; that of Azure's agent, which removes an
 * extension with its downloads; that of the SSM agent, which removes old documents; and what a browser has downloaded.
 */
const TEMPORARY_FOLDERS = [
  /\\te?mp\\/i,
  /^[a-z]:\\packages\\plugins\\/i,
  /^[a-z]:\\programdata\\amazon\\ssm\\/i,
  /^[a-z]:\\users\\[^\\]+\\downloads\\/i,
]

/** Will what is there be deleted by something else? */
export const isTemporary = (file: string): boolean => TEMPORARY_FOLDERS.some((folder) => folder.test(file))

interface Source {
  /** Why it must not be copied into a folder whose programs run as SYSTEM. */
  readonly distrust?: K8sWinError
  readonly file: string
}

/** The program that runs, where it is to be copied. */
async function sourceOf({config, host}: Context, isWanted = isTemporary): Promise<Source | undefined> {
  const {file} = host.assets.program
  if (file === undefined || !isWanted(file) || isWithin(keyOf(file), keyOf(layoutOf(config.baseDir).programFolder)))
    return undefined
  // On a simulated host there is none.
  if ((await host.files.status(file))?.kind !== 'file') return undefined
  // Windows lets others rename a program that runs, and put another file in its place, where they may do that.
  const distrust = await host.trust.problem(file)
  return {...(distrust && {distrust}), file}
}

/** What is wrong with the copy; nothing where none is wanted. */
export async function inspectProgram(context: Context): Promise<string[]> {
  const source = await sourceOf(context)
  if (!source || source.distrust) return []
  const {program} = layoutOf(context.config.baseDir)
  if (!(await context.host.files.status(program))) return [`${program} does not exist`]
  return (await isSame(context, source.file, program)) ? [] : [`${program} is not the k8s-win that runs`]
}

export async function isSame({host: {files}}: Context, one: string, other: string): Promise<boolean> {
  const [a, b] = await Promise.all([files.status(one), files.status(other)])
  if (b?.kind !== 'file' || a?.size !== b.size) return false
  return (await files.digest(one, 'sha256')) === (await files.digest(other, 'sha256'))
}

/** `isWanted`: by where the program lies. */
export async function copyProgram(context: StepContext, step: StepId, isWanted = isTemporary): Promise<void> {
  const {config, host} = context
  const source = await sourceOf(context, isWanted)
  const {program, programFolder} = layoutOf(config.baseDir)
  if (source?.distrust) {
    context.warn(`${source.file} is not copied to ${program}: ${source.distrust.message}`)
    return
  }

  if (!source || (await isSame(context, source.file, program))) return
  await claimFile(context, step, program)
  await moveFolder(context, program)
  await ensureFolder(context, step, programFolder, ADMINISTRATORS_ONLY)
  const copy = async (): Promise<unknown> => copyVerified(trustedFiles(host.files, host.trust), source.file, program)
  const replace = (): Promise<unknown> =>
    copy().catch(async (error: unknown) => {
      if (!isInUse(error)) throw error
      await moveOut(context, program)
      await copy()
    })
  await whileStopped(context, program, replace)
  context.changed(`copy ${source.file} to ${program}`)
}

export async function moveFolder({changed, host: {files}}: StepContext, path: string): Promise<void> {
  const aside = await moveFolderAside(files, path)
  if (aside !== undefined) changed(`move the folder ${path} to ${aside}`)
}

/**
 * Windows does not replace a running program: the watch is stopped, and started again with the new one. A run that is killed
 * in between is completed by the step of its service.
 */
export async function whileStopped(context: StepContext, file: string, replace: () => Promise<unknown>): Promise<void> {
  const {host, journal, signal, warn} = context
  const {service: name, step} = WATCH
  const runs = ((await host.services.imagePath(name)) ?? '').toLowerCase().includes(keyOf(file))
  if (!runs || !(await host.services.isOurs(name))) return void (await replace())
  await noteUnread(context, step, name)
  await callService(name, 'stopped', () => host.services.stop(name, signal))
  await replace()
  try {
    await startService(context, name)
    await noteRead(journal, step, name)
  } catch (error) {
    if (signal.aborted) throw error
    warn(`the service ${name} was stopped to replace its program, and does not start again: ${String(error)}`)
  }
}

/** With --purge, after everything but the journal: until then, a reset that failed can be run again. */
export async function removePrograms(context: StepContext): Promise<void> {
  const {config, journal} = context
  const {programFolder} = layoutOf(config.baseDir)
  const recorded = journal.entries('base-dir', 'file')
  for (const path of ownPrograms(config.baseDir)) {
    const claims = recorded.filter((entry) => keyOf(entry.path) === keyOf(path))
    const [previous] = claims.flatMap((claim) => claim.previous ?? [])
    if (claims.length > 0) await removeFile(context, path, previous, deleteProgram)
  }

  const isMade = journal.entries('base-dir', 'directory').some(({path}) => keyOf(path) === keyOf(programFolder))
  if (isMade) await removeIfEmpty(context, programFolder)
}

/** In lower case. */
export async function programsThere({config, host}: Context): Promise<ReadonlySet<string>> {
  const seen = await Promise.all(
    ownPrograms(config.baseDir).map(async (path) => ((await host.files.status(path)) ? [keyOf(path)] : [])),
  )
  return new Set(seen.flat())
}
