// What setup may have created or changed, where no journal says whether it was so before: it stays, and is reported.
import {win32} from 'node:path'
import {tagsOf} from '../../components/images.js'
import {isWithin} from '../../config/base-dir.js'
import {CNI_TREES, KUBELET_TREES, layoutOf} from '../../config/layout.js'
import {isAdministratorsOnly} from '../../host/security/access.js'
import {keyOf, setOf, surveyPlaces} from '../../host/security/known-paths.js'
import {parseSddl} from '../../machine/sddl.js'
import type {JournalEntry, JournalLine} from './journal.js'
import type {Marks} from './find-our-files.js'
import {outerFolders} from './entry-owners.js'
import {ASIDE, possibleEntries} from './entry-rules.js'

/** A longer list is not read. */
const MOST_NAMED = 5

/** Pulled, and tagged. */
export async function tellImages({config, host, isNamed, leave}: Marks): Promise<void> {
  const tags = tagsOf((await host.os.version())?.build ?? 0)
  const asked = {nanoserver: config.nanoserverTag, servercore: config.servercoreTag}
  const there: string[] = []
  for (const name of ['nanoserver', 'servercore'] as const) {
    const repository = `${config.imageRegistry}/windows/${name}`
    const pulled = `${repository}:${asked[name] ?? tags?.[name] ?? 'latest'}`
    const entries: readonly (JournalEntry & {readonly reference: string})[] = [
      {kind: 'image-pull', reference: pulled},
      {kind: 'image-tag', reference: `${repository}:latest`},
    ]
    for (const entry of entries) {
      const {reference} = entry
      if (isNamed(entry) || there.includes(reference)) continue
      if (await host.docker.image(reference)) there.push(reference)
    }
  }

  if (there.length === 0) return
  leave(`the images ${there.join(', ')}, for it is not known whether they had these names before setup`)
}

/** When everything that setup provably created is found, and counts as named. */
interface FoundMarks extends Marks {
  isGoing(path: string): boolean
}

/** Paths that are removed whole by these lines. A file that was there before setup comes back to its place. */
export function goingPaths(lines: readonly JournalLine[]): (path: string) => boolean {
  const going = new Set<string>()
  const kept = new Set<string>()
  for (const {entry} of lines) {
    if (entry.kind === 'file' && entry.previous !== undefined) kept.add(keyOf(entry.path))
    if (entry.kind === 'file' || entry.kind === 'tree' || entry.kind === 'download') going.add(keyOf(entry.path))
  }

  return (path) => going.has(keyOf(path)) && !kept.has(keyOf(path))
}

/** Volumes and logs of pods are in them, perhaps of a kubelet before ours. */
export async function tellFolders({config, host, isGoing, isNamed, leave}: FoundMarks): Promise<void> {
  const {files} = host
  const isThere = async (path: string): Promise<boolean> => (await files.status(path)) !== undefined
  const trees: string[] = []
  for (const path of [...KUBELET_TREES, ...CNI_TREES]) {
    if (!isNamed({kind: 'tree', path}) && (await isThere(path))) trees.push(path)
  }

  if (trees.length > 0)
    leave(
      `${trees.join(', ')}, for it is not known whether they were there before setup. If nothing else needs them, remove them by hand`,
    )
  const {logs, state} = layoutOf(config.baseDir)
  const left = setOf([...trees, logs, state])
  const isLeft = (path: string): boolean => [...left].some((one) => isWithin(keyOf(path), one))
  /** But for what goes, and for what is named above. */
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
    leave(`the folders ${folders.join(', ')}, which hold nothing else: they may have been there before setup`)
}

/** Setup closes them to others, and notes what they were. */
export async function tellAccess({config, host, isGoing, isNamed, leave}: FoundMarks): Promise<void> {
  const {baseDir} = config
  const isPossible = possibleEntries(config)
  const {logs, state} = layoutOf(baseDir)
  const isOurs = (path: string): boolean =>
    isGoing(path) ||
    isNamed({kind: 'directory', path}) ||
    isNamed({kind: 'file', path: path.endsWith(ASIDE) ? path.slice(0, -ASIDE.length) : path}) ||
    [logs, state].some((folder) => isWithin(keyOf(path), keyOf(folder)))
  const own: string[] = []
  const inherited: string[] = []
  for (const {path, sddl = ''} of await host.security.survey(surveyPlaces(baseDir))) {
    const entry = {kind: 'security', path, previous: sddl} as const
    if (!isPossible({entry, step: 'base-dir'}) || isNamed(entry) || isOurs(path)) continue
    if (isAdministratorsOnly(sddl)) own.push(path)
    else if (isInherited(sddl)) inherited.push(path)
  }

  const unknown = 'who had access before setup is not known'
  if (own.length > 0) leave(`the access lists of ${shown(own)}, which admit administrators only: ${unknown}`)
  if (inherited.length > 0) leave(`in ${baseDir}, the access lists of ${shown(inherited)}: ${unknown}`)
}

function shown(paths: readonly string[]): string {
  const more = paths.length - MOST_NAMED
  return `${paths.slice(0, MOST_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

/** As setup leaves a file that others could write to: with what its folder hands down, and nothing of its own. */
function isInherited(sddl: string): boolean {
  const {entries = [], owner} = parseSddl(sddl) ?? {}
  return owner === 'BA' && entries.every(({flags}) => flags.includes('ID'))
}
