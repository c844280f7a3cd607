// The engine itself: which version is spoken, which containers it runs, and an engine that is not there.
import assert from 'node:assert/strict'
import {HttpError} from '../../../src/machine/http.js'
import {containers, type DockerCase, dockerOf, failure, impatient, NEVER, pull, refusal, tags} from './rig.js'

const spoken = (name: string, apiVersion: string, minApiVersion: string, expected: string): DockerCase => ({
  name: `${name} is spoken to in ${expected}`,
  async run(rig) {
    const version = await dockerOf(rig).version()
    assert.deepEqual([version.apiVersion, version.minApiVersion], [apiVersion, minApiVersion])
    await pull(rig)
    assert.ok(await dockerOf(rig).image(rig.images.base))
    await dockerOf(rig).tag(rig.images.base, 'mine:1')
    const {exitCode} = await dockerOf(rig).runOnce('mine:1', ['cmd', '/c', 'exit', '7'], NEVER)
    assert.equal(exitCode, 7)
    assert.deepEqual(rig.spoken(), [expected])
  },
  surroundings: {api: {apiVersion, minApiVersion}},
})

export const ENGINE_CASES: readonly DockerCase[] = [
  spoken('an engine of our version', '1.41', '1.24', '1.41'),
  spoken('an older engine', '1.30', '1.24', '1.30'),
  spoken('a newer engine that still takes ours', '1.47', '1.24', '1.41'),
  spoken('a newer engine that no longer takes ours', '1.52', '1.44', '1.44'),
  {
    name: 'an engine in Linux mode says so and finds no image for Windows',
    async run(rig) {
      assert.equal((await dockerOf(rig).version()).os, 'linux')
      const reason = /^Docker said: no matching manifest for linux\/\w+ in the manifest list entries$/
      await refusal(pull(rig, rig.images.foreign), 'PULL_FAILED', reason)
    },
    surroundings: {mode: 'linux'},
  },
  {
    name: 'an engine with Windows containers says so',
    async run(rig) {
      assert.equal((await dockerOf(rig).version()).os, 'windows')
    },
    surroundings: {mode: 'windows'},
  },
  {
    name: 'an engine that is not there',
    async run(rig) {
      await rig.stopEngine()
      const problem = await failure(dockerOf(rig).version())
      assert.ok(problem instanceof HttpError)
      assert.equal(problem.code, 'ENOENT')
      await refusal(pull(rig), 'DOCKER_STOPPED', /ENOENT/)
      await refusal(dockerOf(rig).image('x'), 'DOCKER_STOPPED', /ENOENT/)
      await rig.startEngine()
      assert.equal(await dockerOf(rig).image('x'), undefined)
    },
  },
  {
    name: 'an engine that is stopped in the middle of a pull',
    async run(rig) {
      const docker = dockerOf(rig)
      let stopped: Promise<void> | undefined
      const pulling = docker.pull(rig.images.base, () => void (stopped ??= rig.stopEngine()), NEVER)
      await refusal(pulling, 'DOCKER_STOPPED', /the response is incomplete \(TRUNCATED\)/)
      await stopped
      await rig.startEngine()
      assert.equal(await docker.image(rig.images.base), undefined)
      assert.deepEqual(await tags(rig), [])
    },
    surroundings: {registry: 'slow'},
  },
  {
    name: 'a pull that is not done by the deadline',
    async run(rig) {
      const pulling = impatient(rig, 700).pull(rig.images.base, () => {}, NEVER)
      await refusal(pulling, 'DOCKER_FAILED', /\(ETIMEDOUT\)/)
      assert.equal(await dockerOf(rig).image(rig.images.base), undefined)
    },
    surroundings: {registry: 'slow'},
  },
  {
    name: 'a container that is not done by the deadline is removed',
    async run(rig) {
      await pull(rig)
      const running = impatient(rig, 3000).runOnce(rig.images.base, ['cmd', '/c', 'ping', '-t', 'localhost'], NEVER)
      await refusal(running, 'DOCKER_FAILED', /\(ETIMEDOUT\)/)
      assert.deepEqual(await containers(rig), [])
    },
  },
]
