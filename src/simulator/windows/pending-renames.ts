// What Windows renames and deletes at its next start: pairs of paths in the registry, the second one empty for a deletion
// (learn.microsoft.com, MoveFileExW; Wine's dlls/kernelbase/file.c, add_boot_rename_entry).
import type {Files} from '../../machine/files.js'
import type {World} from '../world.js'
import {readRegistryValue, removeRegistryValue, writeRegistryValue} from './registry.js'

const SESSION_KEY = String.raw`HKLM\SYSTEM\CurrentControlSet\Control\Session Manager`
const RENAMES = 'PendingFileRenameOperations'
const NATIVE = '\\??\\'

function pendingRenames(world: World): readonly string[] {
  const value = readRegistryValue(world, SESSION_KEY, RENAMES)
  return value?.type === 'REG_MULTI_SZ' ? value.data : []
}

export function deleteAtRestart(world: World, path: string): void {
  const data = [...pendingRenames(world), `${NATIVE}${path}`, '']
  writeRegistryValue(world, SESSION_KEY, RENAMES, {data, type: 'REG_MULTI_SZ'})
}

/** The session manager does it before any program is started; what it cannot find it leaves out. */
export async function performPendingRenames(files: Files, world: World): Promise<void> {
  const data = pendingRenames(world)
  const plain = (path: string): string => path.replace(/^(?:\*\d+)?!?\\\?\?\\/, '')
  for (let index = 0; index < data.length; index += 2) {
    const [from = '', to = ''] = [data[index], data[index + 1]]
    if (!(await files.status(plain(from)))) continue
    await (to === '' ? files.remove(plain(from)) : files.rename(plain(from), plain(to)))
  }

  removeRegistryValue(world, SESSION_KEY, RENAMES)
}
