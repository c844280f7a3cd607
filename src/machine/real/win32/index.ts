// All calls into Windows' libraries, behind the Win32 interface.
import type {Win32} from '../../win32.js'
import {openEvents} from './events.js'
import {openFirmware} from './firmware.js'
import {openFolderHandles} from './folder-handles.js'
import {openHns} from './hns.js'
import {openLayers} from './layers.js'
import {lazyNative} from './library.js'
import {openMutex} from './mutex.js'
import {openNetwork} from './network.js'
import {openPipes} from './pipes.js'
import {openPortOwners} from './port-owners.js'
import {openProcesses} from './processes.js'
import {openRegistry} from './registry.js'
import {type Removal, removalBy} from './remove-by-handle.js'
import {openRestart} from './restart.js'
import {openResources} from './resources.js'
import {openSecuredFiles} from './secured-files.js'
import type {SecuredFiles} from './secured-files.js'
import {openSecurity} from './security.js'
import {openServices} from './services/services.js'
import {openSession} from './session.js'

interface RealWin32 {
  oemCodePage(): Promise<number>
  /** These two are undefined where this is no Windows: Node's own calls are all there is. */
  readonly removal: Removal | undefined
  readonly securedFiles: SecuredFiles | undefined
  /** Where Windows keeps its own programs and libraries. They are named from here, never looked up in PATH. */
  systemFolder(): Promise<string>
  readonly win32: Omit<Win32, 'survey'>
}

export function openWin32(platform: NodeJS.Platform): RealWin32 {
  const native = lazyNative(platform)
  const {oemCodePage, ...session} = openSession(native)
  const registry = openRegistry(native)
  return {
    oemCodePage,
    removal: platform === 'win32' ? removalBy(openFolderHandles(native)) : undefined,
    securedFiles: platform === 'win32' ? openSecuredFiles(native) : undefined,
    systemFolder: async () => (await native()).systemFolder,
    win32: {
      ...openEvents(native),
      ...openFirmware(native),
      ...openHns(native),
      ...openLayers(native),
      ...openMutex(native),
      ...openNetwork(native, registry),
      ...openPipes(native),
      ...openPortOwners(native),
      ...openProcesses(native),
      ...registry,
      ...openResources(native),
      ...openRestart(native),
      ...openSecurity(native),
      ...openServices(native),
      ...session,
    },
  }
}
