// Docker is the user's: it is checked, and there is nothing to apply, repair or remove.
import {expect, test} from 'vitest'
import {docker} from '../../src/steps/docker.js'
import {Rig} from './rig.js'

test('in place is skipped: nothing is changed', async () => {
  const rig = await Rig.open()
  const {error, results} = await rig.run(docker)
  expect(error).toBeUndefined()
  expect(results).toMatchObject([{changes: [], id: 'docker', state: 'in-place'}])
  expect(rig.effects.filter((entry) => entry.kind === 'change')).toEqual([])
})

test('Linux containers are reported, and not switched over', async () => {
  const rig = await Rig.open({sicken: (world) => (world.docker.mode = 'linux')})
  expect(await rig.inspect(docker)).toMatchObject({state: 'drifted'})
  const {error} = await rig.run(docker)
  expect(error).toMatchObject({exitCode: 5, id: 'DOCKER_LINUX_MODE'})
  expect(rig.effects.filter((entry) => entry.kind === 'change')).toEqual([])
})

test('an engine that does not run is reported, and not started', async () => {
  const rig = await Rig.open({sicken: (world) => (world.docker.running = false)})
  const {error, results} = await rig.run(docker)
  expect(error).toMatchObject({id: 'DOCKER_STOPPED'})
  expect(results).toMatchObject([{state: 'failed'}])
  expect(rig.effects.filter((entry) => entry.kind === 'change')).toEqual([])
})

test('there is nothing to remove', () => {
  expect(docker.remove).toBeUndefined()
  expect(docker.stop).toBeUndefined()
})
