// Faults of a watched node that stopped every repair, or that nobody found.
import {afterAll, beforeAll, expect, onTestFinished, test} from 'vitest'
import {watchSimulated} from '../../src/cli/run/watch-simulated.js'
import {readHealth} from '../../src/runs/watch/state-files.js'
import {OWN_PROGRAM} from '../../src/simulator/profiles/drive.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import {runFrom} from '../fixtures/assets.js'
import {recoverOn} from '../runs/recover-on.js'
import {inspectOn} from '../runs/watch/repair-on.js'
import {statusOn} from '../status/status-on.js'
import {halt} from '../steps/drifts/services.js'
import {HostFolder} from '../steps/host-folder.js'
import {setupOn} from './in-process.js'

const SHAWL = String.raw`k\k8s-win\bin\shawl.exe`
const PROGRAM = String.raw`k\k8s-win\bin\k8s-win.exe`
const STORE = String.raw`var\lib\cni\networks\vxlan0`
const assets = runFrom(OWN_PROGRAM)

const node = HostFolder.empty()
beforeAll(async () => {
  await openSimulator({dir: node.dir, profile: 'ws2019'})
  expect((await setupOn(node.dir, {}, {assets})).result.exitCode).toBe(0)
}, 120_000)
afterAll(() => node.discard())

function copy(): HostFolder {
  const host = node.copy()
  onTestFinished(() => host.discard())
  return host
}

test('review W3-9: a reservation that was cut while it was written is released, and made again', async () => {
  const host = copy()
  const name = host.list(STORE).find((one) => host.read(`${STORE}\\${one}`).startsWith('kube-proxy')) ?? ''
  host.put(`${STORE}\\${name}`, 'kube-proxy')
  expect((await recoverOn(host.dir, {assets})).result).toMatchObject({exitCode: 0})
  expect((await statusOn(host.dir)).document).toMatchObject({exitCode: 0, problems: []})
})

test('review W3-9: another shawl.exe of the watch is drift, and recover writes it again', async () => {
  const host = copy()
  host.put(SHAWL, 'MZ of others')
  const {document} = await statusOn(host.dir)
  expect(document.drift?.find(({step}) => step === 'watch-service')?.state).toBe('drifted')
  expect((await recoverOn(host.dir, {assets})).result.exitCode).toBe(0)
  expect((await statusOn(host.dir)).document.exitCode).toBe(0)
})

test.each([PROGRAM, SHAWL])(
  'review W3-9: a folder in the place of %s stops no step, and is moved aside',
  async (path) => {
    const host = copy()
    host.remove(path)
    host.put(`${path}\\mine.txt`, 'of a user')
    host.edit(({services}) => {
      delete services['kubelet']
      delete services['kubeproxy']
    })
    const {document} = await statusOn(host.dir)
    expect(document.drift?.find(({step}) => step === 'watch-service')?.state).toBe('drifted')
    expect(document.drift?.filter(({state}) => state === 'not-checked')).toEqual([])
    const {result} = await recoverOn(host.dir, {assets})
    expect(result).toMatchObject({exitCode: 0, recap: {failed: 0}})
    expect(host.read(`${path}.damaged\\mine.txt`)).toBe('of a user')
    expect((await statusOn(host.dir)).document.exitCode).toBe(0)
  },
)

test('review W3-9: a word after --base-dir is drift, and no node elsewhere', async () => {
  const host = copy()
  host.edit(({services}) => {
    const {config} = services['k8s-win']!
    services['k8s-win']!.config = {...config, imagePath: `${config.imagePath} --verbose`}
  })
  const {result} = await recoverOn(host.dir, {assets})
  expect(result).toMatchObject({exitCode: 0})
  expect(result.steps.find(({id}) => id === 'watch-service')?.state).toBe('changed')
})

test('review W3-9: an inspection leaves the lost address to the loop, which sees at once that it is back', async () => {
  const host = copy()
  host.edit((world) => (world.adapters = world.adapters.map((adapter) => ({...adapter, addresses: []}))))
  const {problems} = await inspectOn(host.dir)
  expect(problems.map(({error}) => error.id)).not.toContain('NODE_ADDRESS_LOST')
})

test('review W3-9: what nobody repairs on a simulated host is degraded, and not recovering since the last command', async () => {
  const host = copy()
  host.edit((world) => {
    halt(world.services['kubelet']!, world)
    world.services['kubelet']!.exitCode = 1067
  })
  const check = async () => {
    const machine = await openSimulator({dir: host.dir, profile: 'ws2019'})
    await machine.clock.sleep(60_000)
    await watchSimulated({assets, machine})
    return readHealth(machine, String.raw`C:\k`)
  }
  const first = await check()
  const second = await check()
  expect(first).toMatchObject({problems: [{id: 'SERVICE_DOWN'}], verdict: 'degraded'})
  expect(second).toMatchObject({problems: [{id: 'SERVICE_DOWN'}], since: first?.since, verdict: 'degraded'})
  expect(second?.at).not.toBe(first?.at)
})
