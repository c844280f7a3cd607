// The twin of a host: a machine that begins as the host is, and on which everything can be tried. Nothing reaches the host
// but questions.
import type {Machine} from '../../machine/machine.js'
import {createSimulatedClock} from '../clock.js'
import {advanceDaemons} from '../daemons/index.js'
import {createEffects} from '../effects.js'
import {createHttp} from '../http.js'
import {createMemoryDrive} from '../memory-drive.js'
import type {DeclaredDigests} from '../mirror/digests.js'
import {standInDigest} from '../mirror/digests.js'
import type {Stage} from '../model.js'
import {createNet} from '../net.js'
import {recordedRun} from '../recorded.js'
import {withRunningPrograms} from '../running-programs.js'
import {watchFiles} from '../watched-files.js'
import type {World} from '../world.js'
import {createAdoption} from './adopt.js'
import {createTwinHttp} from './http.js'
import {type ProgramVersions, withKnownPrograms} from './known-programs.js'
import {createLearner} from './learn.js'
import {withMarkedLogs} from './marked-logs.js'
import {type ClusterSeed, seedCluster} from './seed-cluster.js'
import {seedWorld} from './seed.js'
import {createTwinSecurity} from './security.js'
import {createTwinWin32} from './win32.js'

export interface TwinOptions {
  readonly cluster: ClusterSeed
  /** Digests of what would be downloaded, by artifact: its stand-in answers with them. */
  readonly digests: DeclaredDigests
  readonly dockerPipe: string
  readonly programs: ProgramVersions
  /** Services that are looked at from the first, with what they depend on. */
  readonly services: readonly string[]
}

export interface Twin {
  readonly machine: Machine
  /** What is on it now, and what its daemons have made; to be looked at only. */
  readonly world: World
}

export async function openTwin(host: Machine, options: TwinOptions): Promise<Twin> {
  const world = await seedWorld(host, options.dockerPipe, await seedCluster(options.cluster))
  const clock = createSimulatedClock(world.os.time, () => goOn())
  const now = (): number => clock.now()
  const {digests: declared} = options
  const security = createTwinSecurity(host.win32, world.security)
  const overlay = createMemoryDrive({
    below: host.files,
    digestOf: (bytes, algorithm) =>
      standInDigest(bytes, algorithm, {believesDeclared: true, declared, downloads: world.downloads}),
    now,
    security,
  })
  const files = withMarkedLogs(withKnownPrograms(overlay, options.programs))
  const stage: Stage = {elapse: (ms) => clock.elapse(ms), files, now, world}
  const daemonStage: Stage = {...stage, elapse: () => Promise.reject(new Error('a daemon must not elapse time'))}
  let looking = Promise.resolve()
  const goOn = (): Promise<void> => {
    looking = looking.then(async () => {
      world.os.time = clock.now()
      await advanceDaemons(daemonStage)
    })
    return looking
  }

  const learner = createLearner(stage, host.win32, createAdoption(stage, host.http))
  for (const name of options.services) await learner.service(name)
  const effects = createEffects(stage, clock, goOn)
  const transcript = (): void => {}
  const model = createHttp({declared, effects, files: overlay, transcript})
  const seen = withRunningPrograms(
    watchFiles(overlay, clock, () => {}),
    clock,
    world,
  )
  const modelRun = recordedRun(effects, transcript)
  const ownNet = createNet(stage, effects)
  return {
    machine: {
      clock,
      files: seen,
      http: createTwinHttp({clock, host: host.http, model, stage}),
      net: {
        canConnect: (...args) => clock.whileBusy(() => host.net.canConnect(...args)),
        isPortFree: async (...args) =>
          (await ownNet.isPortFree(...args)) && (await clock.whileBusy(() => host.net.isPortFree(...args))),
        canSend: (...args) => clock.whileBusy(() => host.net.canSend(...args)),
      },
      run: (program, args, run) =>
        run.effect === 'read' ? clock.whileBusy(() => host.run(program, args, run)) : modelRun(program, args, run),
      simulated: true,
      win32: createTwinWin32({effects, files: seen, host: host.win32, learner, security, stage}),
    },
    world,
  }
}
