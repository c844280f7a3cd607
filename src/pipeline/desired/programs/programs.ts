// Steps that keep programs: each must be the file that was verified, byte for byte.
import {win32} from 'node:path'
import {knownDigest} from '../../../artifacts/digests.js'
import {demandDigest, fetchArtifact} from '../../../artifacts/fetch.js'
import {programPaths, type Programs} from '../../../artifacts/programs.js'
import {unpackMembers} from '../../../artifacts/unpack.js'
import {isWithin} from '../../../config/base-dir.js'
import {usersOf} from '../../../config/daemons.js'
import {layoutOf} from '../../../config/layout.js'
import type {ArtifactId} from '../../../config/artifact-ids.js'
import type {Decided} from '../../../config/model.js'
import {badArchive} from '../../../errors/downloads-and-images.js'
import {keyOf, setOf} from '../../../host/security/known-paths.js'
import {ADMINISTRATORS_ONLY} from '../../../host/security/security.js'
import {FileError, type Files} from '../../../machine/files.js'
import {drifted, type Finding, inPlace, missing, type StepContext, type StepId} from '../../run/step.js'
import {claimFile} from '../files/file.js'
import {ensureFolder} from '../files/folder.js'
import {isInUse, moveOut} from './delete-program.js'
import {copyVerified, keptPrograms} from './previous-programs.js'
import {removePath, temporariesOf} from '../files/remove-path.js'
import {warnOfStalls} from '../stalled-transfer.js'
import {restForChange} from '../services/stop-service.js'
import type {Journal} from '../../ledger/journal.js'

/** To compare digests: several hundred megabytes are read, on a slow disk not from its cache. */
export const DIGESTS_MS = 20_000

export interface DesiredPrograms extends Omit<Programs, 'step'> {
  /** Rejects where the node cannot have it: its verified program at this path is not installed yet. */
  demand?(context: StepContext, path: string): Promise<void>
  /** In place of a download: the bytes that come with this package. */
  read?(context: StepContext): Promise<Buffer>
}

export async function inspectPrograms(
  context: StepContext,
  step: StepId,
  wanted: readonly DesiredPrograms[],
): Promise<Finding> {
  const evidence: string[] = []
  let count = 0
  for (const programs of wanted) {
    count += programs.paths.length
    evidence.push(...(await lacking(context, step, programs)))
    const stage = stageOf(context.config, programs.artifact.id)
    if (await context.host.files.status(stage)) evidence.push(`${stage} was left by a run that did not finish`)
  }

  evidence.push(...(await leftOvers(context, step, wanted)).map((path) => `${path} is of another release`))

  if (evidence.length === 0)
    return inPlace(...wanted.map(({artifact}) => `${artifact.id} ${artifact.version} is installed`))
  return evidence.length === count && evidence.every((text) => text.endsWith('does not exist'))
    ? missing(...evidence)
    : drifted(...evidence)
}

/** Those of one artifact are in place, byte for byte. */
export const isInstalled = async (context: StepContext, programs: Programs): Promise<boolean> =>
  (await lacking(context, programs.step, programs)).length === 0

async function lacking(context: StepContext, step: StepId, programs: DesiredPrograms): Promise<string[]> {
  const {files} = context.host
  const {version} = programs.artifact
  const evidence: string[] = []
  for (const path of programs.paths) {
    const record = verifiedProgram(context.journal, step, path)
    if (!(await files.status(path))) evidence.push(`${path} does not exist`)
    else if (record?.version !== version) evidence.push(`${path} is not of version ${version}`)
    else if ((await files.digest(path, 'sha256')) !== record.sha256)
      evidence.push(`${path} is not the file that was verified`)
  }

  return evidence
}

export async function applyPrograms(
  context: StepContext,
  step: StepId,
  wanted: readonly DesiredPrograms[],
): Promise<void> {
  for (const programs of wanted) {
    if ((await lacking(context, step, programs)).length > 0) await install(context, step, programs)
    else await removeStage(context, programs.artifact.id)
  }

  for (const path of await leftOvers(context, step, wanted)) {
    await stopUsers(context, [win32.basename(path)])
    await removePath(context, path, ', which is of another release')
  }
}

