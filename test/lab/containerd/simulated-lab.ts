// The suite's rig on the simulator: containerd as setup installs it, with the stand-ins of its programs.
import {ANY_PIPE} from '../../fakes/any-pipe.js'
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join, win32 as windowsPath} from 'node:path'
import {containerdConfiguration, containerdService, crictlConfiguration} from '../../../src/components/containerd.js'
import {layoutOf} from '../../../src/config/layout.js'
import {openContainerd} from '../../../src/host/containerd/containerd.js'
import type {Machine} from '../../../src/machine/machine.js'
import {makeStandIn} from '../../../src/simulator/mirror/stand-in.js'
import {openSimulator} from '../../../src/simulator/simulator.js'
import type {DownloadState, World} from '../../../src/simulator/world.js'
import {serviceConfig} from '../../simulator/node.js'
import {BASE_DIR, type ContainerdLab, type ContainerdRig, SETTINGS, type Surroundings} from './rig.js'

const PROFILE = 'ws2019'
const PATH = 'mirror.example:5000/windows'
const VERSION = `v${SETTINGS.version.text}`
const FAULTS: Readonly<Record<NonNullable<Surroundings['registry']>, DownloadState['fault']>> = {
  corrupt: 'wrong-bytes',
  cut: 'truncated',
  'cut-once': 'cut-once',
  // Each pull takes longer than the case's patience here.
  slow: undefined,
  unreachable: 'unreachable',
}

export const simulatedLab: ContainerdLab = {
  async open({registry}): Promise<ContainerdRig> {
    const dir = mkdtempSync(join(tmpdir(), 'k8s-win-containerd-'))
    const fault = registry && FAULTS[registry]
    await openSimulator({dir, profile: PROFILE})
    const path = join(dir, 'machine.json')
    const world = JSON.parse(readFileSync(path, 'utf8')) as World
    if (fault) world.downloads[`${PATH}/nanoserver:1809`] = {fault}
    writeFileSync(path, JSON.stringify(world))
    const machine = await openSimulator({dir, profile: PROFILE})
    await install(machine)
    const {clock, run, win32} = machine
    const settled = async (state: 'running' | 'stopped'): Promise<void> => {
      while ((await win32.queryServiceStatus('containerd'))?.state !== state) await clock.sleep(100)
      // Under shawl the service runs before its program serves.
      if (state === 'running') await clock.sleep(5000)
    }
    const startDaemon = async (): Promise<void> => {
      await win32.startService('containerd')
      await settled('running')
    }

    await startDaemon()
    return {
      clock,
      async close() {
        rmSync(dir, {force: true, recursive: true})
      },
      containerd: openContainerd({clock, pipes: ANY_PIPE, run}, BASE_DIR),
      images: {
        base: `${PATH}/nanoserver:1809`,
        foreign: `${PATH}/nanoserver:ltsc2022`,
        missing: `${PATH}/nanoserver:ltsc2019`,
        other: `${PATH}/servercore:ltsc2019`,
      },
      startDaemon,
      async stopDaemon() {
        await win32.stopService('containerd')
        await settled('stopped')
      },
      untilLoading: () => clock.sleep(1000),
      write: (file, content) => write(machine, file, content),
    }
  },
}

async function install(machine: Machine): Promise<void> {
  const {containerd, shawl} = layoutOf(BASE_DIR)
  const written: readonly (readonly [string, Buffer | string])[] = [
    [containerd.program, makeStandIn({name: 'containerd', version: VERSION})],
    [containerd.ctr, makeStandIn({name: 'ctr', version: VERSION})],
    [containerd.crictl, makeStandIn({name: 'crictl', version: 'v1.36.0'})],
    [shawl, makeStandIn({name: 'shawl', version: 'v1.3.0'})],
    [containerd.config, containerdConfiguration(SETTINGS)],
    [containerd.crictlConfig, crictlConfiguration()],
  ]
  for (const [path, content] of written) await write(machine, path, content)
  const {command} = containerdService(SETTINGS, {})
  await machine.win32.createService('containerd', serviceConfig(command.join(' ')))
}

async function write({files}: Machine, path: string, content: Buffer | string): Promise<void> {
  await files.makeDirectory(windowsPath.dirname(path))
  await files.write(path, content)
}
