// Another containerd on a node that is set up: its programs are replaced while nothing runs them.
import {describe, expect, it} from 'vitest'
import type {GivenOptions} from '../../src/config/options.js'
import {tracedMachine, type EffectEntry} from '../../src/machine/traced.js'
import {remembered} from '../../src/machine/remembered.js'
import {readStandIn} from '../../src/simulator/mirror/stand-in.js'
import {makeCluster} from '../../src/simulator/profiles/cluster.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import {HostFolder} from '../steps/host-folder.js'
import {setupOn} from './in-process.js'

const profile = 'ws2022-containerd'
const BIN = String.raw`C:\k\containerd\bin`
const SHIM = `${BIN}\\containerd-shim-runhcs-v1.exe`

/** With a pod that runs. */
const nodeWith = remembered(async (version: string): Promise<HostFolder> => {
  const given = {'containerd-version': version, release: '1.31.14'}
  const host = HostFolder.empty()
  await openSimulator({dir: host.dir, profile})
  host.edit((world) => {
    world.cluster = makeCluster('v1.31.14')
    world.cluster.pods = [{name: 'web', namespace: 'default', node: 'win-1'}]
  })
  for (const expected of [{exitCode: 0}, {recap: {changed: 0}}]) {
    expect((await setupOn(host.dir, given, {}, profile)).result).toMatchObject(expected)
  }
  return host
})

const programsOf = (host: HostFolder): unknown =>
  ['containerd', 'containerd-shim-runhcs-v1', 'ctr'].map(
    (name) => readStandIn(Buffer.from(host.read(String.raw`k\containerd\bin` + `\\${name}.exe`)))?.version,
  )

const podsOf = ({world}: HostFolder): unknown => world.containerd.sandboxes.map(({name, state}) => [name, state])

async function traced(host: HostFolder, given: GivenOptions) {
  const effects: EffectEntry[] = []
  const wrap = (machine: Parameters<typeof tracedMachine>[0]) => tracedMachine(machine, (entry) => effects.push(entry))
  const {events, result} = await setupOn(host.dir, given, {wrap}, profile)
  return {effects, events, result}
}

describe('another containerd', () => {
  it('is put in place when the kubelet, the pods and containerd have ended, in this order', async () => {
    const host = (await nodeWith('1.7.25')).copy()
    expect([programsOf(host), podsOf(host)]).toEqual([['v1.7.25', 'v1.7.25', 'v1.7.25'], [['web', 'SANDBOX_READY']]])
    const {effects, result} = await traced(host, {'containerd-version': '2.3.4'})
    expect(result).toMatchObject({exitCode: 0, node: {ready: true}})
    const all = effects.map(({args, what}) => `${what} ${args.join(' ')}`)
    const order = [
      /^stopService kubelet$/,
      /crictl\.exe .*rmp -f [\da-f]{64}$/,
      /^stopService containerd$/,
      /^rename .*containerd\.exe$/,
      /^rename .*shim-runhcs-v1\.exe$/,
      /^startService containerd$/,
      /^startService kubelet$/,
    ].map((pattern) => all.findIndex((line) => pattern.test(line)))
    expect(order).not.toContain(-1)
    expect(order).toEqual(order.toSorted((a, b) => a - b))
    expect(effects.filter(({outcome}) => /EPERM|EBUSY/.test(outcome))).toEqual([])
    const {clock} = await openSimulator({dir: host.dir, profile})
    await clock.sleep(60_000)
    expect([programsOf(host), podsOf(host)]).toEqual([['v2.3.4', 'v2.3.4', 'v2.3.4'], [['web', 'SANDBOX_READY']]])
    expect(host.world.services['containerd']?.config.startType).toBe('automatic')
    expect((await setupOn(host.dir, {}, {}, profile)).result).toMatchObject({exitCode: 0, recap: {changed: 0}})
  })
})

it('the shim of a pod cannot be replaced as long as the pod runs, also where containerd has ended', async () => {
  const host = (await nodeWith('1.7.25')).copy()
  const {clock, files, run, win32} = await openSimulator({dir: host.dir, profile})
  const other = String.raw`C:\k\other.exe`
  await files.write(other, 'MZ')
  await expect(files.rename(other, SHIM)).rejects.toMatchObject({code: 'EPERM'})
  await win32.changeService('containerd', {failureActions: {resetAfterSeconds: 0, restartDelaysMs: []}})
  const kill = ['/F', '/IM', 'shawl.exe']
  await run(String.raw`C:\Windows\System32\taskkill.exe`, kill, {deadlineMs: 9000, effect: 'change'})
  expect(host.world.containerd).toMatchObject({running: false, sandboxes: [{state: 'SANDBOX_READY'}]})
  await expect(files.rename(other, SHIM)).rejects.toMatchObject({code: 'EPERM'})
  await win32.startService('containerd')
  await clock.sleep(5000)
  await win32.stopService('containerd')
  await clock.sleep(5000)
  await files.rename(other, SHIM)
})
