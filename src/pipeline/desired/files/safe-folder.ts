// Folders of daemons that only administrators may access, from their creation on; of one, what is inside is pods' too. Access
// lists that are changed are recorded, and reset restores them.
import {win32} from 'node:path'
import {ASIDE, KUBELET_PODS, layoutOf} from '../../../config/layout.js'
import {
  isAdministratorsFolder,
  isAdministratorsOnly,
  isPodsFolder,
  othersWho,
  TO_LINK,
} from '../../../host/security/access.js'
import {ADMINISTRATORS_ONLY, AS_AT_THE_ROOT, FOR_PODS} from '../../../host/security/security.js'
import {drifted, type Finding, type StepContext, type StepId} from '../../run/step.js'
import {ensureFolder} from './folder.js'
import {isWithin} from '../../../config/base-dir.js'
import {closedFolders, keyOf, surveyPlaces} from '../../../host/security/known-paths.js'
import {parseSddl} from '../../../machine/sddl.js'
import {shortList} from '../../short-list.js'
import {isChildOf, type Kind, perConfig, type Search, stepsOf} from '../../ledger/kind.js'
import {DAEMON_PLACES} from '../../../config/places.js'

const listFor = (path: string): string => (path === KUBELET_PODS ? FOR_PODS : ADMINISTRATORS_ONLY)
const isSafe = (path: string, sddl: string): boolean =>
  path === KUBELET_PODS ? isPodsFolder(sddl) : isAdministratorsFolder(sddl)

export async function ensureSafeFolders(
  context: StepContext,
  step: StepId,
  ...paths: readonly string[]
): Promise<void> {
  for (const path of paths) {
    // Restricting it is not enough if another account created it, or a parent of it, since the checks.
    await context.host.trust.demand(path, 'folder')
    if (context.config.revivesOnly) continue
    await ensureFolder(context, step, win32.dirname(path), AS_AT_THE_ROOT)
    await ensureFolder(context, step, path, listFor(path))
    // Nor if another account created it since then: `ensureFolder` accepts a folder that exists.
    await context.host.trust.demand(path, 'folder')
    if (isSafe(path, await context.host.security.of(path))) continue
    await noteSecurity(context, step, path)
    if (!(await replaceEmpty(context, path, listFor(path)))) await context.host.security.set(path, listFor(path))
    context.changed(`restrict access to administrators: ${path}`)
  }
}

/**
 * Recreates an empty folder to which another account may hold a handle that turns it into a junction; false where that is not
 * needed or not possible. Fails where the handle prevents the removal.
 */
export async function replaceEmpty({host}: StepContext, path: string, security?: string): Promise<boolean> {
  const {files} = host
  if (othersWho(await host.security.of(path), TO_LINK).length === 0 || (await files.list(path)).length > 0) return false
  if (!(await files.removeEmpty(path))) return false
  await files.makeDirectory(path, security === undefined ? {} : {security})
  return true
}

export async function withSafeFolders(
  context: StepContext,
  finding: Finding,
  ...paths: readonly string[]
): Promise<Finding> {
  if (finding.state === 'missing' || context.config.revivesOnly) return finding
  const surveyed = await context.host.security.survey(paths.map((path) => ({inside: false, path})))
  const safe = new Set(surveyed.filter(({path, sddl}) => isSafe(path, sddl ?? '')).map(({path}) => path))
  const evidence = paths.filter((path) => !safe.has(path)).map((path) => `${path} is not restricted to administrators`)
  if (evidence.length === 0) return finding
  return drifted(...(finding.state === 'drifted' ? finding.evidence : []), ...evidence)
}

/** Before it is changed. */
export async function noteSecurity({host, journal}: StepContext, step: StepId, path: string): Promise<void> {
  await journal.record(step, {kind: 'security', path, previous: await host.security.of(path)})
}

/** Folders that a step restricts, beside those of the base directory. */
const SAFE_FOLDERS = stepsOf(DAEMON_PLACES.filter(({closed}) => closed))

export const security: Kind = {
  accepts: ({path, previous}, step, config) =>
    typeof path === 'string' &&
    (step === 'base-dir' ? isClosedBy(config)(path) : SAFE_FOLDERS.get(keyOf(path))?.has(step) === true) &&
    typeof previous === 'string' &&
    parseSddl(previous) !== undefined,
  async remove({changed, host, journal}, step) {
    // The oldest entry of a path has the access list from before setup.
    const before = new Map(journal.entries(step, 'security').map((entry) => [entry.path, entry.previous]))
    for (const [path, previous] of before) {
      if (!(await host.files.status(path)) || (await host.security.of(path)) === previous) continue
      await host.security.set(path, previous)
      changed(`restore the access list of ${path}`)
    }
  },
}

const isClosedBy = perConfig(({baseDir}) => {
  const {folders, inside} = closedFolders(baseDir)
  const isRoot = (path: string): boolean => win32.dirname(path) === path
  return (path: string) => (folders.has(keyOf(path)) && !isRoot(path)) || isChildOf(inside, path)
})

export async function reportAccess({config, host, isGoing, isNamed, leave}: Search): Promise<void> {
  const {baseDir} = config
  const isClosed = isClosedBy(config)
  const {logs, state} = layoutOf(baseDir)
  const isOurs = (path: string): boolean =>
    isGoing(path) ||
    isNamed({kind: 'directory', path}) ||
    isNamed({kind: 'file', path: path.endsWith(ASIDE) ? path.slice(0, -ASIDE.length) : path}) ||
    [logs, state].some((folder) => isWithin(keyOf(path), keyOf(folder)))
  const own: string[] = []
  const inherited: string[] = []
  for (const {path, sddl = ''} of await host.security.survey(surveyPlaces(baseDir))) {
    const isRecorded = isNamed({kind: 'security', path, previous: sddl})
    if (!isClosed(path) || parseSddl(sddl) === undefined || isRecorded || isOurs(path)) continue
    if (isAdministratorsOnly(sddl)) own.push(path)
    else if (isInherited(sddl)) inherited.push(path)
  }

  const unknown = 'who had access before setup is not known'
  if (own.length > 0) leave(`the access lists of ${shortList(own)}, which allow administrators only: ${unknown}`)
  if (inherited.length > 0) leave(`the access lists of ${shortList(inherited)}: ${unknown}`)
}

/** As setup leaves a file that others could write to: with inherited entries only. */
function isInherited(sddl: string): boolean {
  const {entries = [], owner} = parseSddl(sddl) ?? {}
  return owner === 'BA' && entries.every(({flags}) => flags.includes('ID'))
}
