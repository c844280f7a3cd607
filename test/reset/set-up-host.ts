// A host before and after one setup, for tests that take copies of it apart.
import {beforeAll, expect, onTestFinished} from 'vitest'
import type {GivenOptions} from '../../src/config/options.js'
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

interface Made {
  readonly before: WholeHost
  readonly host: HostFolder
}

/** Until its simulated minutes have really passed, nothing changes on a node by itself. */
const ENOUGH_MS = 180_000
/** Without options, for all the files that one worker runs at about the same time. */
let shared: Made | undefined

/** `prepare` changes the fresh host, whose identity may remove its node, too. */
export function setUpHost(given: GivenOptions = {}, prepare?: (host: HostFolder) => void): SetUpHost {
  let made: Made
  beforeAll(async () => {
    const isShared = prepare === undefined && Object.keys(given).length === 0
    const isFresh = shared !== undefined && shared.host.world.os.time - Date.now() > ENOUGH_MS
    made = isShared && shared && isFresh ? shared : await make(given, prepare)
    if (isShared) shared = made
  })
  const forOneTest = <T extends HostFolder>(host: T): T => {
    onTestFinished(() => host.discard())
    return host
  }
  return {
    before: () => made.before,
    copy: () => forOneTest(made.host.copy()),
    copyOnDisk: () => forOneTest(made.host.onDisk()),
  }
}

async function make(given: GivenOptions, prepare: (host: HostFolder) => void = () => {}): Promise<Made> {
  const host = await HostFolder.fresh(allowEverything)
  prepare(host)
  const before = wholeHost(host)
  const {result} = await setupOn(host.dir, given)
  expect(result.error).toBeUndefined()
  return {before, host}
}
