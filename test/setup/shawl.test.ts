// The wrapper of services: 1.3.0 from npm, 1.9.0 inside the executable and the zip. Its bytes cannot be had here: a stand-in is.
import {describe, expect, test} from 'vitest'
import {containerdService, containerdSettings} from '../../src/components/containerd.js'
import {flanneldService} from '../../src/components/flanneld.js'
import type {Assets} from '../../src/machine/machine.js'
import {RUN_SERVICE, runService} from '../../src/runs/detach/run-service.js'
import {parseShawlRun} from '../../src/simulator/daemons/shawl-options.js'
import {makeStandIn} from '../../src/simulator/mirror/stand-in.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import {exampleNode} from '../components/example.js'
import {examine} from '../doctor/doctor-rig.js'
import {assets} from '../fixtures/assets.js'
import {CONTAINERD_PROFILE, setUpHost} from '../reset/set-up-host.js'
import {statusOn} from '../status/status-on.js'
import type {HostFolder} from '../steps/host-folder.js'
import {setupOn} from './in-process.js'

const NEWER: Assets = {
  ...assets,
  shawl: async () => makeStandIn({name: 'shawl', version: 'v1.9.0'}),
  shawlVersion: () => '1.9.0',
}
const PROFILE = CONTAINERD_PROFILE
const DAEMONS = ['containerd', 'flanneld']
const {copy} = setUpHost({}, undefined, PROFILE)

const wrappers = ({world}: HostFolder): unknown[] =>
  DAEMONS.map((name) => [world.services[name]?.state, world.services[name]?.process?.standIn?.version])

async function moved(): Promise<HostFolder> {
  const host = copy()
  const {result} = await setupOn(host.dir, {}, {assets: NEWER})
  expect(result.error).toBeUndefined()
  return host
}

/** Windows shuts down, and has started again. */
async function shutDown(host: HostFolder): Promise<string[]> {
  host.edit(({os}) => void (os.restarting = true))
  await (await openSimulator({dir: host.dir, profile: PROFILE})).clock.sleep(120_000)
  const events = host.world.os.eventLogs?.['Application'] ?? []
  return events.filter(({provider}) => provider === 'Application Error').map(({data}) => data.join(' '))
}

describe('review V1: shawl 1.9.0', () => {
  test('replaces 1.3.0 at the next setup, once, and services run under it', async () => {
    expect(wrappers(copy())).toEqual(DAEMONS.map(() => ['running', 'v1.3.0']))
    const host = await moved()
    expect(wrappers(host)).toEqual(DAEMONS.map(() => ['running', 'v1.9.0']))
    expect((await setupOn(host.dir, {}, {assets: NEWER})).result.recap.changed).toBe(0)
  })

  test('is not replaced by the 1.3.0 of a k8s-win from npm, whose status finds no drift', async () => {
    const host = await moved()
    expect((await statusOn(host.dir, {profile: PROFILE})).document.problems).toEqual([])
    expect((await setupOn(host.dir)).result.recap.changed).toBe(0)
    // One that is damaged is, though: there is no other.
    host.put(String.raw`k\shawl.exe`, 'damaged')
    expect((await setupOn(host.dir)).result.error).toBeUndefined()
    expect(wrappers(host)).toEqual(DAEMONS.map(() => ['running', 'v1.3.0']))
  })

  test('ends in order at a shutdown, where 1.3.0 crashes; either way the node is healthy afterwards', async () => {
    const [older, newer] = [copy(), await moved()]
    expect(await shutDown(older)).toEqual(DAEMONS.map(() => 'shawl.exe 1.3.0 0xc0000409'))
    expect(await shutDown(newer)).toEqual([])
    const log = newer.read(String.raw`k\logs\flanneld\shawl_for_flanneld_rCURRENT.log`)
    expect(log).toMatch(/Received shutdown event[^]*Finished successfully/)
    for (const host of [older, newer])
      expect((await statusOn(host.dir, {profile: PROFILE})).document).toMatchObject({problems: [], verdict: 'healthy'})
  })

  test('is what doctor tells of, without a warning on any command', async () => {
    const older = (await examine(copy(), {profile: PROFILE})).check('service-wrapper')
    expect(older).toMatchObject({message: expect.stringContaining('1.3.0 crashes') as string, result: 'pass'})
    const newer = (await examine(await moved(), {profile: PROFILE})).check('service-wrapper')
    expect(newer).toMatchObject({message: expect.stringContaining('1.9.0 ends in order') as string, result: 'pass'})
  })
})

describe('review V1: the arguments of the wrapper', () => {
  /** src/cli.rs of 1.9.0, CommonOpts and Run. */
  const OPTIONS_1_9 =
    `--cwd --env --interactive --kill-process-tree --log-as --log-cmd-as --log-dir --log-retain --log-rotate
    --name --no-log --no-log-cmd --no-restart --pass --pass-start-args --path --path-prepend --priority --restart
    --restart-delay --restart-if --restart-if-not --stop-timeout`.split(/\s+/)
  const node = exampleNode({runtime: 'containerd', release: '1.36.4'})
  const services = [
    containerdService(containerdSettings(node), {}),
    flanneldService(node),
    runService(String.raw`C:\k\k8s-win\shawl.exe`, [String.raw`C:\k\k8s-win\k8s-win.exe`], String.raw`C:\k`),
  ]

  test.each(services.map((service) => [service.name, service.command] as const))('of %s', (name, command) => {
    const [, ...args] = command
    const run = parseShawlRun(args)
    if (run.error !== undefined) throw new Error(run.error)
    const used = [...run.switches, ...run.values.keys()]
    // 1.3.0 has accepted them above.
    expect(used.filter((option) => !OPTIONS_1_9.includes(option))).toEqual([])
    // Windows ends every service 5 s after the shutdown has begun.
    expect(run.values.get('--stop-timeout')).toEqual(['4000'])
    expect(run.switches.has(name === RUN_SERVICE ? '--no-restart' : '--restart')).toBe(true)
  })
})
