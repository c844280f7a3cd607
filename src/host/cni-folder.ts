// The folder of CNI configurations. The kubelet, or containerd, takes its first file by name; a stray one before k8s-win's broke
// sig-windows-tools#128 and flannel#1437. Sources: libcni's ConfFiles (extensions compared with letter case, folders
// passed over), dockershim's getDefaultCNINetwork (sort.Strings: by bytes, so "Z.conf" comes before "cni.conf") and
// containerd's go-cni (opts.go, loadFromConfDir: the same, and one file only).
import {win32} from 'node:path'
import type {Decided, RuntimeName} from '../config/model.js'
import {foreignCniConfig, otherCniConfig} from '../errors/host.js'
import type {Files} from '../machine/files.js'

const EXTENSIONS = new Set(['.conf', '.conflist', '.json'])

/** Whether the kubelet reads a file of this name in its CNI configuration folder. */
export const isCniConfigName = (name: string): boolean => EXTENSIONS.has(win32.extname(`x${name}`))

/** The order of Go's sort.Strings. */
export const byBytes = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other))

/**
 * Who reads the folder. With containerd there must be no other file at all: the node is Ready as soon as containerd finds
 * one, so a file of later name would be used before k8s-win's is written.
 */
const READERS: Readonly<Record<RuntimeName, {readonly isAlone: boolean; readonly name: string}>> = {
  containerd: {isAlone: true, name: 'containerd'},
  docker: {isAlone: false, name: 'The kubelet'},
}

/** Throws where another file would be taken before k8s-win's. */
export async function demandOnlyCniConfig(
  files: Files,
  path: string,
  {containerd, runtime}: Pick<Decided, 'containerd' | 'runtime'>,
): Promise<void> {
  const [folder, own] = [win32.dirname(path), win32.basename(path)]
  const {isAlone, name: reader} = READERS[runtime]
  // Another spelling of its name is the same file to NTFS.
  const others = (await files.list(folder))
    .filter((name) => isCniConfigName(name) && name.toLowerCase() !== own.toLowerCase())
    .sort(byBytes)
  for (const file of others) {
    const isFirst = byBytes(file, own) < 0
    if (!isFirst && !isAlone) return
    if ((await files.status(win32.join(folder, file)))?.kind === 'directory') continue
    const error = isFirst ? foreignCniConfig({file, folder, reader}) : otherCniConfig({file, folder, own})
    const offer = ' Or run "k8s-win setup --adopt": it renames such files, and reset restores them.'
    throw containerd.isOurs ? error : error.with({fix: `${error.fix}${offer}`})
  }
}
