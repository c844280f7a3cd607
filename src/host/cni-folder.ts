// The folder of CNI configurations. The kubelet takes its first file by name; a stray one before ours broke
// sig-windows-tools#128 and flannel#1437.
import type {Files} from '../machine/files.js'

/** The file that would be taken before `ours`, if there is one. */
export async function cniConfigBefore(files: Files, folder: string, ours: string): Promise<string | undefined> {
  const names = (await files.list(folder)).filter((name) => /\.(conf|conflist|json)$/i.test(name))
  return names.find((name) => name.toLowerCase() < ours.toLowerCase())
}
