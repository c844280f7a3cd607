// A node whose own containerd nothing can restore: no programs, no kept downloads, no cluster, and layers that are left.
import {win32} from 'node:path'
import {interceptMachine} from '../../src/machine/intercept.js'
import {HttpError} from '../../src/machine/http.js'
import type {Machine} from '../../src/machine/machine.js'
import {Win32Error} from '../../src/machine/win32.js'
import type {HostFolder} from '../steps/host-folder.js'
import type {SetUpHost} from './set-up-host.js'

export const PROGRAMS = String.raw`C:\k\containerd\bin`
export const SNAPSHOTS = String.raw`C:\ProgramData\containerd\root\io.containerd.snapshotter.v1.windows\snapshots`

export function brokenContainerd({copy}: SetUpHost): HostFolder {
  const host = copy()
  for (const name of ['containerd.exe', 'crictl.exe', 'ctr.exe']) host.remove(win32.join(PROGRAMS.slice(3), name))
  host.remove(String.raw`k\downloads`)
  for (const name of ['1', '2']) host.makeFolder(win32.join(SNAPSHOTS.slice(3), name))
  host.edit(({cluster}) => (cluster.reachable = false))
  return host
}

/** `seen`: what was ended and destroyed. `refused`: by Windows. */
export const offline =
  (seen: string[] = [], refused?: string) =>
  (machine: Machine): Machine =>
    interceptMachine(machine, async ({args, what}, perform) => {
      if (what.endsWith('DOWNLOAD'))
        throw new HttpError('https://github.com/', 'ENOTFOUND', 'getaddrinfo ENOTFOUND github.com')
      if (what === 'destroyLayer' || what === 'endProgram') seen.push(`${what} ${args.join(' ')}`)
      if (what === refused) throw new Win32Error(what, 5, 'it')
      return perform()
    })
