// How a run may end with its host: Windows is shut down, or the power goes; then Windows starts again.
import {openSimulator} from '../../src/simulator/simulator.js'
import {reboot} from '../boot/reboot.js'
import type {HostFolder} from '../steps/host-folder.js'

export type HostEnd = 'power' | 'shutdown'

/** So that the services that start with Windows have started, and pods that are gone are removed. */
const SETTLED_MS = 120_000

/** `lost`: how many of the calls that were not flushed go with the power; all of them if not given. */
export async function endHost(host: HostFolder, end: HostEnd, profile: string, lost = Infinity): Promise<void> {
  if (typeof host.dir === 'string') throw new TypeError('only a host in memory loses what was not flushed')
  if (end === 'power') host.dir.losePower(lost)
  host.edit((world) => {
    if (end === 'power') reboot(world)
    else world.os.restarting = true
  })
  await (await openSimulator({dir: host.dir, profile})).clock.sleep(SETTLED_MS)
}
