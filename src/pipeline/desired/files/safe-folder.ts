// Folders of daemons that only administrators may access, from their creation on; of one, what is inside is pods' too.
import {win32} from 'node:path'
import {KUBELET_PODS} from '../../../config/layout.js'
import {isAdministratorsFolder, isPodsFolder, othersWho, TO_LINK} from '../../../host/security/access.js'
import {ADMINISTRATORS_ONLY, AS_AT_THE_ROOT, FOR_PODS} from '../../../host/security/security.js'
import {drifted, type Finding, type StepContext, type StepId} from '../../run/step.js'
import {ensureFolder} from './file.js'

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
  if (finding.state === 'missing') return finding
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
