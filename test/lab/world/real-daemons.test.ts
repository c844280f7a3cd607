// The stand-ins of the lab, as the world hears of them.
import {expect, test} from 'vitest'
import {isDockerRunning} from '../../../src/simulator/docker/engine.js'
import {install, makeStage} from '../../simulator/stage.js'
import type {ProgramHandle} from './daemon-pipe.js'
import {openRealDaemons} from './real-daemons.js'

const DOCKERD = String.raw`C:\Program Files\docker\dockerd.exe`
const nothing = (): void => undefined
const DEAF = {child: nothing, exit: nothing, runOn: nothing, stderr: nothing, stdout: nothing}

async function dockerHost() {
  const stage = await makeStage('ws2019')
  await install(stage, DOCKERD, 'dockerd', 'v20.10.9')
  const daemons = openRealDaemons(stage, {
    queryServiceConfig: async () => undefined,
    registryValue: async () => undefined,
  })
  return {
    /** Resolves when the world has heard of it; answers what ends it. */
    start: async (processId: number): Promise<() => Promise<void>> => {
      const guide = daemons.guide()
      await new Promise<void>((resolve) => {
        const handle: ProgramHandle = {...DEAF, connect: resolve}
        guide.started(handle, {args: [], environment: {}, processId, program: DOCKERD})
      })
      return async () => {
        guide.ended()
        await new Promise(setImmediate)
      }
    },
    stage,
  }
}

test('a Docker that ends is stopped', async () => {
  const {stage, start} = await dockerHost()
  const end = await start(4)
  expect(isDockerRunning(stage.world)).toBe(true)
  await end()
  expect(isDockerRunning(stage.world)).toBe(false)
})

test('the end of one connection that is heard after the start of the next one does not stop Docker', async () => {
  const {stage, start} = await dockerHost()
  const end = await start(4)
  await start(4)
  await end()
  expect(isDockerRunning(stage.world)).toBe(true)
})
