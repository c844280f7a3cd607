// Adapters and routes, and the way to put back what a virtual switch lost of them.
import type {Run} from '../machine/run.js'
import {type Adapter, type Route, type Win32, Win32Error} from '../machine/win32.js'
import {runNetsh} from './netsh.js'
import type {NetworkNow, Repair} from './saved-network.js'

export interface HostNetwork {
  adapters(): Promise<Adapter[]>
  /** "w3wp.exe (PID 4321)"; undefined where Windows does not say. */
  portOwner(protocol: 'tcp' | 'udp', port: number): Promise<string | undefined>
  now(): Promise<NetworkNow>
  /** Rejects where Windows refuses. */
  change(repair: Repair): Promise<void>
  routes(): Promise<Route[]>
}

export function openNetwork(run: Run, win32: Win32): HostNetwork {
  return {
    adapters: () => win32.adapters(),
    async now() {
      const [adapters, routes] = await Promise.all([win32.adapters(), win32.routes()])
      return {adapters, routes}
    },
    async portOwner(protocol, port) {
      try {
        const id = (await win32.portOwners(protocol, port))[0]?.processId
        return id === undefined ? undefined : await processName(win32, id)
      } catch (error) {
        if (error instanceof Win32Error) return undefined
        throw error
      }
    },
    async change({netsh, route}) {
      if (route && !route.persistent) return win32.createRoute(route)
      try {
        await runNetsh({run, win32}, ['interface', 'ipv4', ...netsh])
      } catch (error) {
        // A stored one of the same destination may be in its way.
        if (!route) throw error
        await win32.createRoute(route)
      }
    },
    routes: () => win32.routes(),
  }
}

/** "w3wp.exe (PID 4321)" */
export async function processName({processes}: Pick<Win32, 'processes'>, id: number): Promise<string> {
  const program = (await processes()).find((one) => one.id === id)
  return `${program?.name ?? 'a process that has ended'} (PID ${id})`
}
