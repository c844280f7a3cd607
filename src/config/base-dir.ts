// Which folders may be the base directory. Setup changes its access list, so it must not be one Windows lives in.
import {win32} from 'node:path'
import {isPassable} from '../machine/run.js'
import {layoutOf} from './layout.js'
import {DAEMON_PLACES} from './places.js'

/**
 * Names of devices, which Windows finds in every folder (learn.microsoft.com, "Naming Files, Paths, and Namespaces"): also
 * with an extension, with spaces before it, and with the digits of ISO 8859-1, superscript ¹, ² and ³
 */
export const RESERVED = /^(?:con(?:in\$|out\$)?|prn|aux|nul|(?:com|lpt)[\d¹²³])\s*(?:[.:]|$)/i
/** A program's path in a command line has at most 259 letters (CreateProcessW, MAX_PATH); this one is the longest. */
const LONGEST = 259 - `\\${layoutOf('').containerd.shim}`.length
/** With all that is in them. */
const WINDOWS_OWN = ['$extend', '$recycle.bin', 'boot', 'recovery', 'system volume information', 'windows']
/** Shared folders: a base directory may be inside. */
const SHARED = ['documents and settings', 'program files', 'program files (x86)', 'programdata', 'users']
const DOCKERS_OWN = [String.raw`program files\docker`, String.raw`programdata\docker`]
/** Folders of the daemons and their parents, which have their own access lists. */
const DAEMONS_OWN = DAEMON_PLACES.map(({path}) => path.toLowerCase())

/** The folder in its normal spelling (C:\k), or why it cannot be used. */
export function normalizeBaseDir(given: string): {readonly path: string} | {readonly problem: string} {
  if (/^[/\\]{2}/.test(given))
    return {problem: 'A UNC path is not on a local drive; services run from there do not start.'}
  if (given.trim() === '') return {problem: 'It is empty.'}
  if (!/^[a-z]:[/\\]/i.test(given)) return {problem: 'It is a relative path.'}
  const normal = win32.normalize(given).replace(/(?<!\\)\\+$/, '')
  const path = normal.slice(0, 1).toUpperCase() + normal.slice(1)
  const parts = path.split('\\').slice(1)
  if (parts.length === 0) return {problem: "It is a drive's root, whose access list must not be changed."}
  const short = parts.find((part) => /~\d/.test(part))
  if (short !== undefined) return {problem: `"${short}" may be a short name for another folder; give the long name.`}
  const owner = ownerOf(path.toLowerCase())
  if (owner !== undefined) {
    return {problem: `It is a folder of ${owner} own, whose access list must not be changed.`}
  }

  if (/[%,;]/.test(path)) {
    return {problem: 'It has "%", "," or ";" in it: PATH, the service manager and the kubelet would split it.'}
  }

  const bad = parts.find((part) => !isFolderName(part))
  if (bad !== undefined) return {problem: `Windows has no folder named "${bad}".`}
  if (path.length <= LONGEST) return {path}
  return {problem: `It has ${path.length} letters: with more than ${LONGEST} Windows starts no program from there.`}
}

/** Whose folder it is, if it cannot be the base directory. Windows and Docker may be on any drive, the daemons' folders are on C. */
function ownerOf(path: string): string | undefined {
  const onDrive = path.slice(3)
  if (isOfWindows(path)) return "Windows'"
  if (DOCKERS_OWN.some((folder) => isWithin(onDrive, folder))) return "Docker's"
  if (DAEMONS_OWN.some((folder) => isWithin(path, folder) || isWithin(folder, path))) return "the node's daemons'"
  return undefined
}

/** Windows has it on every host. `path`: in lower case. */
export function isOfWindows(path: string): boolean {
  const onDrive = path.slice(3)
  return SHARED.includes(onDrive) || WINDOWS_OWN.some((folder) => isWithin(onDrive, folder))
}

/** Is it that folder, or anything in it? Both in one spelling. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}\\`)
}

function isFolderName(name: string): boolean {
  // eslint-disable-next-line no-control-regex -- Windows forbids control characters in names
  const forbidden = /[\u0000-\u001F"*:<>?|]/
  return name.length <= 255 && isPassable(name) && !forbidden.test(name) && !/[ .]$/.test(name) && !RESERVED.test(name)
}
