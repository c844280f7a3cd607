// The suite's rig on the simulator: the same requests, written to machine.json before the machine is opened.
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {openSimulator} from '../../../src/simulator/simulator.js'
import type {DownloadState, World} from '../../../src/simulator/world.js'
import type {DockerLab, DockerRig, Surroundings} from './rig.js'

const PAUSE_TEMPLATE = new URL('../../../templates/pause/Dockerfile', import.meta.url)
const PROFILE = 'ws2019'
const PATH = 'mirror.example:5000/windows'
const FAULTS: Readonly<Record<NonNullable<Surroundings['registry']>, DownloadState['fault']>> = {
  corrupt: 'wrong-bytes',
  cut: 'truncated',
  'cut-once': 'cut-once',
  // Each pull takes longer than the case's patience here.
  slow: undefined,
  unreachable: 'unreachable',
}

export const simulatedLab: DockerLab = {
  async open(surroundings): Promise<DockerRig> {
    const dir = mkdtempSync(join(tmpdir(), 'k8s-win-docker-'))
    await openSimulator({dir, profile: PROFILE})
    const path = join(dir, 'machine.json')
    const world = JSON.parse(readFileSync(path, 'utf8')) as World
    arrange(world, surroundings)
    writeFileSync(path, JSON.stringify(world))
    const {clock, http, win32} = await openSimulator({dir, profile: PROFILE})
    const settled = async (state: 'running' | 'stopped'): Promise<void> => {
      while ((await win32.queryServiceStatus('docker'))?.state !== state) await clock.sleep(100)
    }

    return {
      clock,
      async close() {
        rmSync(dir, {force: true, recursive: true})
      },
      http,
      images: imagesAt(PATH),
      pauseTemplate: readFileSync(PAUSE_TEMPLATE, 'utf8'),
      pipe: String.raw`\\.\pipe\docker_engine`,
      spoken: () => [...new Set(transcriptOf(dir).match(/(?<=\/\/docker\/v)\d+\.\d+/gu) ?? [])],
      async startEngine() {
        await win32.startService('docker')
        await settled('running')
      },
      async stopEngine() {
        await win32.stopService('docker')
        await settled('stopped')
      },
    }
  },
}

function arrange({docker, downloads}: World, {api, mode, registry}: Surroundings): void {
  Object.assign(docker, api, mode && {mode})
  const fault = registry && FAULTS[registry]
  if (fault) downloads[imagesAt(PATH).base] = {fault}
}

const imagesAt = (path: string): DockerRig['images'] => ({
  base: `${path}/nanoserver:1809`,
  foreign: `${path}/nanoserver:ltsc2022`,
  missing: `${path}/nanoserver:ltsc2019`,
  other: `${path}/servercore:ltsc2019`,
})

const transcriptOf = (dir: string): string => readFileSync(join(dir, 'transcript.ndjson'), 'utf8')
