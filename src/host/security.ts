// Who may touch what we execute and read: SYSTEM and Administrators, nobody else.
import type {Win32} from '../machine/win32.js'

/** Owner Administrators; inheritance cut; full access for SYSTEM and Administrators, handed down to what is inside. */
export const ADMINISTRATORS_ONLY = 'O:BAD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)'
/** The same for a file. */
export const ADMINISTRATORS_ONLY_FILE = 'O:BAD:PAI(A;;FA;;;SY)(A;;FA;;;BA)'

export interface Security {
  of(path: string): Promise<string>
  /** Cuts inheritance and leaves SYSTEM and Administrators. */
  restrict(path: string, kind: 'file' | 'folder'): Promise<void>
  set(path: string, sddl: string): Promise<void>
}

export function openSecurity(win32: Win32): Security {
  return {
    of: (path) => win32.securityOf(path),
    restrict: (path, kind) =>
      win32.setSecurity(path, kind === 'folder' ? ADMINISTRATORS_ONLY : ADMINISTRATORS_ONLY_FILE),
    set: (path, sddl) => win32.setSecurity(path, sddl),
  }
}

const TRUSTED = new Set(['BA', 'S-1-5-18', 'S-1-5-32-544', 'SY'])

/** Owned by SYSTEM or Administrators, inheriting nothing, allowing nobody else anything. */
export function isAdministratorsOnly(sddl: string): boolean {
  // A list that is not understood to its end (conditional entries) is not taken for a safe one.
  const owner = /O:([A-Z]{2}|S-[\d-]+)/.exec(sddl)?.[1] ?? ''
  const dacl = /D:([A-Z]*)((?:\([^()]*\))*)(?:S:|$)/.exec(sddl)
  if (!TRUSTED.has(owner) || !dacl?.[1]?.includes('P')) return false
  const entries = [...(dacl[2] ?? '').matchAll(/\(([^)]*)\)/g)].map((match) => String(match[1]).split(';'))
  return entries.length > 0 && entries.every(([type, , , , , trustee]) => type === 'D' || TRUSTED.has(trustee ?? ''))
}
