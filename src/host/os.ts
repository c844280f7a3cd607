// Which Windows this is.
import {type Win32, Win32Error} from '../machine/win32.js'
import {ancestorsOf} from './launcher/detect.js'

export interface WindowsVersion {
  readonly build: number
  /** "Server", "Server Core", "Nano Server" or "Client"; empty if Windows does not report it. */
  readonly installation: string
  readonly productName: string
  /** The patch level: the fourth number. */
  readonly ubr: number
}

export interface OperatingSystem {
  /** Names of the programs above this process, the nearest first. */
  ancestors(): Promise<readonly string[]>
  computerName(): Promise<string>
  /** Windows deletes the file when it starts the next time. */
  deleteAtRestart(path: string): Promise<void>
  isAdministrator(): Promise<boolean>
  /** Of the firmware; undefined if it gives none. */
  systemUuid(): Promise<string | undefined>
  /** Undefined if the registry does not say. */
  version(): Promise<WindowsVersion | undefined>
}

const KEY = String.raw`SOFTWARE\Microsoft\Windows NT\CurrentVersion`

export function openOperatingSystem(win32: Win32): OperatingSystem {
  return {
    ancestors: () => ancestorsOf(win32),
    computerName: () => win32.computerName(),
    deleteAtRestart: (path) => win32.deleteAtRestart(path),
    isAdministrator: () => win32.isAdministrator(),
    systemUuid: () =>
      win32.systemUuid().catch((error: unknown) => {
        if (error instanceof Win32Error) return undefined
        throw error
      }),
    async version() {
      const [build, ubr, product, installation] = await Promise.all(
        ['CurrentBuild', 'UBR', 'ProductName', 'InstallationType'].map((name) =>
          win32.registryValue('HKLM', KEY, name),
        ),
      )
      const number = Number(build?.data)
      if (!build || !Number.isInteger(number)) return undefined
      return {
        build: number,
        installation: String(installation?.data ?? ''),
        productName: String(product?.data ?? 'Windows'),
        ubr: Number(ubr?.data ?? 0),
      }
    },
  }
}
