// The service that watches the node, through whole runs: setup, a second setup, --no-watch, status, recover and reset.
import {beforeAll, describe, expect, it} from 'vitest'
import {openSimulator} from '../../src/simulator/simulator.js'
import {makeStandIn} from '../../src/simulator/mirror/stand-in.js'
import {OWN_PROGRAM} from '../../src/simulator/profiles/drive.js'
import {assets as packaged, runFrom} from '../fixtures/assets.js'
import {recoverOn} from '../runs/recover-on.js'
import {resetOn} from '../reset/reset-run.js'
import {statusOn} from '../status/status-on.js'
import {HostFolder, type HostPlace} from '../steps/host-folder.js'
import {type InProcessRun, setupOn} from './in-process.js'

const COPY = String.raw`k\k8s-win\bin\k8s-win.exe`
const IMAGE_PATH = String.raw`"C:\k\k8s-win\bin\shawl.exe" run --name k8s-win --log-dir C:\k\logs\k8s-win --restart-if-not 0,2,11 --stop-timeout 4000 -- C:\k\k8s-win\bin\k8s-win.exe run-watch --base-dir=C:\k`
const NEWER = String.raw`C:\Program Files\newer\k8s-win.exe`
const assets = runFrom(OWN_PROGRAM)

const stateOf = ({result}: InProcessRun): string | undefined =>
  result.steps.find(({id}) => id === 'watch-service')?.state

const codeOf = async (host: HostFolder): Promise<number> => (await statusOn(host.dir)).document.exitCode

describe('the service k8s-win', () => {
  const node = HostFolder.empty()
  let first: InProcessRun
  beforeAll(async () => {
    await openSimulator({dir: node.dir, profile: 'ws2019'})
    first = await setupOn(node.dir, {}, {assets})
  }, 120_000)

  it('is there by default: as contract.md says, started with Windows, restarted by shawl and the service manager', async () => {
    expect(first.result.exitCode).toBe(0)
    expect(first.result.steps.at(-1)).toMatchObject({id: 'watch-service', state: 'changed'})
    const {config, state} = node.world.services['k8s-win'] ?? {}
    expect(state).toBe('running')
    expect(config).toMatchObject({
      failureActions: {restartDelaysMs: [5000, 10_000, 30_000]},
      failureFlag: true,
      imagePath: IMAGE_PATH,
      startType: 'automatic',
    })
    expect(node.read(COPY)).toContain('stand-in k8s-win')
    expect(node.read(String.raw`k\k8s-win\node.yaml`)).toMatch(/watch:\n {2}enabled: true/)
    expect(await codeOf(node)).toBe(0)
  })

  it('is not changed by a second setup, whichever k8s-win it is that cannot be a service', async () => {
    const again = node.copy()
    expect(stateOf(await setupOn(again.dir, {}, {assets}))).toBe('in-place')
    expect(stateOf(await setupOn(again.dir, {}, {assets: packaged}))).toBe('in-place')
  })

  it('runs again after it was killed, before Windows was started again', async () => {
    const host = node.copy()
    const machine = await openSimulator({dir: host.dir, profile: 'ws2019'})
    const before = host.world.services['k8s-win']?.process?.childProcessId
    const taskkill = String.raw`C:\Windows\System32\taskkill.exe`
    await machine.run(taskkill, ['/F', '/IM', 'k8s-win.exe'], {deadlineMs: 10_000, effect: 'change'})
    await machine.clock.sleep(3000)
    const {process, state} = host.world.services['k8s-win'] ?? {}
    expect(state).toBe('running')
    expect(process?.childProcessId).toBeGreaterThan(before ?? Infinity)
  })

  it('makes the node degraded where it does not run', async () => {
    const host = node.copy()
    host.edit(
      ({services}) => void Object.assign(services['k8s-win'] ?? {}, {processId: 0, stage: '', state: 'stopped'}),
    )
    const {document} = await statusOn(host.dir)
    expect(document.exitCode).toBe(8)
    expect(document.problems.map(({id}) => id)).toContain('SERVICE_DOWN')
  })

  it('is removed by --no-watch, for good, and the node is healthy without it', async () => {
    const host = node.copy()
    expect(stateOf(await setupOn(host.dir, {watch: 'false'}, {assets}))).toBe('changed')
    expect(host.world.services['k8s-win']).toBeUndefined()
    expect(stateOf(await setupOn(host.dir, {}, {assets}))).toBe('in-place')
    expect(await codeOf(host)).toBe(0)
  })

  it('is removed by reset before all else', async () => {
    const host = node.copy()
    const {events, result} = await resetOn(host.dir, {given: {purge: true, yes: true}})
    expect(result.exitCode).toBe(0)
    const [begun] = events.flatMap((event) => (event.type === 'step-started' ? [event.id] : []))
    expect(begun).toBe('watch-service')
    expect(host.world.services['k8s-win']).toBeUndefined()
    expect(host.list('k')).toEqual(['kubeconfig'])
  })

  const newer = {assets: runFrom(NEWER)}
  it.each([
    ['setup', (dir: HostPlace) => setupOn(dir, {}, newer)],
    ['upgrade', (dir: HostPlace) => setupOn(dir, {release: '1.22.17'}, {...newer, upgrade: {}})],
    ['recover', (dir: HostPlace) => recoverOn(dir, newer)],
  ])('runs the newer k8s-win with which the node was changed: %s', async (_, run) => {
    const host = node.copy()
    host.put(NEWER.slice(3), makeStandIn({name: 'k8s-win', version: 'v9.9.9'}))
    const before = host.world.services['k8s-win']?.startedAt
    expect(stateOf(await run(host.dir))).toBe('changed')
    expect(host.read(COPY)).toContain('v9.9.9')
    expect(host.world.services['k8s-win']?.startedAt).not.toBe(before)
    expect(stateOf(await setupOn(host.dir, {}, {assets: runFrom(NEWER)}))).toBe('in-place')
  })
})

describe('a k8s-win that cannot be a service', () => {
  const OPEN = {...packaged, program: {command: [String.raw`C:\Users\me\node.exe`, String.raw`C:\Users\me\run.js`]}}

  it('leaves the node unwatched, with a warning', async () => {
    const host = await HostFolder.fresh()
    const {events, result} = await setupOn(host.dir, {}, {assets: OPEN})
    expect(result.exitCode).toBe(0)
    expect(JSON.stringify(events)).toContain('PROGRAM_NOT_INSTALLED')
    expect(host.world.services['k8s-win']).toBeUndefined()
    expect(host.read(String.raw`k\k8s-win\node.yaml`)).not.toContain('enabled')
  })

  it('is refused with --watch, and changes nothing', async () => {
    const host = await HostFolder.fresh()
    const {result} = await setupOn(host.dir, {watch: 'true'}, {assets: OPEN})
    expect(result).toMatchObject({error: {id: 'PROGRAM_NOT_INSTALLED'}, exitCode: 3})
    expect(host.list('k')).toEqual(['kubeconfig', 'k8s-win', 'logs'].toSorted())
  })
})
