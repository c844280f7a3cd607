// containerd.exe as a service: what it refuses, its pipe, and what ends with it.
import {describe, expect, it} from 'vitest'

import {CONFIG, CONFIG_2, CONFIG_3, makeContainerdNode, startContainerd} from '../containerd-node.js'
import {codeOf} from '../node.js'
import {install} from '../stage.js'

it('opens its pipe, makes its folders and reports what it read', async () => {
  const node = await startContainerd()
  const {world} = node.stage
  expect(world.containerd).toMatchObject({
    config: {address: String.raw`\\.\pipe\containerd-containerd`, sandboxImage: 'registry.k8s.io/pause:3.10.2'},
    installed: true,
    running: true,
    version: 'v2.3.4',
  })
  expect(world.services['containerd']?.listening).toEqual(['npipe/containerd-containerd'])
  for (const folder of [String.raw`C:\ProgramData\containerd\root`, String.raw`C:\ProgramData\containerd\state`]) {
    expect((await node.stage.files.status(folder))?.kind).toBe('directory')
  }
  expect(await node.log()).toContain('containerd successfully booted')
})

it.each([
  ['v1.7.25', CONFIG_3, 'unsupported config version `3`'],
  ['v2.2.7', CONFIG_3.replace('version = 3', 'version = 4'), 'equal to or less than `3`, got `4`'],
  ['v2.3.4', 'version = 3\nroot = C:\\x', 'failed to unmarshal TOML at row 2'],
])('%s does not start with %j', async (version, config, reason) => {
  const node = await startContainerd({config, version})
  expect(node.stage.world.containerd).toMatchObject({installed: false, running: false})
  expect(await node.log()).toContain(`containerd: `)
  expect(await node.log()).toContain(reason)
  expect(node.stage.world.services['containerd']?.restarts).toBeGreaterThan(1)
})

it('needs the file that its command line names', async () => {
  const node = await makeContainerdNode()
  await node.stage.files.remove(CONFIG)
  await node.win32.startService('containerd')
  await node.stage.elapse(3000)
  expect(await node.log()).toContain('The system cannot find the file specified.')
  expect(node.stage.world.containerd.running).toBe(false)
})

it('does not take a pipe that something else has', async () => {
  const node = await makeContainerdNode()
  node.stage.world.os.listening.push('npipe/containerd-containerd')
  await node.win32.startService('containerd')
  await node.stage.elapse(5000)
  expect(node.stage.world.containerd.running).toBe(false)
  expect(await node.log()).toContain('Access is denied.')
})

it('reads its file again only when it starts', async () => {
  const node = await startContainerd({config: CONFIG_2, version: 'v1.7.25'})
  await node.stage.files.write(CONFIG, CONFIG_2.replace('pause:3.10.2', 'pause:3.9'))
  await node.stage.elapse(10_000)
  expect(node.stage.world.containerd.config?.sandboxImage).toBe('registry.k8s.io/pause:3.10.2')
  await node.win32.stopService('containerd')
  await node.stage.elapse(10_000)
  await node.win32.startService('containerd')
  await node.stage.elapse(5000)
  expect(node.stage.world.containerd.config?.sandboxImage).toBe('registry.k8s.io/pause:3.9')
})

it('ends when its CNI folder is removed, and makes it again when it starts', async () => {
  const node = await startContainerd()
  const folder = String.raw`C:\k\cni\config`
  await node.stage.files.remove(folder)
  await node.stage.elapse(500)
  expect(await node.log()).toContain('cni conf dir is removed, stop watching')
  await node.stage.elapse(5000)
  expect(node.stage.world.containerd.running).toBe(true)
  expect((await node.stage.files.status(folder))?.kind).toBe('directory')
})

