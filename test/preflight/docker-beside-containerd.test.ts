// The checks of Docker on a host whose node uses containerd: Docker must not run beside it.
import {describe, expect, test} from 'vitest'
import type {Decided} from '../../src/config/model.js'
import {parseVersion, type Version} from '../../src/config/version.js'
import {openHost} from '../../src/host/host.js'
import {Facts} from '../../src/preflight/facts.js'
import {CHECKS, runChecks} from '../../src/preflight/index.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import type {World} from '../../src/simulator/world.js'
import {assets} from '../fixtures/assets.js'
import {setupConfig} from '../fixtures/setup-config.js'
import {HostFolder} from '../steps/host-folder.js'

const RELEASE = parseVersion('1.34.11') as Version
const WITH_CONTAINERD: Decided = {...setupConfig(), release: RELEASE, runtime: 'containerd'}

async function dockerChecks(sicken: (world: World) => void) {
  const {dir} = await HostFolder.fresh(sicken)
  const machine = await openSimulator({dir, profile: 'ws2019', readOnly: true})
  const {baseDir, dockerPipe} = WITH_CONTAINERD
  const host = openHost(machine, {assets, baseDir, dockerPipe})
  const facts = new Facts(WITH_CONTAINERD, host, {all: () => [], entries: () => []})
  const checks = CHECKS.filter(({id}) => id.startsWith('docker'))
  const {problems, results} = await runChecks(facts, {checks, signal: new AbortController().signal})
  const of = (id: string) => results.find((result) => result.id === id)
  return {ids: results.map(({id}) => id), of, problems}
}

function stopDocker({docker, services}: World): void {
  docker.running = false
  if (services['docker']) services['docker'].state = 'stopped'
}

describe('Docker on a host that gets containerd', () => {
  test('is refused while it runs', async () => {
    const {ids, of, problems} = await dockerChecks(() => {})
    expect(problems.map(({id}) => id)).toEqual(['DOCKER_BESIDE_CONTAINERD'])
    expect(of('docker')?.result).toBe('fail')
    // What only a node with Docker needs is not checked.
    expect(ids).toEqual(['docker'])
  })

  test('is refused, too, where it runs without a service', async () => {
    const {problems} = await dockerChecks(({os, services}) => {
      delete services['docker']
      os.listening.push('npipe/docker_engine')
    })
    expect(problems).toMatchObject([{exitCode: 3, id: 'DOCKER_BESIDE_CONTAINERD'}])
  })

  test.each([
    ['v1.23.4', 17_763, '1.23.17'],
    ['v1.22.4', 17_763, '1.22.17'],
    ['v1.25.0', 20_348, '1.23.17'],
    ['v1.22.4', 20_348, undefined],
    ['v1.26.0', 17_763, undefined],
    ['v1.25.0', 26_100, undefined],
  ])('API server %s on build %d: %s keeps it', async (version, build, release) => {
    const {problems} = await dockerChecks((world) => {
      world.cluster.version = version
      world.os.build = build
    })
    const [, kept] = /To keep Docker, pass --release ([\d.]+)\./.exec(problems[0]?.fix ?? '') ?? []
    expect(kept).toBe(release)
  })

  test('is a warning while it could be started', async () => {
    const {of, problems} = await dockerChecks(stopDocker)
    expect([of('docker')?.result, problems]).toEqual(['warn', []])
  })

  test('may stay where it is disabled', async () => {
    const {of, problems} = await dockerChecks((world) => {
      stopDocker(world)
      const service = world.services['docker']
      if (service) service.config = {...service.config, startType: 'disabled'}
    })
    expect([of('docker')?.result, problems]).toEqual(['pass', []])
  })

  test('need not be there', async () => {
    const {of, problems} = await dockerChecks((world) => {
      stopDocker(world)
      delete world.services['docker']
    })
    expect([of('docker')?.result, problems]).toEqual(['pass', []])
  })
})
