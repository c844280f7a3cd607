// Input, hosts and clusters that do not fit a node with containerd: whole runs. Refused before anything is changed, or
// failed so that the next run completes.
import {describe, expect, it, test} from 'vitest'
import type {GivenOptions} from '../../src/config/options/options.js'
import {FileError} from '../../src/machine/files.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import type {DownloadState, World} from '../../src/simulator/world.js'
import {allowEverything} from '../fakes/administrator.js'
import {faultyMachine} from '../fakes/faulty.js'
import {drive, GIB, service} from '../hosts/sick-host.js'
import {resetOn} from '../reset/reset-run.js'
import {sample} from '../sample.js'
import {HostFolder} from '../steps/host-folder.js'
import {setupOn, type Watch} from './in-process.js'

const PROFILE = 'ws2022-containerd'
const NANOSERVER = 'mcr.microsoft.com/windows/nanoserver:ltsc2022'
const PAUSE = 'registry.k8s.io/pause:3.10.2'
const WINDOWS = {'kubernetes.io/os': 'windows'}

async function fresh(sicken: (world: World, host: HostFolder) => void, profile = PROFILE): Promise<HostFolder> {
  const host = HostFolder.empty()
  await openSimulator({dir: host.dir, profile})
  host.edit((world) => sicken(world, host))
  return host
}

const setup = async (host: HostFolder, given: GivenOptions = {}, watch: Watch = {}, profile = PROFILE) =>
  (await setupOn(host.dir, given, watch, profile)).result

const daemonSet = (name: string, image: string) => (world: World) => {
  allowEverything(world)
  world.cluster.daemonSets = [{hostProcess: true, image, name, namespace: 'kube-system', nodeSelector: WINDOWS}]
}

interface Refused {
  /** What to type. */
  readonly fix: string
  readonly given?: GivenOptions
  readonly id: string
  readonly name: string
  readonly profile?: string
  sicken?(world: World, host: HostFolder): void
}

const INPUT: readonly Refused[] = [
  {
    fix: 'Kubernetes 1.21 to 1.37 to --release, or update k8s-win',
    given: {release: '1.38.0'},
    id: 'RELEASE_UNSUPPORTED',
    name: 'a minor that is not known yet',
  },
  {
    fix: 'stable release',
    given: {release: '1.36.0-rc.1'},
    id: 'RELEASE_UNSUPPORTED',
    name: 'a pre-release',
  },
  {
    fix: 'Remove --runtime',
    given: {release: '1.24.17', runtime: 'docker'},
    id: 'DOCKER_UNSUPPORTED',
    name: 'Docker with 1.24',
  },
  {
    fix: '--runtime to docker or auto',
    given: {release: '1.23.17', runtime: 'containerd'},
    id: 'BAD_VALUE',
    name: 'containerd with 1.23',
  },
  {
    fix: 'registry.example.com:5000',
    given: {'image-registry': 'registry/mcr'},
    id: 'BAD_VALUE',
    name: 'a mirror that is not a host',
  },
]

