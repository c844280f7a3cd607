// Steps that keep files: compared by content, recorded before they are written, and written atomically.
import {win32} from 'node:path'
import {
  ASIDE,
  conflistOf,
  isMovedProgram,
  KUBELET_CERTIFICATE_FILES,
  NET_CONF,
  ownContainerd,
  ownPrograms,
} from '../../../config/layout.js'
import {isOwnProgram, keyOf, setOf} from '../../../host/security/known-paths.js'
import {noteUnread, noteWritten} from '../services/configuration-read.js'
import {drifted, type Finding, inPlace, missing, type StepContext, type StepId} from '../../run/step.js'
import {isToBeClaimed} from '../adoption.js'
import {ensureFolder} from './folder.js'
import {programsOf} from '../../../artifacts/programs.js'
import type {Decided} from '../../../config/model.js'
import {isChildOf, type Kind, perConfig, stepsOf} from '../../ledger/kind.js'
import {registryPaths} from '../../../components/containerd.js'
import {NEWEST_MINOR} from '../../../config/version.js'
import {isOfRegistry} from '../../../host/containerd/registry-config.js'
import {isCniConfigName} from '../../../host/cni-folder.js'
import {deleteMoved} from '../programs/delete-program.js'
import {removeFile} from './remove-path.js'
import {placesOf} from '../../../config/places.js'

export interface DesiredFile {
  readonly content: string
  readonly path: string
  /** The service whose daemon reads the file only when it starts. */
  readonly readBy?: string
  /** SDDL, where the access list of the folder is not strict enough. */
  readonly sddl?: string
}

type Context = Pick<StepContext, 'changed' | 'config' | 'host' | 'journal'>

export async function inspectFiles(context: Context, step: StepId, wanted: readonly DesiredFile[]): Promise<Finding> {
  const seen = await Promise.all(wanted.map((file) => context.host.files.read(file.path)))
  const absent = wanted.filter((_, index) => seen[index] === undefined)
  const wrong = wanted.filter(
    (file, index) => seen[index] !== undefined && !seen[index].equals(Buffer.from(file.content)),
  )
  if (absent.length === wanted.length) return missing(...absent.map((file) => `${file.path} does not exist`))
  const evidence = [
    ...absent.map((file) => `${file.path} does not exist`),
    ...wrong.map((file) => `${file.path} has different content`),
    ...wanted
      .filter((file) => toBeOurs(context, step, file.path))
      .map((file) => `${file.path} is not managed by k8s-win yet`),
  ]
  return evidence.length > 0 ? drifted(...evidence) : inPlace(...wanted.map((file) => `${file.path} is up to date`))
}

const toBeOurs = (context: Context, step: StepId, path: string): boolean =>
  isToBeClaimed(context, step, 'file', (entry) => entry.path === path)

export async function applyFiles(context: Context, step: StepId, wanted: readonly DesiredFile[]): Promise<void> {
  for (const file of wanted) {
    const {files} = context.host
    const before = await files.read(file.path)
    const isRight = before?.equals(Buffer.from(file.content)) ?? false
    if (isRight && !toBeOurs(context, step, file.path)) continue
    await ensureFolder(context, step, win32.dirname(file.path))
    await claimFile(context, step, file.path)
    if (isRight) {
      context.changed(`take over ${file.path}`)
      continue
    }

    if (file.readBy !== undefined) await noteUnread(context, step, file.readBy)
    await files.write(file.path, file.content, file.sddl === undefined ? {} : {sddl: file.sddl})
    if (file.readBy !== undefined) await noteWritten(context, step, file.readBy)
    context.changed(`write ${file.path}`)
  }
}

/** Those that were recorded, and that somebody deleted. */
export async function restoreFiles(context: Context, step: StepId, wanted: readonly DesiredFile[]): Promise<void> {
  const recorded = setOf(context.journal.entries(step, 'file').map(({path}) => path))
  const there = await Promise.all(wanted.map(({path}) => context.host.files.status(path)))
  const lost = wanted.filter(({path}, index) => recorded.has(keyOf(path)) && there[index] === undefined)
  await applyFiles(context, step, lost)
}

/**
 * Records a file before it is written. One that was there before is kept aside for reset to restore; with --adopt it is
 * replaced, unless it belongs to the user.
 */
