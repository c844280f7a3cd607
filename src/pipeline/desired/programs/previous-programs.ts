// The programs that an upgrade replaces, kept until the new ones are proven: the way back needs no network. What a kept
// program must be is in the journal, from the time when it was installed.
import {win32} from 'node:path'
import type {Programs} from '../../../artifacts/programs.js'
import {layoutOf} from '../../../config/layout.js'
import {ARTIFACT_IDS, type ArtifactId} from '../../../config/artifact-ids.js'
import type {Decided} from '../../../config/model.js'
import {FileError, type Files} from '../../../machine/files.js'
import type {StepContext} from '../../run/step.js'
import {removePath} from '../files/remove-path.js'

type Context = Pick<StepContext, 'config' | 'host' | 'journal'>

interface KeptProgram {
  readonly kept: string
  readonly path: string
  /** Undefined where this version of it was never installed here. */
  readonly sha256: string | undefined
}

const folderOf = ({baseDir}: Pick<Decided, 'baseDir'>, id: ArtifactId): string =>
  win32.join(layoutOf(baseDir).downloads, `${id}.previous`)

function placesOf({config, journal}: Context, {artifact, paths, step}: Programs): KeptProgram[] {
  const folder = folderOf(config, artifact.id)
  const records = journal.entries(step, 'file').filter(({version}) => version === artifact.version)
  return paths.map((path) => ({
    kept: win32.join(folder, win32.basename(path)),
    path,
    sha256: records.find((record) => record.path === path && record.sha256 !== undefined)?.sha256,
  }))
}

const isFile = async (files: Files, path: string, sha256: string | undefined): Promise<boolean> =>
  sha256 !== undefined && (await files.status(path))?.kind === 'file' && (await files.digest(path, 'sha256')) === sha256

/** Those that are installed as they were verified, and are not kept yet. */
export async function programsToKeep(context: Context, programs: Programs): Promise<readonly KeptProgram[]> {
  const {files} = context.host
  const found: KeptProgram[] = []
  for (const one of placesOf(context, programs)) {
    if (!(await isFile(files, one.kept, one.sha256)) && (await isFile(files, one.path, one.sha256))) found.push(one)
  }

  return found
}

export async function keepPrograms(context: StepContext, programs: Programs): Promise<void> {
  const {files} = context.host
  const found = await programsToKeep(context, programs)
  if (found.length > 0) await files.makeDirectory(folderOf(context.config, programs.artifact.id))
  for (const {kept, path} of found) {
    await copyVerified(files, path, kept)
    context.changed(`keep ${path} as ${kept}`)
  }
}

/** Where all programs of this artifact are kept in this version. */
export async function keptPrograms(context: Context, programs: Programs): Promise<readonly string[] | undefined> {
  const {files} = context.host
  const places = placesOf(context, programs)
  for (const {kept, sha256} of places) if (!(await isFile(files, kept, sha256))) return undefined
  return places.map(({kept}) => kept)
}

/** The folders of kept programs that are there. */
export async function previousFolders({
  config,
  host,
}: {
  readonly config: Decided
  readonly host: Pick<Context['host'], 'files'>
}): Promise<string[]> {
  const folders = ARTIFACT_IDS.map((id) => folderOf(config, id))
  const there = await Promise.all(folders.map((folder) => host.files.status(folder)))
  return folders.filter((_, index) => there[index] !== undefined)
}

export async function removePrevious(context: StepContext): Promise<void> {
  for (const folder of await previousFolders(context)) await removePath(context, folder)
}

/** Returns the digest of the copy, which must be that of the verified file. */
export async function copyVerified(files: Files, from: string, to: string): Promise<string> {
  await files.writeChunks(to, files.readChunks(from))
  const [wanted, found] = [await files.digest(from, 'sha256'), await files.digest(to, 'sha256')]
  if (wanted !== found) throw new FileError('copy', to, 'EIO')
  return found
}
