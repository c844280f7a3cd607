// dism.exe of the simulated host: exit codes, and the state of the feature Containers before and after a restart.
import {beforeEach, expect, it} from 'vitest'
import type {RunResult} from '../../../src/machine/run.js'
import {runProgram} from '../../../src/simulator/programs/index.js'
import {SERVICING_PENDING} from '../../../src/simulator/windows/features.js'
import {reboot} from '../../../src/simulator/windows/restart.js'
import {makeNode, type TestNode} from '../node.js'

const ENABLE = ['/Online', '/Enable-Feature', '/FeatureName:Containers', '/All', '/NoRestart']
const INFO = ['/English', '/Online', '/Get-FeatureInfo', '/FeatureName:Containers']
let node: TestNode
beforeEach(async () => {
  node = await makeNode()
  const {world} = node.stage
  world.os.features = {containers: false}
  delete world.services['hns']
})

const dism = (args: readonly string[]): Promise<RunResult> =>
  runProgram(node.stage, String.raw`C:\Windows\System32\dism.exe`, args, {deadlineMs: 60_000, effect: 'change'})

it('enables the feature, which is available after a restart', async () => {
  const {world} = node.stage
  expect((await dism(INFO)).stdout).toContain('State : Disabled\r\n')
  for (const _ of [1, 2]) expect(await dism(ENABLE)).toMatchObject({exitCode: 3010})
  expect((await dism(INFO)).stdout).toContain('State : Enable Pending\r\n')
  expect(world.services['hns']).toBeUndefined()
  expect(world.registry).toHaveProperty([SERVICING_PENDING])

  reboot(world)
  expect((await dism(INFO)).stdout).toContain('State : Enabled\r\n')
  expect(world.services['hns']).toBeDefined()
  expect(world.registry).not.toHaveProperty([SERVICING_PENDING])
  expect(await dism(ENABLE)).toMatchObject({exitCode: 0})
})

it.each([
  [87, ['/Online', '/Enable-Feature', '/FeatureName:Containers', '/Al']],
  [87, ['/Enable-Feature', '/FeatureName:Containers']],
  [87, ['/Online', '/FeatureName:Containers']],
  [0x80_0f_08_0c, ['/Online', '/Enable-Feature', '/FeatureName:Nonsense']],
])('ends with %i for %j', async (exitCode, args) => {
  expect(await dism(args)).toMatchObject({exitCode})
})

it('needs administrator rights', async () => {
  node.stage.world.os.administrator = false
  expect(await dism(ENABLE)).toMatchObject({exitCode: 740})
})

it('fails as the world says', async () => {
  node.stage.world.os.features = {containers: false, failure: 0x80_0f_08_1f}
  expect(await dism(ENABLE)).toMatchObject({exitCode: 0x80_0f_08_1f})
  expect((await dism(INFO)).stdout).toContain('State : Disabled\r\n')
})
