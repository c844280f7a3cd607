// crictl.exe: its configuration, its connection, and pulls by the host's build.
import {describe, expect, it} from 'vitest'

import {runProgram} from '../../../src/simulator/programs/index.js'
import {CONFIG_2, CONFIG_3, type ContainerdNode, CRICTL_CONFIG, ENDPOINT, startContainerd} from '../containerd-node.js'

const CRICTL = String.raw`C:\k\containerd\bin\crictl.exe`
const PAUSE = 'registry.k8s.io/pause:3.10.2'
const NANOSERVER = 'mcr.microsoft.com/windows/nanoserver'

const lastLine = (text: string): string => text.trimEnd().split('\n').at(-1) ?? ''
const bare = (node: ContainerdNode, args: readonly string[], env: Record<string, string> = {}) =>
  runProgram(node.stage, CRICTL, args, {deadlineMs: 60_000, effect: 'read', env})

describe('configuration', () => {
  it.each([
    ['runtime: x\n', "Config option 'runtime' is not valid"],
    [`runtime-endpoint: ${ENDPOINT}\ntimeout: soon\n`, "parsing config option 'timeout'"],
    ['runtime-endpoint: unix:///run/containerd/containerd.sock\n', 'protocol \\"unix\\" not supported'],
    ['runtime-endpoint: npipe:////./pipe/other\n', 'open //./pipe/other: The system cannot find the file specified.'],
  ])('%j is refused', async (text, reason) => {
    const node = await startContainerd()
    await node.stage.files.write(CRICTL_CONFIG, text)
    const {exitCode, stderr} = await node.crictl('version')
    expect([exitCode, lastLine(stderr)]).toEqual([1, expect.stringContaining(reason)])
  })

  it('a file that is missing is refused', async () => {
    const node = await startContainerd()
    const {exitCode, stderr} = await bare(node, ['--config', String.raw`C:\none.yaml`, 'version'])
    expect([exitCode, lastLine(stderr)]).toEqual([1, expect.stringContaining('load config file: ')])
  })

  it('flags win over variables, and variables over the file', async () => {
    const node = await startContainerd()
    const env = {CONTAINER_RUNTIME_ENDPOINT: 'npipe:////./pipe/other'}
    expect((await bare(node, ['--config', CRICTL_CONFIG, 'version'], env)).exitCode).toBe(1)
    expect((await bare(node, ['--config', CRICTL_CONFIG, '-r', ENDPOINT, 'version'], env)).exitCode).toBe(0)
  })
})

describe('connection', () => {
  it('a containerd without the CRI is not one', async () => {
    const node = await startContainerd({config: `${CONFIG_3}  bin_dir = 'C:\\k\\cni'\n`})
    const {exitCode, stderr} = await node.crictl('images', '-o', 'json')
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('unknown service runtime.v1.ImageService')])
  })

  it('a pipe of another program does not answer in time', async () => {
    const node = await startContainerd()
    await node.win32.stopService('containerd')
    await node.stage.elapse(10_000)
    node.stage.world.os.listening.push('npipe/containerd-containerd')
    const before = node.stage.now()
    const {exitCode, stderr} = await node.crictl('version')
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('code = DeadlineExceeded')])
    expect(node.stage.now() - before).toBeGreaterThanOrEqual(30_000)
  })

  it('takes an administrator', async () => {
    const node = await startContainerd()
    node.stage.world.os.administrator = false
    expect((await node.crictl('version')).stderr).toContain('Access is denied.')
  })
})