const HOSTS: readonly Refused[] = [
  {
    fix: 'net stop docker',
    given: {release: '1.36.4'},
    id: 'DOCKER_BESIDE_CONTAINERD',
    name: 'Docker runs',
    profile: 'ws2022',
    sicken: ({cluster}) => (cluster.version = 'v1.36.4'),
  },
  {
    fix: 'sc.exe delete containerd',
    given: {adopt: true},
    id: 'CONTAINERD_UNFIT',
    name: 'the service containerd runs another program, which --adopt does not take over',
    sicken: (world) => service(world, 'containerd', 'running', 'automatic'),
  },
  {
    fix: 'tasklist /svc',
    id: 'PIPE_TAKEN',
    name: 'the pipe belongs to another program',
    sicken: ({os}) => os.listening.push('npipe/containerd-containerd'),
  },
  {
    fix: String.raw`ren C:\k\cni\config\05-other.conflist 05-other.conflist.off`,
    id: 'FOREIGN_CNI_CONFIG',
    name: 'another CNI configuration comes before',
    sicken: (_, host) => host.put(String.raw`k\cni\config\05-other.conflist`, '{}'),
  },
  {
    fix: String.raw`ren C:\k\cni\config\20-other.conf 20-other.conf.off`,
    id: 'OTHER_CNI_CONFIG',
    name: 'another CNI configuration comes after',
    sicken: (_, host) => host.put(String.raw`k\cni\config\20-other.conf`, '{}'),
  },
  {
    fix: 'kubectl -n kube-system delete daemonset kube-flannel-ds-windows',
    id: 'HOST_PROCESS_NETWORK',
    name: 'flannel runs in host processes',
    sicken: daemonSet('kube-flannel-ds-windows', 'sigwindowstools/flannel:v0.21.5-hostprocess'),
  },
  {
    fix: 'kubectl -n kube-system delete daemonset kube-proxy-windows',
    id: 'HOST_PROCESS_NETWORK',
    name: 'kube-proxy runs in host processes',
    sicken: daemonSet('kube-proxy-windows', 'sigwindowstools/kube-proxy:v1.36.0-flannel-hostprocess'),
  },
  {
    fix: 'at least 20.8 GB are free',
    id: 'DISK_FULL',
    name: 'the drive of images has no room',
    sicken: (world) => drive(world, 'C:', {freeBytes: 9 * GIB}),
  },
  {
    fix: 'Or update k8s-win',
    id: 'VERSION_SKEW',
    name: 'the cluster is newer than every release that is known',
    sicken: ({cluster}) => (cluster.version = 'v1.40.0'),
  },
  {
    fix: '--release 1.31.1',
    given: {release: '1.31.0'},
    id: 'WINDOWS_UNSUPPORTED',
    name: 'a release whose kubelet does not start',
    sicken: ({cluster}) => (cluster.version = 'v1.31.0'),
  },
]

describe.each([
  [2, INPUT],
  [3, HOSTS],
] as const)('exit %s, nothing changed:', (exit, cases) => {
  it.each(sample(cases, 3))('$name', async ({fix, given, id, profile = PROFILE, sicken = () => {}}) => {
    const host = await fresh(sicken, profile)
    const before = host.state
    const {error, exitCode} = await setup(host, given, {}, profile)
    expect({exitCode, id: error?.id}).toEqual({exitCode: exit, id})
    expect(error?.fix).toContain(fix)
    expect(host.state).toEqual(before)
  })
})

/** What was done before stays done, and the run after completes. */
async function completes(host: HostFolder, given: GivenOptions = {}): Promise<void> {
  expect(await setup(host, given)).toMatchObject({exitCode: 0, node: {ready: true}})
}

describe('exit 4, and the next run completes:', () => {
  const faulty = (reference: string, fault: DownloadState['fault']) => (world: World) =>
    void (world.downloads[reference] = {...(fault && {fault})})

  it.each<readonly [string, string, string, GivenOptions, (world: World) => void]>(
    sample(
      [
        [
          'a pull is cancelled while unpacking',
          'PULL_CANCELLED',
          'again',
          {timeout: '3h'},
          faulty(NANOSERVER, 'stalled'),
        ],
        [
          'the registry has no variant for this build',
          'IMAGE_MISMATCH',
          'windows/nanoserver:ltsc2022 with the variants',
          {},
          faulty(NANOSERVER, 'no-variant'),
        ],
        ['the sandbox image has none', 'IMAGE_MISMATCH', '--image-registry', {}, faulty(PAUSE, 'no-variant')],
        [
          'the registry of the sandbox image is not reached',
          'PULL_FAILED',
          '--image-registry',
          {},
          faulty(PAUSE, 'unreachable'),
        ],
        [
          'the disk is full while unpacking an image',
          'NO_SPACE_FOR_IMAGE',
          'Free up space',
          {'ignore-check': 'disk,containerd-disk'},
          (world) => drive(world, 'C:', {freeBytes: 10_000_000}),
        ],
      ],
      3,
    ),
  )('%s', async (_, id, fix, given, sicken) => {
    const host = await fresh(sicken)
    const {error, exitCode} = await setup(host, given)
    expect({exitCode, id: error?.id}).toEqual({exitCode: 4, id})
    expect(error?.fix).toContain(fix)
    host.edit((world) => {
      world.downloads = {}
      drive(world, 'C:', {freeBytes: 90 * GIB})
    })
    await completes(host)
  })

  it('a patch that was not released', async () => {
    const release = '1.36.99'
    const url = `https://dl.k8s.io/v${release}/kubernetes-node-windows-amd64.tar.gz`
    const host = await fresh(({downloads}) => {
      for (const one of [url, `${url}.sha512`]) downloads[one] = {fault: 'not-found'}
    })
    const {checks, error, exitCode} = await setup(host, {release})
    expect({exitCode, id: error?.id}).toEqual({exitCode: 4, id: 'NO_DIGEST'})
    expect(checks.find(({id}) => id === 'release-windows')?.result).toBe('warn')
    expect(host.has(String.raw`k\kubernetes\node\bin\kubelet.exe`)).toBe(false)
    await completes(host, {release: '1.36.4'})
  })
})

