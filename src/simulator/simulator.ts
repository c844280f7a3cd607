// The simulated Windows Server: a Machine whose whole outside world is a folder, or the memory of this process.
import type {Machine} from '../machine/machine.js'
import {createSimulatedClock} from './clock.js'
import {advanceDaemons} from './daemons/index.js'
import {createEffects} from './effects.js'
import {folderHost} from './host.js'
import {createHttp} from './http.js'
import {createMemoryDrive} from './memory-drive.js'
import type {MemoryHost} from './memory-host.js'
import type {DeclaredDigests} from './mirror/digests.js'
import {standInDigest} from './mirror/digests.js'
import type {Stage} from './model.js'
import {createNet} from './net.js'
import {profileNamed} from './profiles/index.js'
import {recordedRun, recordedWin32} from './recorded.js'
import {withRunningPrograms} from './running-programs.js'
import {openTranscript} from './transcript.js'
import {watchFiles} from './watched-files.js'
import {settleSwitch} from './windows/hns-networks.js'
import {createWin32} from './windows/win32.js'

export interface SimulatorOptions {
  /** What the user says of artifacts nobody pinned, by artifact: kubernetes, cni-plugins, flannel-cni, flanneld. */
  readonly declaredDigests?: DeclaredDigests
  /** The folder of machine.json, the drive and the transcript, made where there is none; or a host in memory. */
  readonly dir: MemoryHost | string
  readonly profile: string
  /** For who only looks: time passes and its daemons go on, but machine.json and the drive stay as they are. */
  readonly readOnly?: boolean
}

/** Rejects with an Error for people where the profile is unknown or machine.json is broken. */
export async function openSimulator(options: SimulatorOptions): Promise<Machine> {
  const {declaredDigests = {}, dir, profile, readOnly = false} = options
  const {fillDrive, makeWorld} = profileNamed(profile)
  const host = typeof dir === 'string' ? folderHost(dir) : dir
  const store = host.openStore(() => makeWorld(Date.now()))
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
  if (!store.existed) await fillDrive(kept, world)
  isFilled = true
  store.save()
  // After that: who only looks leaves machine.json as it is.
  settleSwitch(world)
  const save = readOnly ? (): void => {} : store.save
  // What the daemons write while somebody only looks is gone with the process.
  const drive = readOnly ? createMemoryDrive({below: kept, digestOf: () => undefined, now: () => clock.now()}) : kept

  const clock = createSimulatedClock(Math.max(world.os.time, Date.now()), () => goOn())
  const now = (): number => clock.now()
  const stage: Stage = {
    elapse: (ms) => clock.elapse(ms),
    files: drive,
    isLocked: (name) => host.isLocked(name),
    // What is only looked at is not changed: there the daemons write beside the drive.
    ...(!readOnly && {link: (path, target) => host.link(path, target)}),
    lock: async (name) => host.lock(name),
    now,
    world,
  }
  // One look around at a time; a daemon cannot let time pass, for time waits for it.
  const daemonStage: Stage = {...stage, elapse: () => Promise.reject(new Error('a daemon must not elapse time'))}
  let looking = Promise.resolve()
  const goOn = (): Promise<void> => {
    looking = looking.then(async () => {
      world.os.time = clock.now()
      await advanceDaemons(daemonStage)
      save()
    })
    return looking
  }

  world.os.time = clock.now()
  const effects = createEffects(stage, clock, goOn)
  const transcript = openTranscript(host, now)
  return {
    clock,
    files: withRunningPrograms(watchFiles(drive, clock, save), clock, world),
    http: createHttp({declared: declaredDigests, effects, files: drive, transcript}),
    net: createNet(stage, effects),
    run: recordedRun(effects, transcript),
    simulated: true,
    win32: recordedWin32(createWin32(stage), effects, transcript),
  }
}
