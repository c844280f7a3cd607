// A simulated host in memory, and setup called on it in this process: for everything that does not need the program itself.
import type {RunResultDocument} from '../../src/pipeline/run/events.js'
import {MemoryHost} from '../fakes/memory-host.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import type {World} from '../../src/simulator/world.js'
import {HostFolder} from '../steps/host-folder.js'
import {givenOf, setupOn} from './in-process.js'

export interface EndedSetup {
  readonly code: number
  readonly result: RunResultDocument
  /** All events, as JSON. */
  readonly told: string
}

export class HostInMemory extends HostFolder {
  static async make(sicken: (world: World) => void = () => {}): Promise<HostInMemory> {
    const host = new HostInMemory(new MemoryHost())
    await openSimulator({dir: host.dir, profile: 'ws2019'})
    host.edit(sicken)
    return host
  }

  async setup(...args: readonly string[]): Promise<EndedSetup> {
    const {events, result} = await setupOn(this.dir, givenOf(args))
    return {code: result.exitCode, result, told: JSON.stringify(events)}
  }
}
