// What is known of a node whose setup stored nothing, because it did not finish.
import {describe, expect, test} from 'vitest'
import {readKnownNode} from '../../src/runs/known-node.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import {resetOn} from '../reset/reset-run.js'
import {setupOn} from '../setup/in-process.js'
import {HostFolder} from '../steps/host-folder.js'

const PROFILE = 'ws2022-containerd'
const JOURNAL = String.raw`k\k8s-win\journal.ndjson`

/** containerd runs, and then a pull fails. */
async function begun(): Promise<HostFolder> {
  const host = HostFolder.empty()
  await openSimulator({dir: host.dir, profile: PROFILE})
  host.edit(({downloads}) => (downloads['mcr.microsoft.com/windows/nanoserver:ltsc2022'] = {fault: 'not-found'}))
  const {result} = await setupOn(host.dir, {}, {}, PROFILE)
  expect(result.exitCode).toBe(4)
  return host
}

async function knownOn({dir}: HostFolder): ReturnType<typeof readKnownNode> {
  const machine = await openSimulator({dir, profile: PROFILE})
  return readKnownNode({environment: {}, machine, signal: new AbortController().signal})
}

describe('a setup with containerd that did not finish', () => {
  test('is known by its journal; without that, by its service', async () => {
    const host = await begun()
    const known = await knownOn(host)
    expect(known).toMatchObject({config: {baseDir: String.raw`C:\k`, runtime: 'containerd'}, state: 'begun'})
    host.remove(JOURNAL)
    expect((await knownOn(host)).config.runtime).toBe('containerd')
  })
})

test('a node with Docker that lost its journal is not taken for one with containerd', async () => {
  const host = await HostFolder.fresh()
  await setupOn(host.dir)
  host.remove(JOURNAL)
  await resetOn(host.dir, {given: {yes: true}})
  const machine = await openSimulator({dir: host.dir, profile: 'ws2019'})
  const {config} = await readKnownNode({environment: {}, machine, signal: new AbortController().signal})
  expect(config.runtime).toBe('docker')
})