describe('pull', () => {
  it.each([
    ['ws2019', 'v2.3.4', '10.0.17763.'],
    ['ws2022', 'v2.3.4', '10.0.20348.'],
    ['ws2025', 'v2.3.4', '10.0.26100.'],
    ['ws2025', 'v1.7.25', '10.0.26100.'],
  ])('of an index, %s with %s: %s', async (profile, version, osVersion) => {
    const node = await startContainerd({config: CONFIG_2, profile, version})
    expect((await node.crictl('pull', PAUSE)).exitCode).toBe(0)
    const [image] = node.stage.world.containerd.images
    expect(image).toMatchObject({osVersion: expect.stringContaining(osVersion) as string, pinned: true, tags: [PAUSE]})
    const status = JSON.parse((await node.crictl('inspecti', '-o', 'json', PAUSE)).stdout) as object
    expect(status).toMatchObject({
      info: {imageSpec: {'os.version': image?.osVersion}},
      status: {pinned: true, repoDigests: image?.digests},
    })
  })

  it('two at the same time make one image', async () => {
    const node = await startContainerd()
    const both = await Promise.all([node.crictl('pull', PAUSE), node.crictl('pull', PAUSE)])
    expect(both.map(({exitCode}) => exitCode)).toEqual([0, 0])
    expect(node.stage.world.containerd.images).toMatchObject([{tags: [PAUSE]}])
  })

  it('a host of 2025 takes an index without a variant of its own, one of 2019 does not', async () => {
    const new_ = await startContainerd({profile: 'ws2025'})
    expect((await new_.crictl('pull', 'registry.k8s.io/pause:3.9')).exitCode).toBe(0)
    expect(new_.stage.world.containerd.images[0]?.osVersion).toContain('10.0.20348.')
    const old = await startContainerd()
    const {exitCode, stderr} = await old.crictl('pull', `${NANOSERVER}:ltsc2022`)
    expect([exitCode, lastLine(stderr)]).toEqual([
      1,
      expect.stringContaining('no match for platform in manifest: not found'),
    ])
    expect(old.stage.world.containerd.images).toEqual([])
  })

  it.each([
    ['not-found', ': not found'],
    ['truncated', 'unexpected EOF'],
    ['unreachable', 'no such host'],
    ['wrong-bytes', 'unexpected commit digest'],
  ] as const)('%s', async (fault, reason) => {
    const node = await startContainerd()
    node.stage.world.downloads[`${NANOSERVER}:1809`] = {fault}
    const {exitCode, stderr} = await node.crictl('pull', `${NANOSERVER}:1809`)
    expect([exitCode, lastLine(stderr)]).toEqual([1, expect.stringContaining(reason)])
    expect(node.stage.world.containerd.images).toEqual([])
  })

  it('is cancelled by containerd after as long without progress as its configuration allows', async () => {
    const node = await startContainerd()
    node.stage.world.downloads[`${NANOSERVER}:1809`] = {fault: 'stalled'}
    const before = node.stage.now()
    const {exitCode, stderr} = await node.crictl('pull', `${NANOSERVER}:1809`)
    expect([exitCode, lastLine(stderr)]).toEqual([1, expect.stringMatching(/code = Canceled .*context canceled/)])
    expect(node.stage.now() - before).toBeGreaterThanOrEqual(30 * 60_000)
    expect(node.stage.world.containerd.images).toEqual([])
  })

  it('fails on a full disk, and where containerd stops', async () => {
    const node = await startContainerd()
    node.stage.world.os.drives = {'C:': {fileSystem: 'NTFS', freeBytes: 1000, kind: 'fixed', totalBytes: 1e12}}
    expect((await node.crictl('pull', `${NANOSERVER}:1809`)).stderr).toContain('There is not enough space on the disk')
    const pulling = node.crictl('pull', 'mcr.microsoft.com/windows/servercore:ltsc2019')
    await node.win32.stopService('containerd')
    expect((await pulling).stderr).toContain('code = Unavailable')
  })

  it('asks a mirror of hosts.toml first, then the registry', async () => {
    const node = await startContainerd()
    const folder = String.raw`C:\k\containerd\certs.d\mcr.microsoft.com`
    await node.stage.files.makeDirectory(folder)
    const hosts =
      'server = "https://mcr.microsoft.com"\n[host."https://mirror.example:5000"]\ncapabilities = ["pull"]\n'
    await node.stage.files.write(`${folder}\\hosts.toml`, hosts)
    node.stage.world.downloads[`${NANOSERVER}:1809`] = {fault: 'unreachable'}
    expect((await node.crictl('pull', `${NANOSERVER}:1809`)).exitCode).toBe(0)
    node.stage.world.containerd.images = []
    node.stage.world.downloads['mirror.example:5000/windows/nanoserver:1809'] = {fault: 'unreachable'}
    expect((await node.crictl('pull', `${NANOSERVER}:1809`)).exitCode).toBe(1)
    // A file that cannot be decoded is as none.
    node.stage.world.downloads = {}
    await node.stage.files.write(`${folder}\\hosts.toml`, 'server = ')
    expect((await node.crictl('pull', `${NANOSERVER}:1809`)).exitCode).toBe(0)
  })
})

it('sees a name that ctr gave only where it is a full one', async () => {
  const node = await startContainerd()
  await node.crictl('pull', `${NANOSERVER}:1809`)
  for (const [name, code] of [
    [`${NANOSERVER}:latest`, 0],
    ['nanoserver:latest', 1],
  ] as const) {
    expect((await node.ctr('images', 'tag', `${NANOSERVER}:1809`, name)).exitCode).toBe(0)
    expect((await node.crictl('inspecti', '-o', 'json', name)).exitCode).toBe(code)
  }
})

it('reports whether the first configuration by name is valid', async () => {
  const node = await startContainerd()
  const status = async () =>
    JSON.parse((await node.crictl('info', '-o', 'json')).stdout) as {
      lastCNILoadStatus: string
      status: {conditions: {status: boolean; type: string}[]}
    }
  const isReady = ({status: {conditions}}: Awaited<ReturnType<typeof status>>): boolean | undefined =>
    conditions.find(({type}) => type === 'NetworkReady')?.status
  expect(isReady(await status())).toBe(false)
  const write = (file: string, value: unknown): Promise<void> =>
    node.stage.files.write(`C:\\k\\cni\\config\\${file}`, typeof value === 'string' ? value : JSON.stringify(value))
  await write('10-flannel.conflist', {cniVersion: '1.0.0', name: 'vxlan0', plugins: [{type: 'flannel'}]})
  expect(isReady(await status())).toBe(true)
  for (const broken of ['{', {plugins: [{type: 'flannel'}]}, {name: 'x', plugins: []}, {name: 'x', plugins: [{}]}]) {
    await write('00-broken.conflist', broken)
    const now = await status()
    expect(isReady(now)).toBe(false)
    expect(now.lastCNILoadStatus).toContain('invalid cni config')
  }
})
