// Another containerd on a node that is set up: its programs are replaced while nothing runs them, and a newer one, which has
// opened the root, stays.
import {describe, expect, it} from 'vitest'
import type {GivenOptions} from '../../src/config/options/options.js'
import {tracedMachine, type EffectEntry} from '../../src/machine/traced.js'
import {remembered} from '../../src/machine/remembered.js'
import {readStandIn} from '../../src/simulator/mirror/stand-in.js'
import {makeCluster} from '../../src/simulator/profiles/cluster.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import {nightly} from '../nightly.js'
import {resetOn} from '../reset/reset-run.js'
import {statusOn} from '../status/status-on.js'
import {HostFolder} from '../steps/host-folder.js'
import {setupOn} from './in-process.js'
import {turn} from '../sample.js'

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

const versionOf = ({world}: HostFolder): string | undefined => world.containerd.version
const run = async (host: HostFolder, given: GivenOptions = {}) => (await setupOn(host.dir, given, {}, profile)).result

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

describe('from containerd 1.7 to 2', () => {
  /** With containerd 1.7, and then with one that is newer than the default; without pods, so that nothing has to be drained. */
  const nodeOf = remembered(async (release: string): Promise<HostFolder> => {
    const host =
      release === '1.30.14'
        ? await HostFolder.fresh((world) => (world.cluster = makeCluster('v1.31.14')), profile)
        : (await nodeOf('1.30.14')).copy()
    expect(await run(host, {'containerd-version': release === '1.30.14' ? '1.7.25' : '2.4.0', release})).toMatchObject({
      exitCode: 0,
      node: {ready: true},
    })
    return host
  })
  const upgraded = async (): Promise<HostFolder> => (await nodeOf('1.31.14')).copy()
  const KEPT = /^using --containerd-version 2\.4\.0: /
  const JOURNAL = String.raw`k\k8s-win\journal.ndjson`

  /** Back to 1.30, which keeps the newer containerd; the second run has nothing to do. */
  async function expectKept(host: HostFolder): Promise<void> {
    const {events, result} = await setupOn(host.dir, {release: '1.30.14'}, {}, profile)
    expect(result).toMatchObject({exitCode: 0, node: {ready: true}})
    expect(events.filter((event) => event.type === 'log' && KEPT.test(event.message))).toHaveLength(1)
    expect([versionOf(host), programsOf(host)]).toEqual(['v2.4.0', ['v2.4.0', 'v2.4.0', 'v2.4.0']])
    expect(host.world.cluster.nodes.find(({name}) => name === 'win-1')?.kubeletVersion).toBe('v1.30.14')
    expect(await run(host)).toMatchObject({exitCode: 0, recap: {changed: 0}})
    expect((await statusOn(host.dir, {profile})).document).toMatchObject({problems: [], verdict: 'healthy'})
  }

  it('review T12: a node with 1.7 keeps it until it gets another minor version, which says so, in the plan too', async () => {
    const host = (await nodeOf('1.30.14')).copy()
    const LASTING = 'containerd goes from 1.7.25 to 2.3.4; afterwards the data of this node cannot go back to 1.7.25'
    const saysOf = async (given: GivenOptions, dryRun = false) => {
      const {events, result} = await setupOn(host.dir, given, {dryRun}, profile)
      expect(result.error).toBeUndefined()
      return events.filter((event) => event.type === 'log' && event.message === LASTING).length
    }
    // The same release, another patch, and a lost node.yaml.
    expect([await saysOf({}), await saysOf({release: '1.30.13'}), versionOf(host)]).toEqual([0, 0, 'v1.7.25'])
    host.remove(String.raw`k\k8s-win\node.yaml`)
    expect([await saysOf({'node-name': 'win-1', release: '1.30.14'}), versionOf(host)]).toEqual([0, 'v1.7.25'])
    expect([await saysOf({release: '1.31.14'}, true), versionOf(host)]).toEqual([1, 'v1.7.25'])
    expect([await saysOf({release: '1.31.14'}), versionOf(host)]).toEqual([1, 'v2.3.4'])
    expect([await saysOf({}), await run(host)]).toMatchObject([0, {exitCode: 0, recap: {changed: 0}}])
  })

  it('review T12: it is also upgraded where the new version is asked for', async () => {
    const host = (await nodeOf('1.30.14')).copy()
    const {events, result} = await setupOn(host.dir, {'containerd-version': '2.3.4'}, {}, profile)
    expect([result.exitCode, versionOf(host)]).toEqual([0, 'v2.3.4'])
    expect(events.filter((event) => event.type === 'log' && event.message.includes('cannot go back'))).toHaveLength(1)
  })

  it('it gets containerd 2, which is recorded before it starts', async () => {
    expect(versionOf(await nodeOf('1.30.14'))).toBe('v1.7.25')
    const host = (await nodeOf('1.30.14')).copy()
    const {effects} = await traced(host, {release: '1.31.14'})
    expect([versionOf(host), programsOf(host)]).toEqual(['v2.3.4', ['v2.3.4', 'v2.3.4', 'v2.3.4']])
    const opened = host.journal.filter(({kind}) => kind === 'root-opened')
    expect(opened.map(({version}) => version)).toEqual(['1.7.25', '2.3.4'])
    const started = effects.find(({args, what}) => what === 'startService' && args[0] === 'containerd')
    expect(String(opened[1]?.['at']) <= String(started?.at)).toBe(true)
  })

  it('back, it keeps the newer containerd and says so', async () => {
    const host = await upgraded()
    const plan = await setupOn(host.dir, {release: '1.30.14'}, {dryRun: true}, profile)
    expect(plan.events.some((event) => event.type === 'log' && KEPT.test(event.message))).toBe(true)
    await expectKept(host)
  })

  it.each<[what: string, lose: (host: HostFolder) => void]>(
    turn(
      [
        ['the journal', (host) => host.remove(JOURNAL)],
        ['its line', (host) => host.put(JOURNAL, linesBut(host.read(JOURNAL), '"root-opened"'))],
      ],
      0,
    ),
  )('back, it keeps the newer containerd also where the record is lost with %s', async (_, lose) => {
    const host = await upgraded()
    lose(host)
    await expectKept(host)
  })

  nightly(
    'after a reset that leaves the images it keeps the newer containerd; without them it gets the default again',
    async () => {
      const host = await upgraded()
      expect((await resetOn(host.dir, {given: {yes: true}, profile})).result).toMatchObject({exitCode: 0})
      const purged = host.copy()
      await expectKept(host)
      expect((await resetOn(purged.dir, {given: {purge: true, yes: true}, profile})).result).toMatchObject({
        exitCode: 0,
      })
      expect(await run(purged, {release: '1.30.14'})).toMatchObject({exitCode: 0})
      expect(versionOf(purged)).toBe('v2.3.4')
    },
  )

  it('an older major that is asked for is refused, and nothing is changed', async () => {
    const host = await upgraded()
    const before = host.state
    const {error, exitCode} = await run(host, {'containerd-version': '1.7.25', release: '1.30.14'})
    expect({command: error?.command, exitCode, id: error?.id}).toEqual({
      command: 'k8s-win reset --drain --purge',
      exitCode: 3,
      id: 'CONTAINERD_DOWNGRADE',
    })
    expect(host.state).toEqual(before)
  })

  it('an older one of the same major that is asked for is installed', async () => {
    const host = await upgraded()
    expect(await run(host, {'containerd-version': '2.2.7'})).toMatchObject({exitCode: 0, node: {ready: true}})
    expect([versionOf(host), programsOf(host)]).toEqual(['v2.2.7', ['v2.2.7', 'v2.2.7', 'v2.2.7']])
    expect(await run(host)).toMatchObject({exitCode: 0, recap: {changed: 0}})
  })

  it('a newer containerd.exe that was put there by hand has opened the root, so that it stays', async () => {
    const [host, newer] = [(await nodeOf('1.30.14')).copy(), await nodeOf('1.31.14')]
    for (const name of ['containerd', 'containerd-shim-runhcs-v1', 'ctr']) {
      host.copyFrom(newer, `k\\containerd\\bin\\${name}.exe`)
    }
    expect(await run(host)).toMatchObject({exitCode: 0, node: {ready: true}})
    expect([versionOf(host), programsOf(host)]).toEqual(['v2.4.0', ['v2.4.0', 'v2.4.0', 'v2.4.0']])
    expect(host.read(String.raw`k\k8s-win\node.yaml`)).toContain('1.30.14')
    expect(await run(host)).toMatchObject({exitCode: 0, recap: {changed: 0}})
  })

  it('an older containerd.exe that was put there by hand does not serve pods, and is replaced', async () => {
    const [host, old] = [await upgraded(), await nodeOf('1.30.14')]
    const {clock, win32} = await openSimulator({dir: host.dir, profile})
    await win32.stopService('containerd')
    await clock.sleep(10_000)
    for (const path of [String.raw`k\containerd\bin\containerd.exe`, String.raw`k\containerd\config.toml`]) {
      host.copyFrom(old, path)
    }
    const again = await openSimulator({dir: host.dir, profile})
    await again.win32.startService('containerd')
    await again.clock.sleep(10_000)
    expect(host.world.containerd).toMatchObject({config: {criProblem: expect.stringContaining('v2.4.0') as string}})
    const {document} = await statusOn(host.dir, {profile})
    expect(document.verdict).toBe('degraded')
    expect(await run(host)).toMatchObject({exitCode: 0, node: {ready: true}})
    expect([versionOf(host), programsOf(host)]).toEqual(['v2.4.0', ['v2.4.0', 'v2.4.0', 'v2.4.0']])
    expect(await run(host)).toMatchObject({exitCode: 0, recap: {changed: 0}})
  })
})

const linesBut = (text: string, part: string): string =>
  text
    .split('\n')
    .filter((line) => !line.includes(part))
    .join('\n')
