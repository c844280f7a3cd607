// Where Windows is installed, and its own programs there. Not every Windows is in C:\\Windows, and what a variable says
// of it anybody may have set; the registry's value only administrators can change.
import {win32 as windowsPath} from 'node:path'
import type {Win32} from './win32.js'

const KEY = String.raw`SOFTWARE\Microsoft\Windows NT\CurrentVersion`
const USUAL_ROOT = String.raw`C:\Windows`

export async function systemRoot(win32: Pick<Win32, 'registryValue'>): Promise<string> {
  const root = await win32.registryValue('HKLM', KEY, 'SystemRoot')
  return typeof root?.data === 'string' && /^[a-z]:\\/i.test(root.data) ? root.data : USUAL_ROOT
}

/** By its name with .exe. */
export async function systemProgram(win32: Pick<Win32, 'registryValue'>, name: string): Promise<string> {
  return windowsPath.join(await systemRoot(win32), 'System32', name)
}
