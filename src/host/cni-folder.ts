// The folder of CNI configurations. The kubelet takes its first file by name; a stray one before k8s-win's broke
// sig-windows-tools#128 and flannel#1437. Sources: libcni's ConfFiles (extensions compared with letter case, folders
// passed over) and dockershim's getDefaultCNINetwork (sort.Strings: by bytes, so "Z.conf" comes before "cni.conf").
import {win32} from 'node:path'
import type {Files} from '../machine/files.js'

const EXTENSIONS = new Set(['.conf', '.conflist', '.json'])

/** Whether the kubelet reads a file of this name in its CNI configuration folder. */
export const isCniConfigName = (name: string): boolean => EXTENSIONS.has(win32.extname(`x${name}`))

/** The order of Go's sort.Strings. */
export const byBytes = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other))

/** The file that would be taken before `own`, if there is one. Another spelling of `own` is the same file to NTFS. */
export async function cniConfigBefore(files: Files, folder: string, own: string): Promise<string | undefined> {
  const earlier = (await files.list(folder))
    .filter((name) => isCniConfigName(name) && byBytes(name, own) < 0 && name.toLowerCase() !== own.toLowerCase())
    .sort(byBytes)
  for (const name of earlier) {
    if ((await files.status(win32.join(folder, name)))?.kind !== 'directory') return name
  }

  return undefined
}
