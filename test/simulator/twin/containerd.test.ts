// The twin of a node with containerd: what crictl showed of the host, and what changes only on the twin.
import {expect, test} from 'vitest'
import {openPipes} from '../../../src/host/pipe.js'
import {readOnlyMachine} from '../../../src/machine/intercept.js'
import type {Machine} from '../../../src/machine/machine.js'
import {makeStandIn} from '../../../src/simulator/mirror/stand-in.js'
import {openSimulator} from '../../../src/simulator/simulator.js'
import {openTwin, type Twin} from '../../../src/simulator/twin/twin.js'
import {HostFolder} from '../../steps/host-folder.js'
import {CONFIG, CONFIG_3, CRICTL_CONFIG, ENDPOINT} from '../containerd-node.js'
import {serviceConfig} from '../node.js'
import {PIPE} from './rig.js'

const CONTAINERD_PIPE = String.raw`\\.\pipe\containerd-containerd`
const BIN = String.raw`C:\k\containerd\bin`
const CRICTL = `${BIN}\\crictl.exe`
const CTR = `${BIN}\\ctr.exe`
const IMAGE = 'mcr.microsoft.com/windows/nanoserver:ltsc2022'
const LATEST = 'mcr.microsoft.com/windows/nanoserver:latest'
const NODE = String.raw`C:\k\kubernetes\node\bin`

const crictl = ({run}: Machine, ...args: string[]) =>
  run(CRICTL, ['--config', CRICTL_CONFIG, ...args], {deadlineMs: 600_000, effect: 'read'})

async function installContainerd({clock, files, run, win32}: Machine): Promise<void> {
  await files.makeDirectory(BIN)
  for (const [name, version] of [
    ['containerd', 'v2.3.4'],
    ['crictl', 'v1.36.0'],
    ['ctr', 'v2.3.4'],
  ] as const) {
    await files.write(`${BIN}\\${name}.exe`, makeStandIn({name, version}))
  }

  await files.write(String.raw`C:\k\shawl.exe`, makeStandIn({name: 'shawl', version: 'v1.3.0'}))
  await files.write(CONFIG, CONFIG_3)
  await files.write(CRICTL_CONFIG, `runtime-endpoint: ${ENDPOINT}\nimage-endpoint: ${ENDPOINT}\n`)
  const line = `"C:\\k\\shawl.exe" run --name containerd -- ${BIN}\\containerd.exe --config ${CONFIG}`
  await win32.createService('containerd', serviceConfig(line))
  await win32.startService('containerd')
  await clock.sleep(5000)
  await run(CRICTL, ['--config', CRICTL_CONFIG, 'pull', IMAGE], {deadlineMs: 600_000, effect: 'change'})
}

async function twinOf(dir: HostFolder['dir']): Promise<{host: Machine; twin: Twin}> {
  const host = readOnlyMachine(await openSimulator({dir, profile: 'ws2022-containerd', readOnly: true}))
  const ask = async () => ({body: Buffer.from('{}'), headers: {}, status: 404})
  const twin = await openTwin(host, {
    cluster: {
      ask,
      assumedServices: [],
      clusterCIDR: '10.244.0.0/16',
      nodeName: 'win-1',
      serverURL: 'https://10.0.0.10:6443',
    },
    containerd: {
      crictl: CRICTL,
      crictlConfig: CRICTL_CONFIG,
      ctr: CTR,
      endpoint: ENDPOINT,
      isSilent: async () => true,
      pipe: CONTAINERD_PIPE,
      version: 'v2.3.4',
    },
    digests: {},
    dockerPipe: PIPE,
    isHealthy: async () => true,
    programs: {containerd: 'v2.3.4', crictl: 'v1.36.0', ctr: 'v2.3.4'},
    services: ['containerd', 'hns'],
  })
  return {host, twin}
}

