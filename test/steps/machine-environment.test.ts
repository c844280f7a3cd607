import {expect, test} from 'vitest'
import {machineEnvironment} from '../../src/steps/machine-environment.js'
import {machineEnvironmentDrifts, setVariable, variable} from './drifts/windows.js'
import {describeStep} from './five-tests.js'
import {Rig} from './rig.js'
import {removeStep} from '../../src/pipeline/owned/kinds.js'

const MINE = String.raw`D:\mine`
const BINARIES = String.raw`C:\k\kubernetes\node\bin`

describeStep(machineEnvironment, {drifts: machineEnvironmentDrifts})

describeStep(machineEnvironment, {
  drifts: [],
  title: "machine-environment, with a KUBECONFIG of the user's own",
  undo: (host) =>
    host.edit((world) => {
      setVariable(world, 'KUBECONFIG', MINE)
      world.environment['KUBECONFIG'] = MINE
    }),
})

test('a KUBECONFIG that was set since stays', async () => {
  const rig = await Rig.open()
  await rig.run(machineEnvironment)
  const later = await rig.reopen({sicken: (world) => setVariable(world, 'KUBECONFIG', MINE)})
  await removeStep(machineEnvironment, later.context)
  expect(variable(later.world, 'KUBECONFIG')).toBe(MINE)
  expect(variable(later.world, 'Path')).not.toContain(BINARIES)
})

test('a folder that was on PATH before us stays there', async () => {
  const rig = await Rig.open({
    sicken: (world) => setVariable(world, 'Path', `${variable(world, 'Path') ?? ''};${BINARIES}`),
  })
  await rig.run(machineEnvironment)
  await removeStep(machineEnvironment, rig.context)
  expect(variable(rig.world, 'Path')).toContain(BINARIES)
})
