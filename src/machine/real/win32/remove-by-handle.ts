// Removes a file or a whole folder without ever going by a path that was judged before: another account may turn a folder
// into a junction in between, and k8s-win removes as SYSTEM. What is open stays the same, whatever its name means by then.
import path from 'node:path'
import {errorCode} from '../file-retry.js'
import type {FolderHandles} from './folder-handles.js'

export interface Removal {
  /** Nothing happens where there is nothing. */
  remove(file: string): Promise<void>
  /** False where something is in the folder, or where there is no such folder; a junction is none. */
  removeEmpty(folder: string): Promise<boolean>
}

export function removalBy(handles: FolderHandles): Removal {
  const using = async <T>(handle: bigint, work: (handle: bigint) => Promise<T>): Promise<T> => {
    try {
      return await work(handle)
    } finally {
      await handles.close(handle)
    }
  }

  /** From the drive's root down to the folder that has the last name; undefined where there is no such folder. */
  const inFolder = async <T>(
    file: string,
    work: (folder: bigint, name: Buffer) => Promise<T>,
  ): Promise<T | undefined> => {
    const [root, ...names] = partsOf(file)
    const last = names.pop()
    if (root === undefined || last === undefined) throw refusal('EPERM', file)
    const enter = async (parent: bigint | undefined, name: string, rest: readonly string[]): Promise<T | undefined> => {
      const opened = await handles.open(parent, utf16(name), 'parent')
      if (typeof opened !== 'bigint') return undefined
      return using(opened, async (folder) => {
        // No part of k8s-win's paths is one: setup refuses them (LINK_IN_THE_WAY).
        if (await handles.isReparsePoint(folder)) throw refusal('ELOOP', file)
        const [next, ...others] = rest
        return next === undefined ? work(folder, utf16(last)) : enter(folder, next, others)
      })
    }

    return enter(undefined, root, names)
  }

  /** One child that is in use does not keep the others; the first error is reported. */
  const removeFolder = async (folder: bigint): Promise<void> => {
    const errors: unknown[] = []
    for (const {isFolder, name} of (await handles.isReparsePoint(folder)) ? [] : await handles.list(folder)) {
      try {
        // The list is not believed, but decides how to open: what was replaced since is tried again by the caller.
        if (!(await removeAs(folder, name, isFolder))) throw refusal('EBUSY', name.toString('utf16le'))
      } catch (error) {
        errors.push(error)
      }
    }
    if (errors.length > 0) throw errors[0]
    await handles.delete(folder)
  }

  /** False where something of the other kind has this name. */
  const removeAs = async (parent: bigint, name: Buffer, isFolder: boolean): Promise<boolean> => {
    const opened = await handles.open(parent, name, isFolder ? 'folder' : 'file')
    if (typeof opened === 'bigint') await using(opened, isFolder ? removeFolder : handles.delete)
    return opened !== 'other-kind'
  }

  const deleteEmpty = async (folder: bigint): Promise<boolean> => {
    try {
      if (await handles.isReparsePoint(folder)) return false
      await handles.delete(folder)
      return true
    } catch (error) {
      if (errorCode(error) === 'ENOTEMPTY') return false
      throw error
    }
  }

  return {
    async remove(file) {
      await inFolder(file, async (parent, name) => {
        const isRemoved = (await removeAs(parent, name, true)) || (await removeAs(parent, name, false))
        if (!isRemoved) throw refusal('EBUSY', file)
      })
    },
    async removeEmpty(file) {
      const isRemoved = await inFolder(file, async (parent, name) => {
        const opened = await handles.open(parent, name, 'folder')
        return typeof opened === 'bigint' && using(opened, deleteEmpty)
      })
      return isRemoved ?? false
    },
  }
}

/** `C:\a\b` is `\??\C:\`, a, b; `\\server\share\a` is `\??\UNC\server\share\`, a. */
function partsOf(file: string): string[] {
  const absolute = path.win32.resolve(file)
  const {root} = path.win32.parse(absolute)
  const names = absolute.slice(root.length).split('\\').filter(Boolean)
  return [`\\??\\${root.replace(/^\\\\/, 'UNC\\')}`, ...names]
}

const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le')

/** In the shape of Node's own errors, as files.ts reports them. */
const refusal = (code: string, file: string): Error =>
  Object.assign(new Error(`${file} is not removed: ${code}`), {code, syscall: 'remove'})
