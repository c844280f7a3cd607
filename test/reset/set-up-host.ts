// A host before and after one setup, for tests that take copies of it apart.
import {beforeAll, expect, onTestFinished} from 'vitest'
import type {GivenOptions} from '../../src/config/options/options.js'
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

const PODS = ['one', 'two'].map((name) => ({name, namespace: 'web', node: 'win-1'}))
export const CONTAINERD_PROFILE = 'ws2022-containerd'

interface Made {
  readonly before: WholeHost
  readonly host: HostFolder
}

/** Without options, by profile, for all the files that one worker runs. */
const shared = new Map<string, Made>()

/** `prepare` changes the fresh host, whose identity may remove its node, too. */
export function setUpHost(
  given: GivenOptions = {},
  prepare?: (host: HostFolder) => void,
  profile = 'ws2019',
): SetUpHost {
  let made: Made
  beforeAll(async () => {
    const isShared = prepare === undefined && Object.keys(given).length === 0
    const known = shared.get(profile)
    made = isShared && known ? known : await make(profile, given, prepare)
    if (isShared) shared.set(profile, made)
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

async function make(
  profile: string,
  given: GivenOptions,
  prepare: (host: HostFolder) => void = () => {},
): Promise<Made> {
  const host = await HostFolder.fresh(allowEverything, profile)
  // The simulated kubelet runs pods in containerd only.
  if (profile.endsWith('-containerd')) host.edit(({cluster}) => (cluster.pods = PODS))
  prepare(host)
  const before = wholeHost(host)
  const {result} = await setupOn(host.dir, given)
  expect(result.error).toBeUndefined()
  return {before, host}
}
