// Another release on a node that is set up, and back: the programs of running services are replaced in the right order.
import {expect, onTestFinished, test} from 'vitest'
import {openServices} from '../../src/host/services/services.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import {setup} from '../fixtures/run-setup.js'
import {HostFolder} from '../steps/host-folder.js'
import {nodeAt} from '../upgrade/node-at.js'
import {setupOn} from './in-process.js'
import {sample} from '../sample.js'

const FLANNEL = {digest: `flanneld=sha256:${'ab'.repeat(32)}`, 'flannel-version': '0.27.4'}

async function node(): Promise<HostFolder> {
  const host = HostFolder.empty()
  onTestFinished(() => host.discard())
  expect((await setup(host.dir)).result).toMatchObject({exitCode: 0})
  return host
}

test('a newer patch, a newer minor, and back: each daemon has stopped before its file is replaced', async () => {
  const host = await node()
  for (const release of sample(['1.21.14', '1.22.17', '1.21.5'], 2)) {
    const {effects, result} = await setup(host.dir, {release})
    expect(result, release).toMatchObject({exitCode: 0, node: {ready: true}})
    const told = effects.map(({args, what}) => `${what} ${args.at(-1) ?? ''}`)
    const replaced = told.findIndex((line) => /^rename .*(kubelet|kube-proxy)\.exe$/.test(line))
    const stops = ['kubeproxy', 'kubelet'].map((name) => told.indexOf(`stopService ${name}`))
    expect([...stops, replaced]).toEqual([...stops, replaced].toSorted((a, b) => a - b))
    expect(stops).not.toContain(-1)
    expect(told).not.toContain('stopService flanneld')
    expect(effects.filter(({outcome}) => /EPERM|EBUSY/.test(outcome))).toEqual([])
    expect(host.world.cluster.nodes.find(({name}) => name === 'win-1')?.kubeletVersion).toBe(`v${release}`)
    expect((await setup(host.dir, {release})).result).toMatchObject({recap: {changed: 0}})
  }
})

test('back to a release without the runner of logs: it is removed, and comes back with the newer release', async () => {
  const runner = String.raw`k\kubernetes\node\bin\kube-log-runner.exe`
  const host = await nodeAt('1.26.15')
  for (const [release, isThere] of [
    ['1.25.16', false],
    ['1.26.15', true],
  ] as const) {
    expect((await setupOn(host.dir, {release})).result).toMatchObject({exitCode: 0})
    expect(host.has(runner)).toBe(isThere)
    expect((await setupOn(host.dir)).result).toMatchObject({exitCode: 0, recap: {changed: 0}})
  }
})

test('another flannel: flanneld stops, the kubelet continues', async () => {
  const host = await node()
  const kubelet = host.world.services['kubelet']?.processId
  const {effects, result} = await setup(host.dir, FLANNEL)
  expect(result).toMatchObject({exitCode: 0, node: {ready: true}})
  const told = effects.map(({args, what}) => `${what} ${args.at(-1) ?? ''}`)
  const replaced = told.indexOf(String.raw`rename C:\k\flanneld.exe`)
  expect(told.indexOf('stopService flanneld')).toBeLessThan(replaced)
  expect(host.world.services['kubelet']?.processId).toBe(kubelet)
})

test('a flanneld that dies again and again, under a shawl that dies of being stopped, comes to rest and stays so', async () => {
  const host = await node()
  host.put(String.raw`etc\kube-flannel\net-conf.json`, '{"Network":"192.168.0.0/16","Backend":{"Type":"vxlan"}}')
  const {clock, win32} = await openSimulator({dir: host.dir, profile: 'ws2019'})
  const services = openServices(win32, clock)
  const {signal} = new AbortController()
  await services.stop('flanneld', signal)
  await services.start('flanneld')
  // To a moment between two of its runs.
  for (let tries = 0; !host.world.services['flanneld']?.stage.startsWith('waiting') && tries < 100; tries++) {
    await clock.sleep(100)
  }

  await services.rest('flanneld', signal)
  expect(await services.status('flanneld')).toMatchObject({state: 'stopped', win32ExitCode: 1067})
  await clock.sleep(60_000)
  expect(await services.status('flanneld')).toMatchObject({state: 'stopped'})

  const {effects, result} = await setup(host.dir, FLANNEL)
  expect(result).toMatchObject({exitCode: 0, node: {ready: true}})
  expect(effects.filter(({outcome}) => /EPERM|EBUSY/.test(outcome))).toEqual([])
  expect(host.world.services['flanneld']?.config.failureActions.restartDelaysMs).toEqual([5000, 10_000, 30_000])
  expect((await setup(host.dir, FLANNEL)).result).toMatchObject({recap: {changed: 0}})
})
