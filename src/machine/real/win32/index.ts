// All calls into Windows' libraries, behind the Win32 interface.
import type {Win32} from '../../win32.js'
import {openHns} from './hns.js'
import {lazyNative} from './library.js'
import {openNetwork} from './network.js'
import {openRegistry} from './registry.js'
import {openSecurity} from './security.js'
import {openServices} from './services.js'
import {openSession} from './session.js'

interface RealWin32 {
  oemCodePage(): Promise<number>
  readonly win32: Win32
}

export function openWin32(environment: NodeJS.ProcessEnv, platform: NodeJS.Platform): RealWin32 {
  const native = lazyNative(environment, platform)
  const {oemCodePage, ...session} = openSession(native)
  return {
    oemCodePage,
    win32: {
      ...openHns(native),
      ...openNetwork(native),
      ...openRegistry(native),
      ...openSecurity(native),
      ...openServices(native),
      ...session,
    },
  }
}
