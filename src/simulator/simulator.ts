// The simulated Windows Server: a Machine that is kept in a folder.
import {existsSync} from 'node:fs'
import type {Files} from '../machine/files.js'
import type {Machine} from '../machine/machine.js'
import {ADMIN_CERTIFICATE} from './cluster/certificates.js'
import {makeKubeconfig} from './cluster/kubeconfig.js'
import type {Speed} from './clock.js'
import {createEffects} from './effects.js'
import {folderHost, type HostStorage, unkeptHost} from './host.js'
import {createOverlay} from './overlay-drive.js'
import {modelledMachine} from './modelled-machine.js'
import {type DeclaredDigests, standInDigest} from './mirror/digests.js'
import {profileNamed} from './profiles/index.js'
import {openTranscript} from './transcript.js'
import {settleSwitch} from './windows/hns-networks.js'
import {storeAddedVariables} from './windows/registry.js'
import {performPendingRenames, reboot, shutDown} from './windows/restart.js'
import type {World} from './world.js'

/** From the start of Windows until programs can be started. */
const START_MS = 30_000

export interface SimulatorOptions {
  /** Digests that the user declares, by artifact: kubernetes, cni-plugins, flannel-cni, flanneld. */
  readonly declaredDigests?: DeclaredDigests
  /** The folder of machine.json, the drive and the transcript, created if missing; or where else the host is kept. */
  readonly dir: HostStorage | string
  /** Changes the host before anything finds it. */
  readonly prepare?: (host: {readonly files: Files; readonly isNew: boolean; readonly world: World}) => Promise<void>
  readonly profile: string
  /**
   * Time passes and the daemons advance, but machine.json and the drive stay unchanged, and a folder that does not exist is
   * not created.
   */
  readonly readOnly?: boolean
  /** Time jumps, unless given. */
  readonly speed?: Speed
}

/** Rejects with an Error for users if the profile is unknown or machine.json is invalid. */
export async function openSimulator(options: SimulatorOptions): Promise<Machine> {
  const {declaredDigests = {}, dir, prepare, profile, readOnly = false, speed} = options
  const {fillDrive, makeWorld} = profileNamed(profile)
  const openHost = readOnly && typeof dir === 'string' && !existsSync(dir) ? unkeptHost : folderHost
  const host: HostStorage = typeof dir === 'string' ? openHost(dir) : dir
  const {bornAt = Date.now()} = host
  const store = host.openStore(() => makeWorld(bornAt), readOnly)
  const {world} = store
  if (world.os.profile !== profile) {
    throw new Error(
      `${host.name} holds a simulated ${world.os.profile}, not ${profile}: name another folder, or remove this one`,
    )
  }

  let isFilled = store.existed
  const kept = host.openDrive({
    digestOf: (bytes, algorithm) =>
      standInDigest(bytes, algorithm, {declared: declaredDigests, downloads: world.downloads}),
    keep: () => isFilled && store.save(),
    security: () => world.security,
  })
  if (!store.existed) {
    await fillDrive(kept, world)
    host.addFile?.(
      'admin.kubeconfig',
      makeKubeconfig(world.cluster.serverURL, ADMIN_CERTIFICATE, world.cluster.version),
    )
  }

  storeAddedVariables(world)
  await prepare?.({files: kept, isNew: !store.existed, world})
  isFilled = true
  store.save()
  // After that: a read-only opener leaves machine.json unchanged.
  settleSwitch(world)
  const isRestarted = world.os.restarting === true
  const save = readOnly ? (): void => {} : store.save
  // What the daemons write meanwhile is lost with the process.
  const now = (): number => clock.now()
  const drive = readOnly ? createOverlay({below: kept, digestOf: () => undefined, now}) : kept
  if (isRestarted) {
    await shutDown({elapse: async () => {}, files: drive, now: () => world.os.time, world})
    reboot(world)
    await performPendingRenames(drive, world)
  }

  // A host of a test has only its own time: one that is slow finds it as a quick one does.
  const hasOwnTime = store.existed && typeof dir !== 'string'
  const effects = createEffects(
    hasOwnTime ? world.os.time : Math.max(world.os.time, bornAt),
    {
      files: drive,
      isLocked: (name) => host.isLocked(name),
      // On a host that stays unchanged the daemons write beside the drive.
      ...(!readOnly && {link: (path: string, target: string) => host.link(path, target)}),
      lock: async (name) => host.lock(name),
      world,
    },
    (isChanged) => {
      if (isChanged) save()
      // The registry is a file of the same drive: where it was flushed with a service, so was what came before (flush-order).
      if (!readOnly) host.flush?.()
    },
    speed,
  )
  const {clock, stage} = effects
  // The services that start with Windows are running by then.
  if (isRestarted) await clock.sleep(START_MS)
  return modelledMachine({declared: declaredDigests, drive, effects, save, transcript: openTranscript(host, stage.now)})
}