it('before 2.1 continues without its CNI folder, and reads nothing from a new one until it starts again', async () => {
  const node = await startContainerd({config: CONFIG_2, version: 'v1.7.25'})
  const path = String.raw`C:\k\cni\config\10-x.conflist`
  const status = async (): Promise<unknown> =>
    (JSON.parse((await node.crictl('info')).stdout) as {lastCNILoadStatus: string}).lastCNILoadStatus
  await node.stage.files.remove(String.raw`C:\k\cni\config`)
  await node.stage.elapse(5000)
  await node.stage.files.makeDirectory(String.raw`C:\k\cni\config`)
  await node.stage.files.write(path, '{"cniVersion":"1.0.0","name":"x","plugins":[{"type":"flannel"}]}')
  expect(await status()).toContain('cni plugin not initialized')
  await node.win32.stopService('containerd')
  await node.stage.elapse(10_000)
  await node.win32.startService('containerd')
  await node.stage.elapse(5000)
  expect(await status()).toBe('OK')
})

describe('pods', () => {
  const SANDBOX = {
    attempt: 0,
    containers: [],
    createdAt: 0,
    id: 'a'.repeat(64),
    labels: {},
    name: 'web',
    namespace: 'default',
    state: 'SANDBOX_READY',
    uid: '1',
  } as const

  it('end with a stop of its service', async () => {
    const node = await startContainerd()
    node.stage.world.containerd.sandboxes.push({...SANDBOX, containers: []})
    await node.win32.stopService('containerd')
    await node.stage.elapse(10_000)
    expect(node.stage.world.containerd).toMatchObject({running: false, sandboxes: [{state: 'SANDBOX_NOTREADY'}]})
  })

  it('survive its crash', async () => {
    const node = await startContainerd()
    node.stage.world.containerd.sandboxes.push({...SANDBOX, containers: []})
    await node.stage.files.remove(String.raw`C:\k\cni\config`)
    await node.stage.elapse(500)
    expect(node.stage.world.containerd).toMatchObject({running: false, sandboxes: [{state: 'SANDBOX_READY'}]})
  })
})

it('is a service of its own with --run-service, and nothing but a program without', async () => {
  const program = String.raw`C:\k\containerd\bin\containerd.exe`
  const own = await startContainerd({imagePath: `"${program}" --run-service --config ${CONFIG}`})
  expect(own.stage.world.containerd.running).toBe(true)
  const bare = await makeContainerdNode({imagePath: `"${program}" --config ${CONFIG}`})
  expect(await codeOf(bare.win32.startService('containerd'))).toBe(1053)
})

it('keeps its images while its root is there, also without its service', async () => {
  const node = await startContainerd()
  await node.crictl('pull', 'registry.k8s.io/pause:3.10.2')
  await node.win32.stopService('containerd')
  await node.stage.elapse(10_000)
  expect(node.stage.world.containerd).toMatchObject({installed: true, running: false})
  await node.win32.deleteService('containerd')
  await node.stage.elapse(1000)
  expect(node.stage.world.containerd).toMatchObject({installed: false})
  expect(node.stage.world.containerd.images).toHaveLength(1)
  await node.stage.files.remove(String.raw`C:\ProgramData\containerd`)
  await node.stage.elapse(1000)
  expect(node.stage.world.containerd).toEqual({images: [], installed: false, running: false, sandboxes: []})
})

it('of an older major does not serve the CRI on a root that a newer one has opened, until that one is back', async () => {
  const node = await startContainerd({config: CONFIG_2})
  const program = String.raw`C:\k\containerd\bin\containerd.exe`
  const swap = async (version: string) => {
    await node.win32.stopService('containerd')
    await node.stage.elapse(10_000)
    await install(node.stage, program, 'containerd', version)
    await node.win32.startService('containerd')
    await node.stage.elapse(5000)
    return node.crictl('version')
  }
  expect(await swap('v2.2.7')).toMatchObject({exitCode: 0})
  expect((await swap('v1.7.25')).stderr).toContain('unknown service runtime.v1.RuntimeService')
  expect(await node.log()).toContain('its root was opened by containerd v2.3.4')
  expect(await swap('v2.0.5')).toMatchObject({exitCode: 0})
  await node.stage.files.remove(String.raw`C:\ProgramData\containerd`)
  expect(await swap('v1.7.25')).toMatchObject({exitCode: 0})
})
