// The machine's environment variables, where Windows stores them. setx.exe cuts PATH at 1024 letters; the registry does not.
import type {Win32} from '../machine/win32.js'

export interface MachineEnvironment {
  addToPath(folder: string): Promise<void>
  get(name: string): Promise<string | undefined>
  isOnPath(folder: string): Promise<boolean>
  removeFromPath(folder: string): Promise<void>
  /** Undefined removes the variable. */
  set(name: string, value: string | undefined): Promise<void>
}

const KEY = String.raw`SYSTEM\CurrentControlSet\Control\Session Manager\Environment`

export function openEnvironment(win32: Win32): MachineEnvironment {
  const get = async (name: string): Promise<string | undefined> => {
    const value = await win32.registryValue('HKLM', KEY, name)
    return value && typeof value.data === 'string' ? value.data : undefined
  }

  const entries = async (): Promise<string[]> => ((await get('Path')) ?? '').split(';')

  // Written back as REG_EXPAND_SZ: the Path of Windows holds %SystemRoot%, which a REG_SZ would no longer expand.
  const writePath = async (folders: readonly string[]): Promise<void> => {
    await win32.setRegistryValue('HKLM', KEY, 'Path', {data: folders.join(';'), type: 'REG_EXPAND_SZ'})
    await win32.broadcastEnvironmentChange()
  }

  return {
    async addToPath(folder) {
      const folders = await entries()
      if (folders.some((entry) => sameFolder(entry, folder))) return
      await writePath([...folders.filter((entry, index) => entry !== '' || index < folders.length - 1), folder])
    },
    get,
    isOnPath: async (folder) => (await entries()).some((entry) => sameFolder(entry, folder)),
    async removeFromPath(folder) {
      const folders = await entries()
      const kept = folders.filter((entry) => !sameFolder(entry, folder))
      if (kept.length < folders.length) await writePath(kept)
    },
    async set(name, value) {
      if (value === undefined) await win32.deleteRegistryValue('HKLM', KEY, name)
      else await win32.setRegistryValue('HKLM', KEY, name, {data: value, type: 'REG_SZ'})
      await win32.broadcastEnvironmentChange()
    },
  }
}

const sameFolder = (a: string, b: string): boolean =>
  a.replace(/\\+$/, '').toLowerCase() === b.replace(/\\+$/, '').toLowerCase()
