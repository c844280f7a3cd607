// The one judge of a path: what no other account may be able to do to it, by what it is used for.
import {win32} from 'node:path'
import {
  folderLocked,
  folderOpen,
  foreignLibrary,
  hardLink,
  linkInTheWay,
  plantedProgram,
  stateOpen,
  untrustedFile,
} from '../../errors/folders.js'
import type {K8sWinError} from '../../errors/k8s-win-error.js'
import type {SurveyedPath} from '../../machine/win32.js'
import {accountNames, othersWho, TO_HOLD, TO_REPLACE, TO_WRITE} from './access.js'

/** Rights that no other account may have, and the error where one has them. */
type Rule = readonly [number, (found: {accounts: string; folder: string; path: string}) => K8sWinError]

const HELD: Rule = [TO_HOLD, folderOpen]
const UNTRUSTED: Rule = [TO_WRITE, untrustedFile]
const both = (rights: number, error: Rule[1]): {readonly file: Rule; readonly folder: Rule} => ({
  file: [rights, error],
  folder: [rights, error],
})

/** By use: of a file, and of a folder in its place. */
const RULES = {
  /** Windows looks for it beside a program. */
  beside: both(TO_WRITE, foreignLibrary),
  closed: both(TO_WRITE, folderOpen),
  configuration: {file: UNTRUSTED, folder: HELD},
  content: {file: UNTRUSTED, folder: HELD},
  daemon: {folder: HELD},
  // Nothing is read of a folder in the place of a file; whoever wanted the file says that it is one.
  data: {file: UNTRUSTED},
  driver: both(TO_WRITE, plantedProgram),
  folder: both(...HELD),
  /** In a folder of k8s-win: whoever put it there, a program would load it. */
  library: {},
  log: {folder: HELD},
  own: {folder: HELD},
  parent: both(TO_REPLACE, folderOpen),
  program: both(TO_WRITE, plantedProgram),
  shared: both(TO_REPLACE, folderOpen),
  state: {file: [TO_WRITE, stateOpen], folder: HELD},
} as const satisfies Readonly<Record<string, {readonly file?: Rule; readonly folder?: Rule}>>

/** What a path is used for. */
export type Role = keyof typeof RULES

/** `self`: SIDs that count as administrators. */
export function judgePath(role: Role, one: SurveyedPath, self: readonly string[]): K8sWinError | undefined {
  const {kind, links, path, sddl} = one
  if (kind === 'link') return linkInTheWay({path})
  if (links !== undefined) return hardLink({path})
  if (sddl === undefined) return folderLocked({path})
  if (role === 'library') return foreignLibrary({path})
  const rules: {readonly file?: Rule; readonly folder?: Rule} = RULES[role]
  const [rights, error] = rules[kind === 'directory' ? 'folder' : 'file'] ?? []
  const accounts = rights === undefined ? '' : accountNames(othersWho(sddl, rights, self))
  return accounts === '' ? undefined : error?.({accounts, folder: win32.dirname(path), path})
}
