// The suite's rig on a real containerd: crictl's stand-in and the real ctr in place of the node's programs.
import {ANY_PIPE} from '../../fakes/any-pipe.js'
import {randomBytes} from 'node:crypto'
import {mkdirSync, writeFileSync} from 'node:fs'
import {dirname} from 'node:path'
import {layoutOf} from '../../../src/config/layout.js'
import {openContainerd} from '../../../src/host/containerd/containerd.js'
import {openRealMachine} from '../../../src/machine/real/index.js'
import type {Run} from '../../../src/machine/run.js'
import {type RegistryProxy, startRegistryProxy} from '../docker/registry-proxy.js'
import {type RealContainerd, startRealContainerd} from './engine.js'
import {archiveOf, makeIndex, pushIndex} from './images.js'
import {ARCHIVE, BASE_DIR, type ContainerdLab, type ContainerdRig, OS_VERSION, type Surroundings} from './rig.js'

export interface RealLab extends ContainerdLab {
  close(): Promise<void>
  readonly engine: RealContainerd
  /** As the node's programs are run, with paths of the node. */
  readonly run: Run
}

const FAULTS = {
  corrupt: 'corrupt',
  cut: 'short',
  'cut-once': 'cut-once',
  slow: 'silent',
  unreachable: undefined,
} as const
/** Nothing listens there: it is below the ports that are given away. */
export const NOBODY = '127.0.0.1:1'
const SMALL = Buffer.from('Windows')

export async function openRealLab(): Promise<RealLab> {
  const engine = await startRealContainerd()
  try {
    const archive = {layer: SMALL, os: 'linux', osVersion: OS_VERSION} as const
    writeFileSync(engine.onLinux(ARCHIVE.file), archiveOf(archive, ARCHIVE.image))
    const registry = await startRegistryProxy(engine.registry)
    const {clock, run: runHere} = openRealMachine({environment: {...engine.environment}})
    const {crictl, ctr} = layoutOf(BASE_DIR).containerd
    const run: Run = (program, args, {env = {}, ...options}) => {
      const here = args.map((arg) => engine.onLinux(arg))
      const variables = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, engine.onLinux(value)]))
      const changed = {...options, env: variables}
      if (program === crictl) return runHere(process.execPath, [engine.crictl, ...here], changed)
      if (program === ctr) return runHere(engine.ctr, here, changed)
      throw new Error(`${program} is not of this lab`)
    }
    let opened = 0
    return {
      async close() {
        await engine.close()
        await registry.close()
      },
      engine,
      open: (surroundings) => openRig({clock, engine, registry, repository: `case-${++opened}`, run}, surroundings),
      run,
    }
  } catch (error) {
    await engine.close()
    throw error
  }
}

interface Parts extends Pick<ContainerdRig, 'clock'> {
  readonly engine: RealContainerd
  readonly registry: RegistryProxy
  /** Of this case's images. */
  readonly repository: string
  readonly run: Run
}

async function openRig(
  {clock, engine, registry, repository, run}: Parts,
  {registry: fault}: Surroundings,
): Promise<ContainerdRig> {
  const containerd = openContainerd({clock, pipes: ANY_PIPE, run}, BASE_DIR)
  await fillRegistry(engine.registry, repository)
  registry.breakLayers(fault && FAULTS[fault])
  const path = `${fault === 'unreachable' ? NOBODY : registry.address}/${repository}`
  return {
    clock,
    /** The next case finds a daemon without images. */
    async close() {
      const ids = (await containerd.images()).map(({id}) => id)
      const {crictl, crictlConfig} = layoutOf(BASE_DIR).containerd
      const options = {deadlineMs: 30_000, effect: 'change'} as const
      if (ids.length > 0) await run(crictl, ['--config', crictlConfig, 'rmi', ...ids], options)
    },
    containerd,
    images: {
      base: `${path}/nanoserver:1809`,
      foreign: `${path}/nanoserver:ltsc2022`,
      missing: `${path}/nanoserver:ltsc2019`,
      other: `${path}/servercore:ltsc2019`,
    },
    startDaemon: engine.start,
    stopDaemon: (how) => engine.stop(how === 'crash' ? 'SIGKILL' : 'SIGTERM'),
    untilLoading: () => registry.nextLayer(),
    async write(file, content) {
      mkdirSync(dirname(engine.onLinux(file)), {recursive: true})
      // The registry of this lab speaks no TLS.
      writeFileSync(engine.onLinux(file), content.replaceAll('https://127.0.0.1', 'http://127.0.0.1'))
    },
  }
}

/**
 * Indexes with several versions of Windows. The layers of `base` are new ones every time: those of images that were removed
 * stay in the daemon's store for a while, and would not be asked for again.
 */
async function fillRegistry(registry: string, repository: string): Promise<void> {
  const versions = ['10.0.20348.288', '10.0.26100.1742']
  const foreign = versions.map((osVersion) => ({layer: SMALL, os: 'windows', osVersion}) as const)
  const own = {layer: randomBytes(1_000_000), os: 'linux', osVersion: OS_VERSION} as const
  await pushIndex(registry, `${repository}/nanoserver`, '1809', makeIndex([...foreign, own]))
  await pushIndex(registry, `${repository}/nanoserver`, 'ltsc2022', makeIndex(foreign))
  await pushIndex(registry, `${repository}/servercore`, 'ltsc2019', makeIndex([{...own, layer: SMALL}]))
}