export async function claimFile(context: Context, step: StepId, path: string, owner?: 'user'): Promise<void> {
  const {files} = context.host
  const claims = context.journal.entries(step, 'file').filter((entry) => entry.path === path)
  const there = await files.status(path)
  const aside = `${path}${ASIDE}`
  const isKept = owner === 'user' || !context.config.adopt || isOfPresent(context, path)
  if (claims.length === 0) {
    await context.journal.record(step, {kind: 'file', path, ...(there && isKept && {previous: aside})})
  }

  // Recorded but not kept aside: a run was killed in between, or a removal has restored it.
  const isTheirs = claims.length === 0 ? isKept : claims.some((claim) => claim.previous !== undefined)
  if (!there || !isTheirs || (await files.status(aside))) return
  await files.rename(path, aside)
  context.changed(`keep ${path} as ${aside}`)
}

/** In the folders of a containerd that was there before nothing is k8s-win's to take over. */
function isOfPresent({config: {containerd}}: Context, path: string): boolean {
  const folders = [containerd.cniBinaries, containerd.cniConfigFolder, win32.dirname(containerd.config)]
  return !containerd.isOurs && folders.some((folder) => keyOf(folder) === keyOf(win32.dirname(path)))
}

/** What setup writes, with the steps that do. */
export function writtenFiles(all: Decided): readonly {path: string; steps: readonly StepId[]}[] {
  const {baseDir, ...config} = all
  return [
    ...placesOf(baseDir).flatMap(({kind, path, steps = []}) => (kind === 'file' ? [{path, steps}] : [])),
    ...ownPrograms(baseDir).map((path) => ({path, steps: ['base-dir'] as const})),
    ...programsOf({...config, baseDir}).flatMap(({paths, step}) => paths.map((path) => ({path, steps: [step]}))),
    ...KUBELET_CERTIFICATE_FILES.map((path) => ({path, steps: ['kubelet-service'] as const})),
    {path: NET_CONF, steps: ['net-conf']},
    ...(config.metricsFile === undefined ? [] : [{path: config.metricsFile, steps: ['watch-service'] as const}]),
    {path: conflistOf(config.containerd), steps: ['cni-config']},
    ...[config.containerd.config, ...registryPaths(all)].map((path) => ({
      path,
      steps: ['containerd-config'] as const,
    })),
  ]
}

export const filesOf = perConfig((config) => stepsOf(writtenFiles(config).filter(({steps}) => steps.length > 0)))

/** A node that is set up with the other runtime, or with another release, keeps what was recorded before. */
const stepsOfFiles = perConfig((config) => {
  const newest = {major: 1, minor: NEWEST_MINOR, patch: 0, text: `1.${NEWEST_MINOR}.0`}
  const all = [
    config,
    {...config, runtime: 'docker'} as const,
    {...config, release: newest, runtime: 'containerd'} as const,
    {...config, containerd: ownContainerd(config.baseDir), release: newest, runtime: 'containerd'} as const,
  ].map((one) => filesOf(one))
  return stepsOf(all.flatMap((files) => [...files].map(([path, steps]) => ({path, steps: [...steps]}))))
})

export const file: Kind = {
  accepts: ({path, previous}, step, config) =>
    typeof path === 'string' &&
    (stepsOfFiles(config).get(keyOf(path))?.has(step) === true ||
      (step === 'containerd-config' && isOfRegistry(config.baseDir, path)) ||
      (step === 'base-dir' && isMovedProgram(path) && isOnDriveOf(config, path)) ||
      (step === 'containerd-config' && previous !== undefined && isOtherCniFile(config, path))) &&
    (previous === undefined || previous === `${path}${ASIDE}`),
  async remove(context, step) {
    const {config, host, journal} = context
    const kept = new Map<string, string | undefined>()
    for (const {path, previous} of journal.entries(step, 'file')) kept.set(path, previous ?? kept.get(path))
    for (const [path, previous] of kept) {
      // They may be what runs this reset, and a next run may need them: --purge removes them last.
      const isKept = isOwnProgram(path, config.baseDir) && (await host.files.status(path)) !== undefined
      if (isKept) continue
      // Its name was never written to, so there are no temporary files: what looks like one there is not k8s-win's.
      if (isMovedProgram(path)) await deleteMoved(context, path)
      else await removeFile(context, path, previous)
    }
  },
}

/** Where a program of k8s-win that ran was moved to. */
const isOnDriveOf = ({baseDir}: Decided, path: string): boolean =>
  keyOf(win32.parse(path).root) === keyOf(win32.parse(baseDir).root)

/** Put aside in the folder of a containerd that was there before. */
const isOtherCniFile = ({containerd}: Decided, path: string): boolean =>
  !containerd.isOurs && isChildOf(setOf([containerd.cniConfigFolder]), path) && isCniConfigName(win32.basename(path))
