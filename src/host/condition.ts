// The condition of this Windows: what waits for a restart, its processor, what it runs in, what guards it.
import {isMovedProgram} from '../config/layout.js'
import type {Win32} from '../machine/win32.js'
import {Win32Error} from '../machine/win32.js'

/** Both say by being there that Windows must be restarted; the other two are values. */
export const SERVICING_KEY = String.raw`SOFTWARE\Microsoft\Windows\CurrentVersion\Component Based Servicing\RebootPending`
const UPDATE_KEY = String.raw`SOFTWARE\Microsoft\Windows\CurrentVersion\WindowsUpdate\Auto Update\RebootRequired`
const SESSION_KEY = String.raw`SYSTEM\CurrentControlSet\Control\Session Manager`
const NAMES_KEY = String.raw`SYSTEM\CurrentControlSet\Control\ComputerName`

const BIOS_KEY = String.raw`HARDWARE\DESCRIPTION\System\BIOS`
/** Azure's guest agent leaves it; there the platform has set the network up for it. */
const AZURE_KEY = String.raw`SOFTWARE\Microsoft\Windows Azure`
const HNS_STATE_KEY = String.raw`SYSTEM\CurrentControlSet\Services\hns\State`
const FILE_SYSTEM_KEY = String.raw`SYSTEM\CurrentControlSet\Control\FileSystem`

const DEFENDER_SERVICE = 'WinDefend'
const DEFENDER_KEYS = [
  String.raw`SOFTWARE\Microsoft\Windows Defender`,
  String.raw`SOFTWARE\Policies\Microsoft\Windows Defender`,
]
const ERROR_ACCESS_DENIED = 5
/** How a path begins for Windows' kernel. Newer builds of Windows put a number before it: "*1\??\C:\..." (MicrosoftDocs/sysinternals#956). */
const NATIVE = /^(?:\*\d+)?\\\?\?\\/

export interface PendingRestart {
  /** A restart that Windows itself demands, or one that a program would like. */
  readonly demanded: boolean
  readonly reason: string
}

export interface Hardware {
  readonly azure: boolean
  /** Vendor and version: "Amazon EC2 1.0", "Xen 4.2.amazon". */
  readonly bios: string
  readonly manufacturer: string
  readonly product: string
}

export interface Condition {
  /** Folders that Defender excludes, lower-cased; undefined if it does not run or does not report them. */
  defenderExclusions(): Promise<readonly string[] | undefined>
  /** Set where a host would lose its address to the virtual switch (WMCO's guide for hosts of one's own). */
  deviceLessNicDisabled(): Promise<boolean>
  hardware(): Promise<Hardware>
  longPaths(): Promise<boolean>
  pendingRestarts(): Promise<readonly PendingRestart[]>
}

/** Programs of k8s-win that ran when they were deleted: no restart is required for them. Pairs, as MoveFileExW writes them. */
const isOwnDeletions = (renames: readonly string[]): boolean =>
  renames.every((path, index) =>
    index % 2 === 1 ? path === '' : NATIVE.test(path) && isMovedProgram(path.replace(NATIVE, '')),
  )

export function openCondition(win32: Win32): Condition {
  const text = async (key: string, name: string): Promise<string> => {
    const data = (await win32.registryValue('HKLM', key, name))?.data
    return typeof data === 'string' ? data : ''
  }
  const number = async (key: string, name: string): Promise<number> =>
    Number((await win32.registryValue('HKLM', key, name))?.data ?? 0)

  return {
    async defenderExclusions() {
      if ((await win32.queryServiceStatus(DEFENDER_SERVICE))?.state !== 'running') return undefined
      try {
        const found = await Promise.all(
          DEFENDER_KEYS.map((key) => win32.registryValues('HKLM', `${key}\\Exclusions\\Paths`)),
        )
        return found.flatMap((values) => Object.keys(values)).map((path) => path.toLowerCase())
      } catch (error) {
        // Windows may hide them, from administrators too (HideExclusionsFromLocalAdmins).
        if (error instanceof Win32Error && error.code === ERROR_ACCESS_DENIED) return undefined
        throw error
      }
    },
    deviceLessNicDisabled: async () => (await number(HNS_STATE_KEY, 'DeviceLessNicDisabled')) === 1,
    hardware: async () => ({
      azure: await win32.registryKeyExists('HKLM', AZURE_KEY),
      bios: `${await text(BIOS_KEY, 'BIOSVendor')} ${await text(BIOS_KEY, 'BIOSVersion')}`.trim(),
      manufacturer: await text(BIOS_KEY, 'SystemManufacturer'),
      product: await text(BIOS_KEY, 'SystemProductName'),
    }),
    longPaths: async () => (await number(FILE_SYSTEM_KEY, 'LongPathsEnabled')) === 1,
    async pendingRestarts() {
      const [servicing, update, renames, active, next] = await Promise.all([
        win32.registryKeyExists('HKLM', SERVICING_KEY),
        win32.registryKeyExists('HKLM', UPDATE_KEY),
        win32.registryValue('HKLM', SESSION_KEY, 'PendingFileRenameOperations'),
        text(`${NAMES_KEY}\\ActiveComputerName`, 'ComputerName'),
        text(`${NAMES_KEY}\\ComputerName`, 'ComputerName'),
      ])
      const isRenamed = active !== '' && next !== '' && active.toLowerCase() !== next.toLowerCase()
      const hasRenames = renames?.type === 'REG_MULTI_SZ' && !isOwnDeletions(renames.data)
      return [
        ...(servicing ? [{demanded: true, reason: 'the installation of a feature or update is incomplete'}] : []),
        ...(update ? [{demanded: true, reason: 'Windows Update requires it'}] : []),
        ...(isRenamed ? [{demanded: true, reason: `the computer's name changes from ${active} to ${next}`}] : []),
        ...(hasRenames ? [{demanded: false, reason: 'files are to be replaced'}] : []),
      ]
    },
  }
}
