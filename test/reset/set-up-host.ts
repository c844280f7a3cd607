// A host before and after one setup, for tests that take copies of it apart.
import {afterAll, beforeAll, expect, onTestFinished} from 'vitest'
import type {GivenOptions} from '../../src/config/options.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import {setupOn} from '../setup/in-process.js'
import {allowEverything} from '../fakes/administrator.js'
import {type DiskHost, HostFolder} from '../steps/host-folder.js'
import {type WholeHost, wholeHost} from './whole-host.js'

export interface SetUpHost {
  /** Of the host before setup. */
  readonly before: () => WholeHost
  /** A copy that goes away with the test. */
  readonly copy: () => HostFolder
  /** In a folder, for a process. */
  readonly copyOnDisk: () => DiskHost
}

/** `prepare` changes the fresh host, whose identity may remove its node, too. */
export function setUpHost(given: GivenOptions = {}, prepare: (host: HostFolder) => void = () => {}): SetUpHost {
  const made = HostFolder.empty()
  let before: WholeHost
  beforeAll(async () => {
    await openSimulator({dir: made.dir, profile: 'ws2019'})
    made.edit(allowEverything)
    prepare(made)
    before = wholeHost(made)
    const {result} = await setupOn(made.dir, given)
    expect(result.error).toBeUndefined()
  })
  afterAll(() => made.discard())
  const forOneTest = <T extends HostFolder>(host: T): T => {
    onTestFinished(() => host.discard())
    return host
  }
  return {
    before: () => before,
    copy: () => forOneTest(made.copy()),
    copyOnDisk: () => forOneTest(made.onDisk()),
  }
}
