// The machine's environment variables, where Windows stores them. setx.exe cuts PATH at 1024 letters; the registry does not.
import {type Win32, Win32Error} from '../machine/win32.js'

export interface MachineEnvironment {
  /** Puts it there once: where it stands several times, the first place stays. */
  addToPath(folder: string): Promise<void>
  /** Notifies running programs; what changes something does so by itself. */
  announce(): Promise<void>
  get(name: string): Promise<string | undefined>
  isOnPath(folder: string): Promise<boolean>
  isOnPathOnce(folder: string): Promise<boolean>
  removeFromPath(folder: string): Promise<void>
  /** Undefined removes the variable. */
  set(name: string, value: string | undefined): Promise<void>
}

/** Of HKLM. */
export const MACHINE_ENVIRONMENT = String.raw`SYSTEM\CurrentControlSet\Control\Session Manager\Environment`

export function openEnvironment(win32: Win32): MachineEnvironment {
  const get = async (name: string): Promise<string | undefined> => {
    const value = await win32.registryValue('HKLM', MACHINE_ENVIRONMENT, name)
    return value && typeof value.data === 'string' ? value.data : undefined
  }

  const entries = async (): Promise<string[]> => ((await get('Path')) ?? '').split(';')

  /** Services read the registry when they start: programs that could not be notified are not a failure. */
  const announce = async (): Promise<void> => {
    try {
      await win32.broadcastEnvironmentChange()
    } catch (error) {
      if (!(error instanceof Win32Error)) throw error
    }
  }

  const write = async (name: string, data: string, type: 'REG_EXPAND_SZ' | 'REG_SZ'): Promise<void> => {
    await win32.setRegistryValue('HKLM', MACHINE_ENVIRONMENT, name, {data, type})
    await announce()
  }

  // In the type it has: the Path of Windows holds %SystemRoot%, which a REG_SZ would no longer expand.
  const writePath = async (folders: readonly string[]): Promise<void> => {
    const type = (await win32.registryValue('HKLM', MACHINE_ENVIRONMENT, 'Path'))?.type
    await write('Path', folders.join(';'), type === 'REG_SZ' ? type : 'REG_EXPAND_SZ')
  }

  return {
    async addToPath(folder) {
      const folders = await entries()
      const first = folders.findIndex((entry) => sameFolder(entry, folder))
      if (first !== -1) {
        const kept = folders.filter((entry, index) => index === first || !sameFolder(entry, folder))
        if (kept.length < folders.length) await writePath(kept)
        return
      }

      // A Path that ends in ";" still does when the folder is taken out again.
      const end = folders.at(-1) === '' ? folders.pop() : undefined
      await writePath([...folders, folder, ...(end === undefined || folders.length === 0 ? [] : [end])])
    },
    announce,
    get,
    isOnPath: async (folder) => (await entries()).some((entry) => sameFolder(entry, folder)),
    isOnPathOnce: async (folder) => (await entries()).filter((entry) => sameFolder(entry, folder)).length === 1,
    async removeFromPath(folder) {
      const folders = await entries()
      const kept = folders.filter((entry) => !sameFolder(entry, folder))
      if (kept.length < folders.length) await writePath(kept)
    },
    async set(name, value) {
      // As Windows' own dialog does: what holds a variable is expanded.
      if (value !== undefined) return write(name, value, /%[^%]+%/.test(value) ? 'REG_EXPAND_SZ' : 'REG_SZ')
      await win32.deleteRegistryValue('HKLM', MACHINE_ENVIRONMENT, name)
      await announce()
    },
  }
}

const sameFolder = (a: string, b: string): boolean =>
  a.replace(/(?<!\\)\\+$/, '').toLowerCase() === b.replace(/(?<!\\)\\+$/, '').toLowerCase()
