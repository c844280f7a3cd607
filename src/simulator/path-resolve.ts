// Where a Windows path lies on the simulated drive: names compare without case, as on NTFS, whatever the host's disk does.
import {lstatSync, readdirSync} from 'node:fs'
import {join, win32} from 'node:path'

import {FileError} from '../machine/files.js'

/** What NTFS and Win32 do not take in a name: https://learn.microsoft.com/windows/win32/fileio/naming-a-file. */
// eslint-disable-next-line no-control-regex
const FORBIDDEN = /[<>:"|?*\u0000-\u001F]|[. ]$/

export interface Place {
  /** The path with the case people gave it, without `\\?\`. */
  readonly given: string
  /** The real path: names that exist have their own case, the others the one given. */
  readonly real: string
}

/** The names below the drive's root. Undefined for a path without a drive letter: a file of the machine we run on. */
export function namesOnDrive(operation: string, path: string): {given: string; names: string[]} | undefined {
  const plain = path.startsWith('\\\\?\\') ? path.slice(4) : path
  if (/^[\\/]{2}/.test(plain)) throw new FileError(operation, path, 'ENOENT')
  if (!/^[A-Za-z]:/.test(plain)) return undefined
  // "c:name" is relative to a current folder of the drive, which nobody has here.
  if (!win32.isAbsolute(plain)) throw new FileError(operation, path, 'EINVAL')
  if (!/^c:/i.test(plain)) throw new FileError(operation, path, 'ENOENT')

  const given = win32.normalize(plain)
  const names = given.slice(3).split('\\').filter(Boolean)
  if (names.some((name) => FORBIDDEN.test(name))) throw new FileError(operation, path, 'EINVAL')
  return {given, names}
}

/** Undefined for a path without a drive letter. */
export function resolveOnDrive(root: string, operation: string, path: string): Place | undefined {
  const found = namesOnDrive(operation, path)
  if (!found) return undefined
  const {given, names} = found
  // Most paths are spelled as their files are named, and one question is cheaper than a listing of each folder.
  const asGiven = join(root, ...names)
  if (lstatSync(asGiven, {throwIfNoEntry: false}) !== undefined) return {given, real: asGiven}
  let real = root
  for (const [index, name] of names.entries()) {
    const found = nameInFolder(real, name)
    // Under what is not there, nothing is.
    if (found === undefined) return {given, real: join(real, ...names.slice(index))}
    real = join(real, found)
  }

  return {given, real}
}

/** The name an entry really has, or undefined where there is none. */
function nameInFolder(folder: string, name: string): string | undefined {
  const names = namesIn(folder)
  const wanted = name.toUpperCase()
  return names.find((one) => one === name) ?? names.find((one) => one.toUpperCase() === wanted)
}

/** Without waiting: a path has many folders, a run thousands of paths, and a turn of the event loop costs more than a look. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
