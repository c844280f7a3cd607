// Folders: which did not exist before is recorded, and those are removed only if nothing is left in them.
import {win32} from 'node:path'
import {registryPaths} from '../../../components/containerd.js'
import {isOfWindows, isWithin} from '../../../config/base-dir.js'
import {hasOwnContainerd} from '../../../config/daemons.js'
import {CONTAINERD_DATA, layoutOf, NET_CONF, type Place, SUBNET_ENV} from '../../../config/layout.js'
import {type Decided, KUBELET} from '../../../config/model.js'
import {isOfRegistry} from '../../../host/containerd/registry-config.js'
import {keyOf, setOf} from '../../../host/security/known-paths.js'
import {removeIfEmpty} from './remove-path.js'
import type {StepContext, StepId} from '../../run/step.js'
import {claimFolders, type Kind, perConfig, type Search, stepsOf} from '../../ledger/kind.js'
import {FileError} from '../../../machine/files.js'
import type {EntryOf, JournalEntry} from '../../ledger/entries.js'
import {isForeignService} from '../adoption.js'
import {DAEMON_PLACES, placesOf} from '../../../config/places.js'
import {programsOf} from '../../../artifacts/programs.js'

type Context = Pick<StepContext, 'changed' | 'config' | 'host' | 'journal'>

/** Without their parents: which of those exist differs between hosts. */
const createdFolders = perConfig((config): readonly Created[] => {
  const {
    baseDir,
    containerd: {cniBinaries, cniConfigFolder},
  } = config
  return [
    ...placesOf(baseDir).flatMap(({closed, kind, path, steps = [], tree}): Created[] => [
      ...(kind === 'folder' && (closed || !tree) ? [{path, steps}] : []),
      ...(tree ? [{path: win32.dirname(path), steps}] : []),
    ]),
    // Those of a containerd that was there before.
    {path: cniBinaries, steps: ['cni-binaries']},
    {path: cniConfigFolder, steps: ['containerd-config', 'cni-config']},
    ...registryPaths(config).map((path): Created => ({path: win32.dirname(path), steps: ['containerd-config']})),
  ]
})

type Created = Pick<Required<Place>, 'path' | 'steps'>

const foldersOf = perConfig((config) =>
  stepsOf(createdFolders(config).flatMap(({path, steps}) => withParents(path).map((one) => ({path: one, steps})))),
)

export const directory: Kind = {
  accepts: ({path}, step, config) =>
    typeof path === 'string' &&
    (foldersOf(config).get(keyOf(path))?.has(step) === true ||
      (step === 'containerd-config' && isOfRegistry(config.baseDir, win32.join(path, 'hosts.toml')))),
  find: {place: 'the folders of the node', search: findFolders},
  /** Innermost first. */
  async remove(context, step) {
    for (const {path} of context.journal.entries(step, 'directory')) {
      await removeIfEmpty(context, path)
    }
  },
}

async function findFolders(search: Search): Promise<void> {
  const inside = `${keyOf(search.config.baseDir)}\\`
  // It has the journal, and is removed with it.
  const state = keyOf(layoutOf(search.config.baseDir).state)
  const isOwn = (path: string): boolean => keyOf(path).startsWith(inside) && keyOf(path) !== state
  for (const {path, steps} of createdFolders(search.config)) {
    const outermostFirst = withParents(path).reverse().filter(isOwn)
    for (const step of steps) await claimFolders(search, step, ...outermostFirst)
  }
}

/** Volumes and logs of pods, perhaps of a kubelet that was there before, and files that are not as k8s-win writes them. */
export async function reportFolders({config, host, isGoing, isNamed, leave}: Search): Promise<void> {
  const {files} = host
  const unknown: string[] = []
  for (const path of doubtfulPaths(config)) {
    const isOurs = isNamed({kind: 'file', path}) || isNamed({kind: 'tree', path})
    if (!isOurs && (await files.status(path)) !== undefined) unknown.push(path)
  }

  if (unknown.length > 0)
    leave(
      `${unknown.join(', ')}, because it is unknown whether they existed before setup. If nothing else needs them, remove them by hand`,
    )
  const {logs, state} = layoutOf(config.baseDir)
  const left = setOf([...unknown, logs, state])
  const isLeft = (path: string): boolean => [...left].some((one) => isWithin(keyOf(path), one))
  /** Except for what is removed, or named above. */
  const isEmptied = async (folder: string): Promise<boolean> => {
    if ((await files.status(folder))?.kind !== 'directory') return false
    for (const name of await files.list(folder)) {
      const path = win32.join(folder, name)
      if (!isGoing(path) && !isLeft(path) && !(await isEmptied(path))) return false
    }

    return true
  }

  const folders: string[] = []
  for (const path of outerFolders(config)) {
    if (isLeft(path) || isGoing(path) || isNamed({kind: 'directory', path})) continue
    if (await isEmptied(path)) folders.push(path)
  }

  if (folders.length > 0)
    leave(`the folders ${folders.join(', ')}, which contain nothing else: they may have existed before setup`)
}

