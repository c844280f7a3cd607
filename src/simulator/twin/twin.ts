// The twin of a host: a machine that starts as a copy of the host, on which changes are tried. The host is only read.
import {win32} from 'node:path'
import type {Machine} from '../../machine/machine.js'
import {DriveEntries} from '../drive-entries.js'
import {createEffects} from '../effects.js'
import {createOverlay} from '../overlay-drive.js'
import {modelledMachine} from '../modelled-machine.js'
import {type DeclaredDigests, standInDigest} from '../mirror/digests.js'
import type {World} from '../world.js'
import {type AskHealth, createAdoption} from './adopt.js'
import {createTwinHttp} from './http.js'
import {createLearner} from './learn.js'
import {type ClusterSeed, seedCluster} from './seed-cluster.js'
import {seedWorld} from './seed.js'
import type {CrictlFiles} from './seed-containerd.js'
import {createTwinSecurity} from './security.js'
import {createTwinWin32} from './win32.js'
import type {Files} from '../../machine/files.js'
import {makeStandIn, readStandIn} from '../mirror/stand-in.js'

/** Their answers come from the twin's own state, also where they only read: containerd may be installed on the twin only. */
const MODELLED = ['crictl', 'ctr']

export interface TwinOptions {
  readonly cluster: ClusterSeed
  /** On a node with containerd. */
  readonly containerd?: CrictlFiles
  /** Digests of what would be downloaded, by artifact; stand-ins answer with them. */
  readonly digests: DeclaredDigests
  readonly dockerPipe: string
  /** Whether a daemon that runs on the host is healthy. */
  readonly isHealthy: AskHealth
  readonly programs: ProgramVersions
  /** Services that are read from the start, with their dependencies. */
  readonly services: readonly string[]
}

export interface Twin {
  readonly machine: Machine
  /** Its state, including what its daemons created; read-only. */
  readonly world: World
}

export async function openTwin(host: Machine, options: TwinOptions): Promise<Twin> {
  const {unanswered, world} = await seedWorld(host, options, await seedCluster(options.cluster))
  const {digests: declared} = options
  const security = createTwinSecurity(host.win32, world.security)
  const entries = new DriveEntries()
  const overlay = createOverlay({
    below: host.files,
    entries,
    digestOf: (bytes, algorithm) =>
      standInDigest(bytes, algorithm, {believesDeclared: true, declared, downloads: world.downloads}),
    now: () => clock.now(),
    security,
  })
  const files = withMarkedLogs(withKnownPrograms(overlay, options.programs))
  const effects = createEffects(world.os.time, {files, world})
  const {clock, stage} = effects
  const learner = createLearner(stage, host.win32, createAdoption(stage, options.isHealthy))
  for (const name of options.services) await learner.service(name)
  const model = modelledMachine({declared, drive: overlay, effects, transcript: () => {}})
  return {
    machine: {
      ...model,
      http: createTwinHttp({askCluster: options.cluster.ask, clock, host: host.http, model: model.http, stage}),
      net: {
        canConnect: (...args) => clock.whileBusy(() => host.net.canConnect(...args)),
        isPortFree: async (...args) =>
          (await model.net.isPortFree(...args)) && (await clock.whileBusy(() => host.net.isPortFree(...args))),
        canSend: (...args) => clock.whileBusy(() => host.net.canSend(...args)),
      },
      async run(program, args, run) {
        const name = programName(program)
        if (run.effect === 'read' && !MODELLED.includes(name)) {
          return clock.whileBusy(() => host.run(program, args, run))
        }
        // It fails as on the host, unless it is replaced.
        if (unanswered && name === 'crictl' && entries.find(program).kind === 'below') return unanswered()
        return model.run(program, args, run)
      },
      win32: createTwinWin32({effects, files: model.files, host: host.win32, learner, model: model.win32, security}),
    },
    world,
  }
}

/** Versions by program, e.g. {kubelet: "v1.21.5"}. */
type ProgramVersions = Readonly<Record<string, string>>

/** The models identify a program by its stand-in; a real one has none, and a hundred megabytes. */
function withKnownPrograms(files: Files, versions: ProgramVersions): Files {
  return {
    ...files,
    async read(path) {
      if (!/\.exe$/i.test(path) || (await files.status(path))?.kind !== 'file') return files.read(path)
      const beginning = await firstChunk(files, path)
      const name = programName(path)
      const version = versions[name]
      return version === undefined || readStandIn(beginning) ? beginning : makeStandIn({name, version})
    },
  }
}

const programName = (path: string): string =>
  win32
    .basename(path)
    .toLowerCase()
    .replace(/\.exe$/, '')

async function firstChunk(files: Files, path: string): Promise<Buffer> {
  for await (const chunk of files.readChunks(path)) return Buffer.from(chunk)
  return Buffer.alloc(0)
}

const MARK = '(on the twin) '

/** Marks log lines of the twin's daemons, which do not exist on the host; the daemons append to logs only. */
function withMarkedLogs(files: Files): Files {
  return {...files, append: (path, text) => files.append(path, text.replaceAll(/^(?=.)/gm, MARK))}
}