test('images are those of the host, and tagged on the twin only', async () => {
  const {dir} = HostFolder.empty()
  await installContainerd(await openSimulator({dir, profile: 'ws2022-containerd'}))
  const {host, twin} = await twinOf(dir)
  expect(twin.world.containerd).toMatchObject({
    config: {address: CONTAINERD_PIPE},
    images: [{osVersion: '10.0.20348.288', tags: [IMAGE]}],
    running: true,
    version: 'v2.3.4',
  })
  const tagged = await twin.machine.run(`${BIN}\\ctr.exe`, ['-n', 'k8s.io', 'images', 'tag', IMAGE, LATEST], {
    deadlineMs: 1000,
    effect: 'change',
  })
  expect(tagged.exitCode).toBe(0)
  expect((await crictl(twin.machine, 'inspecti', '-o', 'json', LATEST)).exitCode).toBe(0)
  expect((await crictl(host, 'inspecti', '-o', 'json', LATEST)).exitCode).toBe(1)
  // A tag that the model does not know is assumed to exist.
  expect((await crictl(twin.machine, 'pull', 'registry.example/app:7')).exitCode).toBe(0)
})

test('containerd can be stopped on the twin, and installed there where the host has none', async () => {
  const {dir} = HostFolder.empty()
  await installContainerd(await openSimulator({dir, profile: 'ws2022-containerd'}))
  const {host, twin} = await twinOf(dir)
  await twin.machine.win32.stopService('containerd')
  await twin.machine.clock.sleep(10_000)
  expect((await crictl(twin.machine, 'version')).exitCode).toBe(1)
  expect((await crictl(host, 'version')).exitCode).toBe(0)

  const bare = await twinOf(HostFolder.empty().dir)
  expect(bare.twin.world.containerd).toMatchObject({installed: false, running: false})
  await installContainerd(bare.twin.machine)
  expect(bare.twin.world.containerd).toMatchObject({images: [{tags: [IMAGE]}], running: true})
  await expect(crictl(bare.host, 'version')).rejects.toThrow('does not exist')
})

test('who serves its pipe is answered by the host while containerd runs as there, and by the twin afterwards', async () => {
  const {dir} = HostFolder.empty()
  await installContainerd(await openSimulator({dir, profile: 'ws2022-containerd'}))
  new HostFolder(dir).edit(({services}) => {
    services['containerd']!.processId = 4700
    services['containerd']!.process!.childProcessId = 4711
  })
  const {twin} = await twinOf(dir)
  const {clock, win32} = twin.machine
  const isServedByItsService = () => openPipes(win32).demand(CONTAINERD_PIPE, 'containerd')
  await win32.queryServiceStatus('containerd')
  expect(await win32.pipeServer(CONTAINERD_PIPE)).toMatchObject({processId: 4711})
  await isServedByItsService()
  await win32.stopService('containerd')
  await clock.sleep(10_000)
  await win32.startService('containerd')
  await clock.sleep(10_000)
  expect((await win32.pipeServer(CONTAINERD_PIPE))?.processId).not.toBe(4711)
  await isServedByItsService()
})

test('a kubelet behind kube-log-runner continues', async () => {
  const {dir} = HostFolder.empty()
  const host = await openSimulator({dir, profile: 'ws2022-containerd'})
  await installContainerd(host)
  await host.files.makeDirectory(NODE)
  await host.files.makeDirectory(String.raw`C:\k\logs\kubelet`)
  for (const name of ['kubelet', 'kube-log-runner']) {
    await host.files.write(`${NODE}\\${name}.exe`, makeStandIn({name, version: 'v1.36.4'}))
  }

  await host.files.write(
    String.raw`C:\k\kubelet-config.yaml`,
    `apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\ncontainerRuntimeEndpoint: ${ENDPOINT}\n`,
  )
  const line = [
    `"${NODE}\\kube-log-runner.exe"`,
    String.raw`-log-file=C:\k\logs\kubelet\kubelet.log`,
    `${NODE}\\kubelet.exe --windows-service --config=C:\\k\\kubelet-config.yaml --kubeconfig=C:\\k\\kubeconfig`,
  ]
  await host.win32.createService('kubelet', serviceConfig(line.join(' ')))
  await host.win32.startService('kubelet')
  await host.clock.sleep(10_000)
  const {twin} = await twinOf(dir)
  await twin.machine.win32.queryServiceStatus('kubelet')
  expect(twin.world.services['kubelet']).toMatchObject({
    listening: ['tcp/10250', 'tcp/10248'],
    process: {childProgram: `${NODE}\\kubelet.exe`},
    state: 'running',
  })
  expect(twin.world.services['kubelet']?.stage).toMatch(/^registered/)
})
