// A restart of the simulated host. Windows sends every service its control, and every process with a console
// CTRL_SHUTDOWN_EVENT (learn.microsoft.com, HandlerRoutine); what still runs after 5 s is ended (WaitToKillServiceTimeout).
// Programs of users, and k8s-win among them, just end: libuv does not report that event (src/win/signal.c). Then HNS has
// forgotten what does not outlive it, pending installations, renames and deletions are performed, and the service manager
// starts what starts with Windows, each service once. What fails its start there is not started again by anything.
import type {Stage} from '../model.js'
import type {ServiceEntry, World} from '../world.js'
import {installContainers, SERVICING_PENDING} from './features.js'
import {dropNonPersistentNetworks} from './hns-networks.js'
import {closeContainerd, endShims} from '../containerd/lifetime.js'
import {daemonOf} from '../daemons/begin.js'
import {serviceDaemon} from '../daemons/daemon.js'
import {logEvent} from './events.js'
import type {Files} from '../../machine/files.js'
import {readRegistryValue, removeRegistryValue, writeRegistryValue} from './registry.js'

/** Services of Windows itself run before any of these. */
const NOT_OURS = ['bfe', 'dhcp', 'mpssvc', 'rpcss', 'vmcompute']
const BIOS_MS = 60_000
/** ERROR_SERVICE_NEVER_STARTED: "No attempts to start the service have been made since the last boot." */
const NEVER_STARTED = 1077
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
  // Of routes by hand the persistent ones are left; DHCP and the addresses bring theirs (learn.microsoft.com, "route", /p).
  world.routes = world.routes.filter(({origin, persistent}) => origin !== 'manual' || persistent)
  dropNonPersistentNetworks({now: () => os.time, world} as Stage, true)
  world.docker.running = false
  world.containerd.running = false
  endShims(world.containerd)
  for (const container of world.docker.containers) container.state = 'exited'
  const entries = Object.values(world.services).filter(({name}) => !NOT_OURS.includes(name.toLowerCase()))
  for (const entry of entries) end(entry)
  // HNS starts on demand, and Docker demands it.
  for (const entry of entries) {
    if (entry.config.startType === 'automatic' || entry.name === 'hns') entry.restartAt = os.time + 1000
  }
}

function end(entry: ServiceEntry): void {
  Object.assign(entry, {exitCode: NEVER_STARTED, failures: 0, processId: 0, restarts: 0, stage: '', state: 'stopped'})
  delete entry.failureFlagAtBoot
  if (entry.config.failureFlag) entry.failureFlagAtBoot = true
  delete entry.process
  delete entry.listening
  delete entry.restartAt
  delete entry.stopAt
}

export async function shutDown(stage: Stage): Promise<void> {
  const {world} = stage
  for (const entry of Object.values(world.services)) {
    const daemon = daemonOf(entry)
    if (entry.state !== 'running' || !entry.process || !daemon) continue
    const crash = await daemon.shutDown?.(serviceDaemon(stage, entry, entry.process))
    closeContainerd(world, entry, crash === undefined)
    if (crash !== undefined) reportCrash(world, entry, crash, stage.now())
  }
}

/** As Windows Error Reporting writes it: the program, its version, and the exception. */
function reportCrash(world: World, {process}: ServiceEntry, exception: string, at: number): void {
  const version = process?.standIn?.version.replace('v', '') ?? ''
  const program = process?.program.split('\\').at(-1) ?? ''
  logEvent(world, {at, data: [program, version, exception], id: 1000, level: 2, provider: 'Application Error'})
}

// What Windows renames and deletes at its next start: pairs of paths in the registry, the second one empty for a deletion
// (learn.microsoft.com, MoveFileExW; Wine's dlls/kernelbase/file.c, add_boot_rename_entry).
const SESSION_KEY = String.raw`HKLM\SYSTEM\CurrentControlSet\Control\Session Manager`
const RENAMES = 'PendingFileRenameOperations'
const NATIVE = '\\??\\'

function pendingRenames(world: World): readonly string[] {
  const value = readRegistryValue(world, SESSION_KEY, RENAMES)
  return value?.type === 'REG_MULTI_SZ' ? value.data : []
}

export function deleteAtRestart(world: World, path: string): void {
  const data = [...pendingRenames(world), `${NATIVE}${path}`, '']
  writeRegistryValue(world, SESSION_KEY, RENAMES, {data, type: 'REG_MULTI_SZ'})
}

/** The session manager does it before any program is started; what it cannot find it leaves out. */
export async function performPendingRenames(files: Files, world: World): Promise<void> {
  const data = pendingRenames(world)
  const plain = (path: string): string => path.replace(/^(?:\*\d+)?!?\\\?\?\\/, '')
  for (let index = 0; index < data.length; index += 2) {
    const [from = '', to = ''] = [data[index], data[index + 1]]
    if (!(await files.status(plain(from)))) continue
    await (to === '' ? files.remove(plain(from)) : files.rename(plain(from), plain(to)))
  }

  removeRegistryValue(world, SESSION_KEY, RENAMES)
}
