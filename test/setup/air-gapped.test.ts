// A node with containerd on a host without the Internet: a mirror of the registries, downloads that are there already, and
// a proxy.
import {beforeAll, describe, expect, it, test} from 'vitest'
import type {GivenOptions} from '../../src/config/options/options.js'
import {HttpError} from '../../src/machine/http.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import type {World} from '../../src/simulator/world.js'
import {registry, text} from '../hosts/sick-host.js'
import {HostFolder} from '../steps/host-folder.js'
import {setupOn, type Watch} from './in-process.js'

const PROFILE = 'ws2022-containerd'
const MIRROR = 'mirror.example:5000/copy'
const PAUSE = 'registry.k8s.io/pause:3.10.2'
const CERTS = String.raw`k\containerd\certs.d`
const HOSTS = ['mcr.microsoft.com', 'registry.k8s.io'].map((name) => `${CERTS}\\${name}\\hosts.toml`)

async function fresh(sicken: (world: World) => void = () => {}): Promise<HostFolder> {
  const host = HostFolder.empty()
  await openSimulator({dir: host.dir, profile: PROFILE})
  host.edit(sicken)
  return host
}

const setup = async (host: HostFolder, given: GivenOptions = {}, watch: Watch = {}) =>
  (await setupOn(host.dir, given, watch, PROFILE)).result

function unreachable({downloads}: World): void {
  for (const image of ['windows/nanoserver:ltsc2022', 'windows/servercore:ltsc2022']) {
    downloads[`mcr.microsoft.com/${image}`] = {fault: 'unreachable'}
  }
  downloads[PAUSE] = {fault: 'unreachable'}
}

describe('--image-registry', () => {
  let mirrored = HostFolder.empty()
  beforeAll(async () => {
    mirrored = await fresh(unreachable)
    expect(await setup(mirrored, {'image-registry': MIRROR})).toMatchObject({exitCode: 0, node: {ready: true}})
  })

  it('is a mirror of the base images and, with the same path, of the sandbox image', () => {
    for (const file of HOSTS) expect(mirrored.read(file)).toContain('[host."https://mirror.example:5000/v2/copy"]')
    const tags = mirrored.world.containerd.images.flatMap((image) => image.tags)
    expect(tags.sort()).toEqual([
      `${MIRROR}/windows/nanoserver:latest`,
      `${MIRROR}/windows/nanoserver:ltsc2022`,
      `${MIRROR}/windows/servercore:latest`,
      `${MIRROR}/windows/servercore:ltsc2022`,
      PAUSE,
    ])
  })

  it('is asked at every pull, so that containerd continues when it changes or is given no more', async () => {
    const host = mirrored.copy()
    host.edit((world) => (world.downloads = {}))
    const startedAt = host.world.services['containerd']?.startedAt
    const other = await setup(host, {'image-registry': 'other.example'})
    expect(other.steps.filter(({state}) => state === 'changed').map(({id}) => id)).toEqual([
      'containerd-config',
      'base-images',
    ])
    for (const file of HOSTS) expect(host.read(file)).toContain('[host."https://other.example"]')

    expect(await setup(host, {'image-registry': 'mcr.microsoft.com'})).toMatchObject({exitCode: 0})
    expect(HOSTS.filter((file) => host.has(file))).toEqual([])
    expect(await setup(host)).toMatchObject({recap: {changed: 0}})
    expect(host.world.services['containerd']?.startedAt).toBe(startedAt)
  })

  it('need not have the sandbox image where its registry is reached', async () => {
    const host = await fresh(({downloads}) => (downloads[`${MIRROR}/pause:3.10.2`] = {fault: 'not-found'}))
    expect(await setup(host, {'image-registry': MIRROR})).toMatchObject({exitCode: 0})
  })
})

test('with the files of another node in the folder of downloads, and a mirror, nothing is fetched', async () => {
  const online = await fresh()
  expect(await setup(online)).toMatchObject({exitCode: 0})
  const host = await fresh(unreachable)
  const folder = String.raw`k\downloads`
  for (const name of online.list(folder)) host.copyFrom(online, `${folder}\\${name}`)
  const wrap: Watch['wrap'] = (machine) => ({
    ...machine,
    http: {
      ...machine.http,
      download: ({url}) => Promise.reject(new HttpError(url, 'ENOTFOUND', 'no such host')),
    },
  })
  expect(await setup(host, {'image-registry': MIRROR}, {wrap})).toMatchObject({exitCode: 0, node: {ready: true}})
})

describe('a proxy of the machine', () => {
  const ENVIRONMENT = String.raw`HKLM\SYSTEM\CurrentControlSet\Control\Session Manager\Environment`
  const SERVICES = ['containerd', 'flanneld', 'kubelet', 'kubeproxy']
  const environmentOf = ({world}: HostFolder, service = 'containerd'): string =>
    JSON.stringify(
      Object.entries(world.registry).filter(([key]) => key.toLowerCase().endsWith(`\\services\\${service}`)),
    )
  const behind = (url: string) => (world: World) =>
    registry(world, ENVIRONMENT, {HTTPS_PROXY: text(url), NO_PROXY: text('10.0.0.0/8')})

  it('is in the environment of the daemons; another one restarts them', async () => {
    const host = await fresh(behind('http://proxy.example:3128'))
    expect(await setup(host)).toMatchObject({exitCode: 0})
    for (const service of SERVICES) {
      expect(environmentOf(host, service)).toContain('HTTPS_PROXY=http://proxy.example:3128')
      expect(environmentOf(host, service)).toContain('NO_PROXY=10.0.0.0/8')
    }
    host.edit(behind('http://proxy.example:8080'))
    const {steps} = await setup(host)
    const changed = steps.filter(({state}) => state === 'changed').map(({id}) => id)
    expect(changed).toEqual(expect.arrayContaining(SERVICES.map((service) => `${service}-service`)))
    for (const service of SERVICES)
      expect(environmentOf(host, service)).toContain('HTTPS_PROXY=http://proxy.example:8080')
  })

  it('reaches the daemons, also if it was set since the last start of Windows', async () => {
    const url = 'http://proxy.example:3128'
    const host = await fresh((world) => {
      world.cluster.proxy = url
      world.os.bootEnvironment = {...world.environment}
      registry(world, ENVIRONMENT, {HTTPS_PROXY: text(url)})
    })
    // As k8s-win itself does, whose variables are those of a new session.
    const wrap: Watch['wrap'] = (machine) => ({
      ...machine,
      http: {...machine.http, request: (request) => machine.http.request({proxy: url, ...request})},
    })
    expect(await setup(host, {}, {wrap})).toMatchObject({exitCode: 0, node: {ready: true}})
  })

  it('with a password is nowhere but where it was', async () => {
    const host = await fresh(behind('http://someone:hunter2@proxy.example:3128'))
    const {events, result} = await setupOn(host.dir, {}, {}, PROFILE)
    expect(result.checks.find(({id}) => id === 'containerd-proxy')?.result).toBe('warn')
    const own = host.paths.filter((path) => /^k\/(?:k8s-win|logs\/k8s-win)\/.*\./.test(path))
    const files = own.map((path) => host.read(path.replaceAll('/', '\\')))
    expect(files.length).toBeGreaterThan(2)
    const isIn = (text: string): boolean => text.includes('hunter2')
    expect([JSON.stringify([events, result]), environmentOf(host), ...files].filter(isIn)).toEqual([])
    expect(host.transcript.filter((line) => line.kind === 'change' && isIn(JSON.stringify(line)))).toEqual([])
  })
})
