// Which Windows this is.
import type {Win32} from '../machine/win32.js'

export interface WindowsVersion {
  readonly build: number
  /** "Server", "Server Core", "Nano Server" or "Client"; empty if Windows does not report it. */
  readonly installation: string
  readonly productName: string
  /** The patch level: the fourth number. */
  readonly ubr: number
}

export interface OperatingSystem {
  computerName(): Promise<string>
  isAdministrator(): Promise<boolean>
  /** Undefined if the registry does not say. */
  version(): Promise<WindowsVersion | undefined>
}

const KEY = String.raw`SOFTWARE\Microsoft\Windows NT\CurrentVersion`

export function openOperatingSystem(win32: Win32): OperatingSystem {
  return {
    computerName: () => win32.computerName(),
    isAdministrator: () => win32.isAdministrator(),
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
