// What is in the folders that programs run from and read, and above them: what must be refused, and what can be mended.
// Why: aks-engine#4633 and CVE-2023-32197 (open folders), CVE-2019-11251 (links).
import {win32} from 'node:path'
import {
  fileInTheWay,
  folderLocked,
  foreignLibrary,
  linkInTheWay,
  parentOpen,
  plantedProgram,
  stateOpen,
  untrustedFile,
} from '../errors/folders.js'
import type {K8sWinError} from '../errors/k8s-win-error.js'
import type {SurveyedPath} from '../machine/win32.js'
import {
  accountNames,
  hasForeignPart,
  isAdministratorsFolder,
  letsOthersIn,
  othersWho,
  TO_REPLACE,
  TO_WRITE,
} from './access.js'
import {isCniConfigName} from './cni-folder.js'
import {guarded, keyOf, ownFiles, type Places, placesOf, setOf} from './folder-places.js'

/** Beside a program Windows looks for these first: learn.microsoft.com, "Dynamic-link library search order". */
const LIBRARIES = /\.(?:dll|local|manifest)$/i
/** PATHEXT of a Windows Server, and PowerShell's own. */
const PROGRAMS = /\.(?:bat|cmd|com|exe|js|jse|msc|ps1|vbe|vbs|wsf|wsh)$/i

export interface FolderJudgement {
  /** Folders and files of ours that others can touch, the outermost first. */
  readonly open: readonly SurveyedPath[]
  readonly problems: readonly K8sWinError[]
}

export interface FolderQuestion {
  readonly baseDir: string
  /** Paths whose content is compared with a digest, and replaced where it is another. */
  readonly programs: readonly string[]
}

export function judgeFolders({baseDir, programs}: FolderQuestion, surveyed: readonly SurveyedPath[]): FolderJudgement {
  const places = placesOf(baseDir)
  const sddlOf = new Map(surveyed.map(({path, sddl}) => [keyOf(path), sddl]))
  const ours = setOf([...programs, ...ownFiles(baseDir)])
  const problems: K8sWinError[] = []
  const open: SurveyedPath[] = []
  for (const one of surveyed) {
    const role = roleOf(places, ours, one)
    if (role === 'none') continue
    const problem = judge(places, role, one, baseDir)
    if (problem) problems.push(problem)
    else if (isOpen(places, role, one, sddlOf.get(keyOf(win32.dirname(one.path))))) open.push(one)
  }

  return {open, problems}
}

/** What a path is to us. */
type Role = 'configuration' | 'driver' | 'library' | 'none' | 'outside' | 'ours' | 'parent' | 'program' | 'state'

function roleOf(places: Places, ours: ReadonlySet<string>, {kind, path}: SurveyedPath): Role {
  const [key, folder] = [keyOf(path), keyOf(win32.dirname(path))]
  if (places.folders.has(key) || ours.has(key)) return 'ours'
  if (places.outside.has(key)) return 'outside'
  if (places.parents.has(key)) return 'parent'
  if (places.withPrograms.has(folder) && LIBRARIES.test(path)) return 'library'
  if (places.drivers.has(folder)) return 'driver'
  if (places.searched.has(folder) && kind !== 'directory' && PROGRAMS.test(path)) return 'program'
  if (places.configurations === folder && kind !== 'directory' && isCniConfigName(win32.basename(path))) {
    return 'configuration'
  }

  if (places.state === folder && key !== places.result) return 'state'
  // In the base directory itself what we do not use is nobody's business.
  return places.folders.has(folder) && folder !== places.base ? 'ours' : 'none'
}

function judge(places: Places, role: Role, {kind, path, sddl}: SurveyedPath, baseDir: string): K8sWinError | undefined {
  if (kind === 'link') return linkInTheWay({path})
  if (kind !== 'directory' && places.wanted.has(keyOf(path))) return fileInTheWay({path})
  if (sddl === undefined) return folderLocked({path})
  if (role === 'library') return foreignLibrary({path})
  if (role === 'parent') return judgeParent(path, sddl, baseDir)
  const writers = othersWho(sddl, TO_WRITE)
  if (writers.length === 0) return undefined
  const accounts = accountNames(writers)
  if (role === 'configuration') return untrustedFile({accounts, path})
  if (role === 'driver' || role === 'program') return plantedProgram({accounts, path})
  return role === 'state' ? stateOpen({accounts, folder: win32.dirname(path), path}) : undefined
}

const CLOSED: ReadonlySet<Role> = new Set(['configuration', 'ours', 'program', 'state'])

function isOpen({base}: Places, role: Role, {path, sddl = ''}: SurveyedPath, folder: string | undefined): boolean {
  if (keyOf(path) === base) return !isAdministratorsFolder(sddl)
  // Entries inherited from another folder stay with a file that was moved here: this folder gives none of them.
  const isStale = folder !== undefined && !letsOthersIn(folder) && letsOthersIn(sddl)
  return CLOSED.has(role) && (hasForeignPart(sddl) || isStale)
}

function judgeParent(path: string, sddl: string, baseDir: string): K8sWinError | undefined {
  const others = othersWho(sddl, TO_REPLACE)
  if (others.length === 0) return undefined
  const above = `${keyOf(path).replace(/\\$/, '')}\\`
  const child = guarded(baseDir).find((folder) => keyOf(folder).startsWith(above)) ?? baseDir
  return parentOpen({accounts: accountNames(others), child, path})
}