/** Programs that this step installed for another release, and that this one does not have, as the runner of logs. */
async function leftOvers(
  {config, host, journal}: StepContext,
  step: StepId,
  programs: readonly DesiredPrograms[],
): Promise<string[]> {
  const [folders, wanted] = [setOf(programs.map(({folder}) => folder)), setOf(programPaths(config))]
  const verified = journal.entries(step, 'file').filter(({sha256}) => sha256 !== undefined)
  const others = [...new Set(verified.map(({path}) => path))].filter(
    (path) => folders.has(keyOf(win32.dirname(path))) && !wanted.has(keyOf(path)),
  )
  const there = await Promise.all(others.map((path) => host.files.status(path)))
  return others.filter((_, index) => there[index]?.kind === 'file')
}

export const removeStage = (context: StepContext, id: ArtifactId): Promise<void> =>
  removePath(context, stageOf(context.config, id), ', left by a run that did not finish')

async function install(context: StepContext, step: StepId, programs: DesiredPrograms): Promise<void> {
  const {artifact} = programs
  const {files} = context.host
  await ensureFolder(context, step, layoutOf(context.config.baseDir).downloads)
  const isOurs = isWithin(programs.folder.toLowerCase(), context.config.baseDir.toLowerCase())
  await ensureFolder(context, step, programs.folder, isOurs ? undefined : ADMINISTRATORS_ONLY)
  const kept = await keptPrograms(context, {...programs, step})
  const source = kept ? '' : await fetchPrograms(context, {...programs, step})
  const stage = stageOf(context.config, programs.artifact.id)
  await files.remove(stage)
  await files.makeDirectory(stage)
  const digests = kept ? await stageCopies(files, kept, stage) : await stagePrograms(context, programs, source, stage)
  for (const path of digests.keys()) await programs.demand?.(context, path)
  // Losing the memo costs hashing, not a restart of the daemons.
  const installed = await installedOf(context, step, programs, digests)
  const others = [...digests.keys()].map((from) => win32.basename(from)).filter((name) => !installed.has(name))
  await stopUsers(context, others)
  for (const [from, sha256] of digests) {
    const name = win32.basename(from)
    const path = win32.join(programs.folder, name)
    await claimFile(context, step, path)
    await context.journal.record(step, {kind: 'file', path, sha256, version: artifact.version})
    if (!installed.has(name)) await place(context, from, path)
    context.changed(`${installed.has(name) ? 'verify' : 'install'} ${path} (${artifact.id} ${artifact.version})`)
  }

  await files.remove(stage)
}

/**
 * A program that a user runs, such as "kubectl get nodes --watch", has no service that could be stopped: it makes way
 * (delete-program.ts).
 */
async function place(context: StepContext, from: string, path: string): Promise<void> {
  const {config, host} = context
  const {files} = host
  try {
    // A file cannot be renamed to another drive.
    await (driveOf(from) === driveOf(path) ? files.rename(from, path) : copyVerified(files, from, path))
  } catch (error) {
    const isThere = (await files.status(path))?.kind === 'file'
    if (!isInUse(error) || !isThere || driveOf(path) !== driveOf(config.baseDir)) throw error
    await moveOut(context, path)
    // Whatever holds the new file may still let it be read.
    await copyVerified(files, from, path)
  }
}

/** As `install` does, of the download or of what is installed already, while nothing is replaced yet. */
export async function demandBefore(context: StepContext, programs: DesiredPrograms & Programs): Promise<void> {
  if (await isInstalled(context, programs)) {
    for (const path of programs.paths) await programs.demand?.(context, path)
    return
  }
  const {files} = context.host
  const source = await fetchPrograms(context, programs)
  const stage = stageOf(context.config, programs.artifact.id)
  try {
    await files.remove(stage)
    await files.makeDirectory(stage)
    const staged = await stagePrograms(context, programs, source, stage)
    for (const path of staged.keys()) await programs.demand?.(context, path)
  } finally {
    await files.remove(stage)
  }
}

/** Their own steps start them again. */
async function stopUsers(context: StepContext, names: readonly string[]): Promise<void> {
  for (const service of usersOf(context.config, names)) await restForChange(context, service)
}

