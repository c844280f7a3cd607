// k8s-win's folders: judged as a whole, and restricted to administrators.
import {programPaths} from '../../../artifacts/programs.js'
import {copiedKubeconfigs} from '../../../components/identity.js'
import type {Decided} from '../../../config/model.js'
import type {Host} from '../../../host/host.js'
import {isAdministratorsOnly, othersWho, TO_WRITE} from '../../../host/security/access.js'
import {type FolderJudgement, judgeFolders, type OpenPath} from '../../../host/security/folder-judgement.js'
import {keyOf, setOf, surveyPlaces} from '../../../host/security/known-paths.js'
import {ADMINISTRATORS_ONLY_FILE, AS_THE_FOLDER} from '../../../host/security/security.js'
import {FileError} from '../../../machine/files.js'
import type {SurveyedPath} from '../../../machine/win32.js'
import type {StepContext, StepId} from '../../run/step.js'
import {noteSecurity, replaceEmpty} from './safe-folder.js'

/** A second pass, because what was created during the first one belongs to whoever created it. */
const PASSES = 2

export interface SpecialFiles {
  /** Restricted to administrators by an access list of their own. */
  readonly secrets: readonly string[]
  /** Files not created by k8s-win that are in the way: they are kept aside unchanged. */
  readonly theirs: readonly string[]
}

export interface OwnFolders extends FolderJudgement {
  /** Files with secrets that are not restricted to administrators. */
  readonly exposed: readonly SurveyedPath[]
}

export async function inspectFolders(
  {security}: Pick<Host, 'security'>,
  config: Decided,
  {secrets, theirs}: SpecialFiles,
): Promise<OwnFolders> {
  const surveyed = await security.survey(surveyPlaces(config.baseDir))
  // One that is its own source was judged when it was read, and is not replaced.
  const replaced = copiedKubeconfigs(config).filter(
    ({from, to}) => typeof from !== 'string' || keyOf(from) !== keyOf(to),
  )
  const question = {baseDir: config.baseDir, compared: [...programPaths(config), ...replaced.map(({to}) => to)]}
  const first = judgeFolders(question, surveyed)
  // The account that runs k8s-win is an administrator, and its own folders are open to it.
  const judgement =
    first.problems.length === 0 ? first : judgeFolders({...question, trusted: [await security.account()]}, surveyed)
  const [isSecret, isSpecial] = [setOf(secrets), setOf([...secrets, ...theirs])]
  return {
    exposed: surveyed.filter(({path, sddl}) => isSecret.has(keyOf(path)) && !isAdministratorsOnly(sddl ?? '')),
    open: judgement.open.filter(({path}) => !isSpecial.has(keyOf(path))),
    problems: judgement.problems,
  }
}

/** Throws where something cannot be trusted. */
export async function restrictFolders(context: StepContext, step: StepId, special: SpecialFiles): Promise<void> {
  for (let pass = 1; pass <= PASSES; pass++) {
    const {exposed, open, problems} = await inspectFolders(context.host, context.config, special)
    if (problems[0]) throw problems[0]
    if (open.length + exposed.length === 0) return
    for (const one of open) await close(context, step, one, false)
    for (const one of exposed) await close(context, step, {...one, isLog: false}, true)
  }
}

async function close(context: StepContext, step: StepId, one: OpenPath, isSecret: boolean): Promise<void> {
  const {security} = context.host
  const {isLog, kind, path, sddl = ''} = one
  await noteSecurity(context, step, path)
  if (path === context.config.baseDir) await security.restrict(path, 'folder')
  // A handle opened for writing outlives the access list, but not the file.
  else if (kind === 'file' && !isLog && othersWho(sddl, TO_WRITE).length > 0) await replace(context, path, isSecret)
  else if (isSecret) await security.restrict(path, 'file')
  else {
    // The base directory itself is never empty here: it contains the journal.
    if (kind === 'directory') await replaceEmpty(context, path)
    await security.set(path, AS_THE_FOLDER)
  }
  context.changed(`restrict access to administrators: ${path}`)
}

async function replace({host}: StepContext, path: string, isSecret: boolean): Promise<void> {
  const {files, security} = host
  if (!isSecret) {
    await files.writeChunks(path, files.readChunks(path)).catch(async (error: unknown) => {
      // A running program cannot be replaced, but no other account can have it open for writing either; its step compares its
      // digest.
      if (!(error instanceof FileError && /^E(?:ACCES|BUSY|PERM)$/.test(error.code))) throw error
      await security.set(path, AS_THE_FOLDER)
    })
  } else await files.write(path, (await files.read(path)) ?? '', {sddl: ADMINISTRATORS_ONLY_FILE})
}
