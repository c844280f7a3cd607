// A restart of the simulated host: every process ends, HNS forgets what does not outlive it, pending installations are
// completed, and the service manager starts what starts with Windows, each service once. What fails its start there is not
// started again by anything.
import type {Stage} from '../model.js'
import type {ServiceEntry, World} from '../world.js'
import {installContainers, SERVICING_PENDING} from './features.js'
import {dropNonPersistentNetworks} from './hns-networks.js'

/** Services of Windows itself run before any of these. */
const NOT_OURS = ['bfe', 'dhcp', 'mpssvc', 'rpcss', 'vmcompute']
const BIOS_MS = 60_000
/** Windows deletes these keys during the start. */
const PENDING_KEYS = [
  SERVICING_PENDING,
  String.raw`HKLM\SOFTWARE\Microsoft\Windows\CurrentVersion\WindowsUpdate\Auto Update\RebootRequired`,
]

export function reboot(world: World): void {
  const {os} = world
  os.time += BIOS_MS
  delete os.bootEnvironment
  delete os.program
  delete os.restarting
  if (os.features?.containers === 'pending') installContainers(world)
  for (const key of PENDING_KEYS) delete world.registry[key]
  dropNonPersistentNetworks({now: () => os.time, world} as Stage, true)
  world.docker.running = false
  world.containerd.running = false
  for (const container of world.docker.containers) container.state = 'exited'
  const entries = Object.values(world.services).filter(({name}) => !NOT_OURS.includes(name.toLowerCase()))
  for (const entry of entries) end(entry)
  // HNS starts on demand, and Docker demands it.
  for (const entry of entries) {
    if (entry.config.startType === 'automatic' || entry.name === 'hns') entry.restartAt = os.time + 1000
  }
}

function end(entry: ServiceEntry): void {
  Object.assign(entry, {exitCode: 0, failures: 0, processId: 0, restarts: 0, stage: '', state: 'stopped'})
  delete entry.process
  delete entry.listening
  delete entry.restartAt
  delete entry.stopAt
}