test('a pull that makes no progress until --timeout has passed: the image and its registry are named', async () => {
  const host = await fresh(({downloads}) => (downloads[NANOSERVER] = {fault: 'stalled'}))
  const {error, exitCode} = await setup(host)
  expect({exitCode, id: error?.id}).toEqual({exitCode: 6, id: 'TIMEOUT_PASSED'})
  expect(error?.cause).toContain(`pull ${NANOSERVER}`)
  expect(error?.fix).toContain(' mcr.microsoft.com may not respond')
})

test('a patch that is newer than the catalogue is set up, with the digest of its publisher and a warning', async () => {
  const host = await fresh(() => {})
  const {checks, exitCode} = await setup(host, {release: '1.36.5'})
  const warned = checks.find(({id}) => id === 'release-windows')
  expect({exitCode, result: warned?.result}).toEqual({exitCode: 0, result: 'warn'})
  expect(warned?.fix).toContain('--release 1.36.4')
  expect(host.world.cluster.nodes.find(({name}) => name === 'win-1')?.kubeletVersion).toBe('v1.36.5')
})

test('the disk is full while an archive is unpacked to the base directory: exit 5, and the next run completes', async () => {
  const host = await fresh(() => {})
  const path = String.raw`C:\k\downloads\containerd.staged\containerd.exe`
  const {error, exitCode} = await setup(
    host,
    {},
    {
      wrap: (machine) =>
        faultyMachine(machine, [
          {
            at: ({args, what}) => what === 'writeChunks' && args[0] === path,
            does: new FileError('write', path, 'ENOSPC'),
            when: 'before',
          },
        ]),
    },
  )
  expect({exitCode, id: error?.id}).toEqual({exitCode: 5, id: 'FILE_REFUSED'})
  expect(error?.fix).toContain('Free up space')
  expect(host.has(String.raw`k\containerd\bin\containerd.exe`)).toBe(false)
  await completes(host)
})

test('a node with Docker gets containerd in the order that the errors say: reset, no Docker, setup', async () => {
  const [profile, release] = ['ws2022', '1.24.17']
  const host = await fresh(() => {}, profile)
  expect(await setup(host, {release: '1.23.17'}, {}, profile)).toMatchObject({exitCode: 0})
  host.edit(({cluster}) => (cluster.version = 'v1.24.17'))
  const before = host.state
  expect(await setup(host, {release}, {}, profile)).toMatchObject({
    error: {command: 'k8s-win reset --drain', id: 'RUNTIME_CHANGE'},
    exitCode: 3,
  })
  expect(host.state).toEqual(before)

  expect((await resetOn(host.dir, {given: {yes: true}, profile})).result).toMatchObject({exitCode: 0})
  const {clock, win32} = await openSimulator({dir: host.dir, profile})
  await win32.stopService('docker')
  await win32.changeService('docker', {startType: 'disabled'})
  await clock.sleep(20_000)
  expect(await setup(host, {release}, {}, profile)).toMatchObject({exitCode: 0, node: {ready: true}})
})
