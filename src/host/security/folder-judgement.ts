// What is in the folders that programs run from and read, and above them: what must be refused, and what setup closes.
// Why: aks-engine#4633 and CVE-2023-32197 (open folders), CVE-2019-11251 (links).
import {win32} from 'node:path'
import {fileInTheWay, folderOpen} from '../../errors/folders.js'
import type {K8sWinError} from '../../errors/k8s-win-error.js'
import type {SurveyedPath} from '../../machine/win32.js'
import {hasForeignPart, isAdministratorsFolder, letsOthersIn, othersWho, TO_WRITE} from './access.js'
import {isCniConfigName} from '../cni-folder.js'
import {placesOf} from '../../config/places.js'
import {judgePath, type Role} from './judge-path.js'
import {keyOf, parentFolders, setOf} from './known-paths.js'
import {fileBeside, LIBRARIES} from './trust.js'

/** PATHEXT of a Windows Server, and PowerShell's own. */
const PROGRAMS = /\.(?:bat|cmd|com|exe|js|jse|msc|ps1|vbe|vbs|wsf|wsh)$/i

export interface OpenPath extends SurveyedPath {
  /** Its content is never believed, and it may be held open by a daemon: its access list is all that is changed. */
  readonly isLog: boolean
}

export interface FolderJudgement {
  /** Folders and files of k8s-win that others can touch, the outermost first. */
  readonly open: readonly OpenPath[]
  readonly problems: readonly K8sWinError[]
}

export interface FolderQuestion {
  readonly baseDir: string
  /** Files whose content is compared with what it must be, and replaced where it is another. */
  readonly compared: readonly string[]
  /** SIDs that count as administrators: the account that k8s-win runs as. */
  readonly trusted?: readonly string[]
}

export function judgeFolders(question: FolderQuestion, surveyed: readonly SurveyedPath[]): FolderJudgement {
  const {baseDir, trusted = []} = question
  const judged = new Map(surveyed.map((one) => [keyOf(one.path), one]))
  const roleOf = roles(question)
  const isFolder = setOf(folderPaths(baseDir))
  const problems: K8sWinError[] = []
  const open: OpenPath[] = []
  const replaceable = new Set<string>()
  for (const one of surveyed) {
    const role = roleOf(one)
    if (!role) continue
    const folder = judged.get(keyOf(win32.dirname(one.path)))?.sddl
    const problem =
      one.kind !== 'link' && one.kind !== 'directory' && isFolder.has(keyOf(one.path))
        ? fileInTheWay({path: one.path})
        : role === 'content' && fileBeside(one, surveyed) !== undefined
          ? undefined
          : judge(role, one, folder, trusted)
    // What is in a folder that others can replace is theirs with it.
    if (problem && folderOpen.is(problem)) {
      if (!replaceable.has(keyOf(win32.dirname(one.path)))) problems.push(problem)
      replaceable.add(keyOf(one.path))
    } else if (problem) problems.push(problem)
    else if (isOpen(role, one, folder, baseDir)) open.push({...one, isLog: role === 'log'})
  }

  return {open, problems}
}

/** Where only a folder will do. */
const folderPaths = (baseDir: string): string[] => [
  ...parentFolders(baseDir),
  ...placesOf(baseDir).flatMap(({kind, path}) => (kind === 'folder' && keyOf(path) !== keyOf(baseDir) ? [path] : [])),
]

function roles({baseDir, compared}: FolderQuestion): (one: SurveyedPath) => Role | undefined {
  const places = new Map(placesOf(baseDir).map((place) => [keyOf(place.path), place]))
  const parents = setOf([...parentFolders(baseDir)])
  const own = setOf(compared)
  return ({kind, path}) => {
    const [key, name] = [keyOf(path), win32.basename(path)]
    if (own.has(key)) return 'own'
    const place = places.get(key)
    if (place) return (place.kind === 'file' && place.inside !== 'base' && place.inside) || place.role
    if (parents.has(key)) return 'parent'
    const inside = places.get(keyOf(win32.dirname(path)))?.inside
    if ((inside === 'base' || inside === 'program') && LIBRARIES.test(name)) return 'library'
    if (inside === 'program') return kind !== 'directory' && PROGRAMS.test(name) ? 'program' : 'own'
    if (inside === 'configuration') return kind !== 'directory' && isCniConfigName(name) ? 'configuration' : 'own'
    // In the base directory itself, files that k8s-win does not use are ignored.
    return inside === 'base' ? undefined : inside
  }
}

function judge(
  role: Role,
  one: SurveyedPath,
  folder: string | undefined,
  trusted: readonly string[],
): K8sWinError | undefined {
  // klog and the kubelet's certificate store make links in their folders; in a restricted one no other account can.
  const isDaemons = one.kind === 'link' && (role === 'content' || role === 'log') && folder !== undefined
  if (isDaemons && othersWho(folder, TO_WRITE, trusted).length === 0) return undefined
  return judgePath(role, one, trusted)
}

const CLOSED: ReadonlySet<Role> = new Set(['configuration', 'log', 'own', 'program', 'state'])

function isOpen(
  role: Role,
  {kind, path, sddl = ''}: SurveyedPath,
  folder: string | undefined,
  baseDir: string,
): boolean {
  if (kind === 'link') return false
  if (keyOf(path) === keyOf(baseDir)) return !isAdministratorsFolder(sddl)
  // Entries inherited from another folder stay with a file that was moved here: this folder gives none of them.
  const isStale = folder !== undefined && !letsOthersIn(folder) && letsOthersIn(sddl)
  return CLOSED.has(role) && (hasForeignPart(sddl) || isStale)
}
