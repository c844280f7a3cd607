// What a collector is given, over a simulated host.
import type {CollectorContext} from '../../src/bundle/collector.js'
import {setupConfig} from '../fixtures/setup-config.js'
import {openHost} from '../../src/host/host.js'
import type {Machine} from '../../src/machine/machine.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import {assets} from '../fixtures/assets.js'
import type {HostFolder} from '../steps/host-folder.js'

export async function rigOf(
  folder: HostFolder,
  wrap: (machine: Machine) => Machine = (machine) => machine,
): Promise<CollectorContext> {
  const machine = wrap(await openSimulator({dir: folder.dir, profile: 'ws2019'}))
  const config = setupConfig()
  return {
    config,
    environment: {},
    host: openHost(machine, {assets, baseDir: config.baseDir, dockerPipe: config.dockerPipe}),
    logBytes: 20 * 1024 ** 2,
    machine,
    register: () => {},
    signal: new AbortController().signal,
  }
}
