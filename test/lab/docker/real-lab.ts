// The suite's rig on the real engine: images in a real registry, broken by a proxy where a case wants it.
import {randomBytes} from 'node:crypto'
import {readFileSync} from 'node:fs'
import {join} from 'node:path'
import {openRealMachine} from '../../../src/machine/real/index.js'
import type {DockerLab, DockerRig, Surroundings} from './rig.js'
import {type RealEngine, startRealEngine} from './engine.js'
import {startEngineProxy} from './engine-proxy.js'
import {pushForeignImage, pushImage} from './images.js'
import {compileStatic} from './programs.js'
import {type RegistryProxy, startRegistryProxy} from './registry-proxy.js'

export interface RealLab extends DockerLab {
  close(): Promise<void>
  readonly engine: RealEngine
}

const PAUSE_TEMPLATE = new URL('../../../templates/pause/Dockerfile', import.meta.url)
const FAULTS = {corrupt: 'corrupt', cut: 'cut', 'cut-once': 'cut-once', slow: 'silent', unreachable: undefined} as const
/** Nobody listens there: it is below the ports that are given away. */
const NOBODY = '127.0.0.1:1'

export async function openRealLab(): Promise<RealLab> {
  const engine = await startRealEngine()
  try {
    await fillRegistry(engine)
    const registry = await startRegistryProxy(engine.registry)
    let opened = 0
    return {
      async close() {
        await engine.close()
        await registry.close()
      },
      engine,
      open: (surroundings) => openRig(engine, registry, surroundings, `proxy-${++opened}.sock`),
    }
  } catch (error) {
    await engine.close()
    throw error
  }
}

async function openRig(
  engine: RealEngine,
  registry: RegistryProxy,
  {api, mode, registry: fault}: Surroundings,
  name: string,
): Promise<DockerRig> {
  const {clock, http} = openRealMachine({environment: {}})
  const isDisguised = api !== undefined || mode === 'windows'
  const disguise = {...api, ...(mode === 'windows' && {os: mode})}
  const proxy = isDisguised ? await startEngineProxy(engine.socket, join(engine.folder, name), disguise) : undefined
  registry.breakLayers(fault && FAULTS[fault])
  const path = `${fault === 'unreachable' ? NOBODY : registry.address}/windows`
  return {
    clock,
    async close() {
      await proxy?.close()
      await empty(http, engine.socket)
    },
    http,
    images: {
      base: `${path}/nanoserver:1809`,
      foreign: `${path}/nanoserver:ltsc2022`,
      missing: `${path}/nanoserver:ltsc2019`,
      other: `${path}/servercore:ltsc2019`,
    },
    pauseTemplate: readFileSync(PAUSE_TEMPLATE, 'utf8'),
    pipe: proxy?.socket ?? engine.socket,
    spoken: () => proxy?.spoken() ?? [],
    startEngine: engine.start,
    stopEngine: (how) => engine.stop(how === 'crash' ? 'SIGKILL' : 'SIGTERM'),
  }
}

async function fillRegistry({folder, registry}: RealEngine): Promise<void> {
  const program = join(folder, 'cmd')
  await compileStatic(new URL('cmd.c', import.meta.url).pathname, program)
  const cmd = readFileSync(program)
  const layers = [{'bin/cmd': cmd}, {data: randomBytes(3_000_000)}]
  await pushImage(registry, {layers, repository: 'windows/nanoserver', tag: '1809'})
  await pushImage(registry, {layers: [{'bin/cmd': cmd, other: cmd}], repository: 'windows/servercore', tag: 'ltsc2019'})
  await pushForeignImage(registry, 'windows/nanoserver', 'ltsc2022')
}

/** The next case finds an engine without images and containers. */
async function empty(http: DockerRig['http'], pipe: string): Promise<void> {
  const send = async (method: 'DELETE' | 'GET', path: string): Promise<{Id: string}[]> => {
    const answer = await http.request({deadlineMs: 30_000, effect: 'change', method, pipe, url: `http://docker${path}`})
    return method === 'GET' ? (JSON.parse(answer.body.toString('utf8')) as {Id: string}[]) : []
  }

  for (const {Id} of await send('GET', '/containers/json?all=1')) await send('DELETE', `/containers/${Id}?force=1`)
  for (const {Id} of await send('GET', '/images/json')) await send('DELETE', `/images/${Id}?force=1`)
}