/** What a host may have had before setup, in the places of daemons and of a containerd that was there before. */
function doubtfulPaths(config: Decided): string[] {
  const {cniBinaries, isOurs} = config.containerd
  return [
    NET_CONF,
    SUBNET_ENV,
    ...DAEMON_PLACES.flatMap(({path, tree}) =>
      tree && (path !== CONTAINERD_DATA || hasOwnContainerd(config)) ? [path] : [],
    ),
    ...programsOf(config).flatMap(({folder, paths}) => (!isOurs && folder === cniBinaries ? paths : [])),
  ]
}

/** The base directory itself, and folders outside of it. */
function outerFolders(config: Decided): string[] {
  const all = createdFolders(config).flatMap(({path}) => withParents(path))
  const inside = `${keyOf(config.baseDir)}\\`
  const byKey = new Map(all.map((path) => [keyOf(path), path]))
  return [...byKey].filter(([key]) => !key.startsWith(inside)).map(([, path]) => path)
}

/** The root of a drive, and folders that Windows has on every host, are never created or removed. */
function withParents(path: string): string[] {
  const parent = win32.dirname(path)
  return parent === path || isOfWindows(keyOf(path)) ? [] : [path, ...withParents(parent)]
}

/**
 * Creates a folder, and records which of its parents did not exist: reset removes only those. `beside`: recorded in the
 * same write.
 */
export async function ensureFolder(
  context: Context,
  step: StepId,
  path: string,
  security?: string,
  beside: readonly JournalEntry[] = [],
): Promise<void> {
  const absent = await absentFolders(context, path)
  await context.journal.record(step, ...(await folderEntries(context, path, absent)), ...beside)
  if (absent.length === 0) return
  await context.host.files.makeDirectory(path, security === undefined ? {} : {security})
  // If it is gone again, the next folder below would create it with another access list.
  if (!(await context.host.files.status(path))) throw new FileError('create', path, 'ENOENT')
  context.changed(`create ${path}`)
}

/** This folder and its parents, outermost first, as far as they do not exist. */
export async function absentFolders({host}: Context, path: string): Promise<string[]> {
  const absent: string[] = []
  // The root of a drive always exists.
  for (let folder = path; folder !== win32.dirname(folder); folder = win32.dirname(folder)) {
    const status = await host.files.status(folder)
    if (status?.kind === 'file' || status?.kind === 'other') throw new FileError('create', folder, 'ENOTDIR')
    if (status) break
    absent.unshift(folder)
  }

  return absent
}

/**
 * Of folders that reset may remove when they are empty: the absent ones, and with --adopt existing ones in the base
 * directory, and elsewhere where another installation's kubelet is adopted.
 */
export async function folderEntries(
  context: Context,
  path: string,
  absent: readonly string[],
): Promise<EntryOf<'directory'>[]> {
  return [...(await adoptedFolders(context, path, absent)), ...absent].map((one) => ({kind: 'directory', path: one}))
}

async function adoptedFolders(context: Context, path: string, absent: readonly string[]): Promise<string[]> {
  const {config} = context
  if (!config.adopt) return []
  const folders: string[] = []
  const base = `${config.baseDir}\\`.toLowerCase()
  const isEverywhere = await isForeignService(context, KUBELET)
  for (let folder = path; folder !== win32.dirname(folder); folder = win32.dirname(folder)) {
    const here = `${folder}\\`.toLowerCase()
    if (absent.includes(folder) || base.startsWith(here)) continue
    if (isEverywhere || here.startsWith(base)) folders.unshift(folder)
  }

  return folders
}