/** The names of those that are in place byte for byte. */
async function installedOf(
  {host, journal}: StepContext,
  step: StepId,
  {folder}: DesiredPrograms,
  digests: ReadonlyMap<string, string>,
): Promise<ReadonlySet<string>> {
  const recorded = new Set(journal.entries(step, 'file').map(({path}) => path))
  const installed = new Set<string>()
  for (const [from, sha256] of digests) {
    const name = win32.basename(from)
    const path = win32.join(folder, name)
    if (!recorded.has(path) || (await host.files.status(path))?.kind !== 'file') continue
    if ((await host.files.digest(path, 'sha256')) === sha256) installed.add(name)
  }

  return installed
}

const driveOf = (path: string): string => win32.parse(path).root.toLowerCase()

export async function discardDownloads(context: StepContext, step: StepId): Promise<void> {
  const {files} = context.host
  for (const {path} of context.journal.entries(step, 'download')) {
    // A killed run leaves what it was downloading or writing beside it.
    for (const one of [path, `${path}.partial`, ...(await temporariesOf(files, path))]) {
      await removePath(context, one)
    }
  }
}

/** Puts the programs into the stage, and returns the sha256 of each by its path there. */
async function stagePrograms(
  context: StepContext,
  programs: DesiredPrograms,
  source: string,
  stage: string,
): Promise<ReadonlyMap<string, string>> {
  const {files} = context.host
  const {fileName, members} = programs.artifact
  if (!members) {
    const copies = programs.paths.map((path) => win32.join(stage, win32.basename(path)))
    return new Map(await Promise.all(copies.map(async (to) => [to, await copyVerified(files, source, to)] as const)))
  }

  context.progress({text: `unpacking ${fileName}`})
  const targets = Object.entries(members).map(([member, name]) => [member, win32.join(stage, name)] as const)
  try {
    return await unpackMembers(files, source, new Map(targets))
  } catch (error) {
    // The next run must not find it and fail again. A full disk or Ctrl-C is not its fault: on a host without Internet access
    // it was copied by hand.
    const isBad = badArchive.is(error) || (error instanceof FileError && error.path === source)
    if (isBad) await files.remove(source)
    throw error
  }
}

async function stageCopies(files: Files, kept: readonly string[], stage: string): Promise<ReadonlyMap<string, string>> {
  const copies = new Map<string, string>()
  for (const from of kept) {
    const to = win32.join(stage, win32.basename(from))
    copies.set(to, await copyVerified(files, from, to))
  }

  return copies
}

/** Returns the path of the verified download. */
export async function fetchPrograms(context: StepContext, programs: DesiredPrograms & Programs): Promise<string> {
  const {artifact, step} = programs
  const {files, http} = context.host
  const folder = layoutOf(context.config.baseDir).downloads
  await ensureFolder(context, step, folder)
  await context.journal.record(step, {kind: 'download', path: win32.join(folder, artifact.fileName)})
  if (!programs.read) {
    const text = `downloading ${artifact.fileName}`
    return warnOfStalls(context, {from: new URL(artifact.url).host, what: text}, (note) => {
      const onProgress = (current: number, total: number | undefined): void => {
        note(current)
        context.progress({current, text, ...(total === undefined ? {} : {total})})
      }
      return fetchArtifact(artifact, {files, folder, http, onProgress, signal: context.signal})
    })
  }

  // What is inside the executable or the zip was compared with its digest when that was built.
  const wanted = await knownDigest(artifact)
  const path = win32.join(folder, artifact.fileName)
  await files.write(path, await programs.read(context))
  if (wanted) await demandDigest(files, artifact, path, wanted, await files.digest(path, wanted.algorithm))
  return path
}

/** The folder of programs until they are installed. */
const stageOf = ({baseDir}: Pick<Decided, 'baseDir'>, id: ArtifactId): string =>
  win32.join(layoutOf(baseDir).downloads, `${id}.staged`)

export interface VerifiedProgram {
  readonly sha256?: string
  readonly version?: string
}

export const verifiedProgram = (
  journal: Pick<Journal, 'entries'>,
  step: StepId,
  path: string,
): VerifiedProgram | undefined =>
  journal.entries(step, 'file').find((entry) => entry.path === path && entry.sha256 !== undefined)
