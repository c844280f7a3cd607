// Windows paths of a lab machine as Linux sees them. Wine finds files in any case; Linux does not.
import {existsSync, readdirSync} from 'node:fs'
import path from 'node:path'

/** The file that is there in whatever case, and otherwise the name as given. */
export function hostPath(driveC: string, windowsPath: string): string {
  const {dir, base, root} = path.win32.parse(path.win32.normalize(windowsPath))
  if (root.toLowerCase() !== 'c:\\') throw new Error(`Not an absolute path on drive C: ${windowsPath}`)
  const names = path.win32.join(dir, base).slice(root.length).split('\\').filter(Boolean)
  return names.reduce((folder, name) => path.join(folder, nameThere(folder, name)), driveC)
}

function nameThere(folder: string, name: string): string {
  if (existsSync(path.join(folder, name)) || !existsSync(folder)) return name
  return readdirSync(folder).find((entry) => entry.toLowerCase() === name.toLowerCase()) ?? name
}
