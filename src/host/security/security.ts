// Who may change what k8s-win runs and reads: only SYSTEM and Administrators.
import {win32} from 'node:path'
import type {Files} from '../../machine/files.js'
import type {SurveyedPath, SurveyPlace, Win32} from '../../machine/win32.js'

export {isAdministratorsOnly} from './access.js'

/** Owner Administrators; inheritance cut; full access for SYSTEM and Administrators, handed down to what is inside. */
export const ADMINISTRATORS_ONLY = 'O:BAD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)'
/** The same for a file. */
export const ADMINISTRATORS_ONLY_FILE = 'O:BAD:PAI(A;;FA;;;SY)(A;;FA;;;BA)'
/** Owner Administrators, and what the folder hands down: nothing of its own. */
export const AS_THE_FOLDER = 'O:BAD:AI'
/**
 * What a Windows Server gives to the root of its drive: others may list and add, and replace nothing. For folders above
 * those that k8s-win restricts, which other programs may use too.
 */
export const AS_AT_THE_ROOT =
  'O:BAD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;0x1200a9;;;BU)(A;CI;LC;;;BU)(A;CIIO;DC;;;BU)(A;OICIIO;GA;;;CO)'
/**
 * The same for what is inside only: no other account lists this folder, or adds to it. Processes in containers use the
 * volumes below as Users (kubernetes pkg/util/filesystem/util_windows.go); a local user would have to know the UID of a pod
 * (docs/security.md). Reading alone is not enough: an emptyDir is written.
 */
export const FOR_PODS =
  'O:BAD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICIIO;0x1200a9;;;BU)(A;CIIO;LC;;;BU)(A;CIIO;DC;;;BU)(A;OICIIO;GA;;;CO)'

export interface Security {
  /** SID of the account this process runs as. */
  account(): Promise<string>
  of(path: string): Promise<string>
  /** Cuts inheritance and leaves SYSTEM and Administrators. */
  restrict(path: string, kind: 'file' | 'folder'): Promise<void>
  set(path: string, sddl: string): Promise<void>
  /** Links are reported, not followed; what does not exist is omitted. */
  survey(places: readonly SurveyPlace[]): Promise<SurveyedPath[]>
}

export function openSecurity(win32: Win32): Security {
  return {
    account: () => win32.accountSid(),
    of: (path) => win32.securityOf(path),
    restrict: (path, kind) =>
      win32.setSecurity(path, kind === 'folder' ? ADMINISTRATORS_ONLY : ADMINISTRATORS_ONLY_FILE),
    set: (path, sddl) => win32.setSecurity(path, sddl),
    survey: (places) => win32.survey(places),
  }
}

/** True where neither the path nor anything above it is a link, a junction or a mount point. What is not there yet is none. */
export async function isPlainPath(files: Pick<Files, 'status'>, path: string): Promise<boolean> {
  const parent = win32.dirname(path)
  if (parent === path) return true
  return (await isPlainPath(files, parent)) && (await files.status(path))?.kind !== 'link'
}
