// Which folders may be the base directory. Setup changes its access list, so it must not be one Windows lives in.
import {win32} from 'node:path'
import {isPassable} from '../machine/passable.js'

const RESERVED = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i
/** A program's path in a command line has at most 259 letters (CreateProcessW, MAX_PATH); this one comes on top. */
const LONGEST = 259 - String.raw`\kubernetes\node\bin\kube-proxy.exe`.length
const WINDOWS_OWN = new Set(['program files', 'program files (x86)', 'programdata', 'users', 'windows'])

/** The folder in its normal spelling (C:\k), or why it cannot be used. */
export function normalizeBaseDir(given: string): {readonly path: string} | {readonly problem: string} {
  if (/^[/\\]{2}/.test(given))
    return {problem: 'A UNC path is not on a local drive; services run from there do not start.'}
  if (!/^[a-z]:[/\\]/i.test(given)) return {problem: 'It is a relative path, and nobody knows relative to what.'}
  const normal = win32.normalize(given).replace(/\\+$/, '')
  const path = normal.slice(0, 1).toUpperCase() + normal.slice(1)
  const parts = path.split('\\').slice(1)
  const first = parts[0]?.toLowerCase() ?? ''
  if (parts.length === 0) return {problem: "It is a drive's root, whose access list must not be changed."}
  if (first === 'windows' || (WINDOWS_OWN.has(first) && parts.length === 1)) {
    return {problem: "It is a folder of Windows' own, whose access list must not be changed."}
  }

  if (/[%,;]/.test(path)) {
    return {problem: 'It has "%", "," or ";" in it: PATH, the service manager and the kubelet would take it apart.'}
  }

  const bad = parts.find((part) => !isFolderName(part))
  if (bad !== undefined) return {problem: `Windows has no folder named "${bad}".`}
  if (path.length <= LONGEST) return {path}
  return {problem: `It has ${path.length} letters: with more than ${LONGEST} Windows starts no service from there.`}
}

function isFolderName(name: string): boolean {
  // eslint-disable-next-line no-control-regex -- Windows forbids control characters in names
  const forbidden = /[\u0000-\u001F"*:<>?|]/
  return name.length <= 255 && isPassable(name) && !forbidden.test(name) && !/[ .]$/.test(name) && !RESERVED.test(name)
}
