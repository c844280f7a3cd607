// The world of a twin at its start. Services, registry keys and files are read on demand.
import type {Files} from '../../machine/files.js'
import type {Machine} from '../../machine/machine.js'
import {systemRoot} from '../../machine/system-program.js'
import {type RegistryValue, type Win32, Win32Error} from '../../machine/win32.js'
import type {ContainerdSandbox} from '../containerd/state.js'
import {type HnsEndpoint, type HnsNetwork, isOnAdapter, isOverlay} from '../windows/hns-objects.js'
import {cidrContains, formatAddress, parseCidr} from '../windows/names.js'
import {environmentOf} from '../windows/registry.js'
import type {ClusterState, HnsState, OsState, World} from '../world.js'
import {type CrictlFiles, seedContainerd, type Unanswered} from './seed-containerd.js'
import {seedDocker} from './seed-docker.js'

const VERSION_KEY = String.raw`SOFTWARE\Microsoft\Windows NT\CurrentVersion`
const SUBNET_ENV = String.raw`C:\run\flannel\subnet.env`
const SWITCH_NAME = /^vEthernet \((.+)\)$/i
const ENVIRONMENT_KEY = String.raw`SYSTEM\CurrentControlSet\Control\Session Manager\Environment`

/** What the host has of container runtimes. */
export interface Runtimes {
  readonly containerd?: CrictlFiles
  readonly dockerPipe: string
}

export interface Seeded {
  readonly unanswered?: Unanswered
  readonly world: World
}

export async function seedWorld(host: Machine, runtimes: Runtimes, cluster: ClusterState): Promise<Seeded> {
  const {clock, http, win32} = host
  const [os, features, adapters, routes, hns, docker, {state: containerd, ...crictl}, stored, root] = await Promise.all(
    [
      seedOs(win32, clock.now()),
      seedFeatures(win32),
      win32.adapters(),
      win32.routes(),
      seedHns(win32),
      seedDocker(http, runtimes.dockerPipe),
      seedContainerd(host.run, runtimes.containerd),
      win32.registryValues('HKLM', ENVIRONMENT_KEY),
      systemRoot(win32),
    ],
  )
  const vswitch = seedSwitch({adapters, hns})
  const podCIDRHint = await seedPodCIDR(hns, host.files, cluster.clusterCIDR)
  const world: World = {
    $schema: '',
    adapters,
    cluster: {...cluster, ...(podCIDRHint !== undefined && {podCIDRHint})},
    containerd: {...containerd, sandboxes: containerd.sandboxes.map((sandbox) => withAddress(sandbox, hns))},
    docker,
    downloads: {},
    // Windows sets the first three itself.
    environment: {COMPUTERNAME: os.computerName, SystemDrive: root.slice(0, 2), ...environmentOf(stored, root)},
    firewall: {},
    hns,
    os: {...os, ...features, ...(vswitch && {vswitch})},
    registry: {},
    routes,
    security: {},
    services: {},
  }
  return {...crictl, world}
}

/** win-overlay names the endpoint of a pod after its sandbox. */
function withAddress(sandbox: ContainerdSandbox, {endpoints}: HnsState): ContainerdSandbox {
  const own = (endpoints as unknown as HnsEndpoint[]).find(({Name: name}) => name?.startsWith(`${sandbox.id}_`))
  return own?.IPAddress === undefined ? sandbox : {...sandbox, ip: own.IPAddress}
}

async function seedOs(win32: Win32, now: number): Promise<OsState> {
  const [administrator, computerName, version] = await Promise.all([
    win32.isAdministrator(),
    win32.computerName(),
    win32.registryValues('HKLM', VERSION_KEY),
  ])
  const data = (name: string): RegistryValue['data'] | undefined => version[name]?.data
  return {
    administrator,
    build: Number(data('CurrentBuild') ?? 0),
    computerName,
    listening: [],
    offlineUntil: 0,
    productName: String(data('ProductName') ?? 'Windows'),
    profile: 'twin',
    time: now,
    ubr: Number(data('UBR') ?? 0),
  }
}

/** Without vmcompute.dll there is no HNS. */
async function seedFeatures(win32: Win32): Promise<Pick<OsState, 'features'>> {
  try {
    await win32.hnsCall('GET', '/globals/version', '')
    return {}
  } catch (error) {
    if (error instanceof Win32Error && error.call === 'LoadLibrary') {
      // A plan shows the steps after the restart, too.
      return {features: {containers: false, restart: false}}
    }
    throw error
  }
}

/** What HNS refuses is empty; the models refuse for the same reason. */
async function seedHns(win32: Win32): Promise<HnsState> {
  const ask = async (path: string): Promise<unknown> => {
    const {hresult, response} = await win32.hnsCall('GET', path, '')
    return hresult < 0 ? undefined : (JSON.parse(response) as {Output?: unknown}).Output
  }
  const list = async (path: string): Promise<Record<string, unknown>[]> => {
    const output = await ask(path).catch(() => undefined)
    return Array.isArray(output) ? (output as Record<string, unknown>[]) : []
  }

  const version = (await ask('/globals/version').catch(() => undefined)) as HnsState['version'] | undefined
  return {
    endpoints: await list('/endpoints/'),
    networks: await list('/networks/'),
    policyLists: await list('/policylists/'),
    version: version ?? {Major: 9, Minor: 5},
  }
}

/** The adapter under the switch, which the last network restores. */
function seedSwitch({adapters, hns}: Pick<World, 'adapters' | 'hns'>): OsState['vswitch'] {
  const networks = (hns.networks as unknown as HnsNetwork[]).filter(isOnAdapter)
  const under = networks.flatMap(({NetworkAdapterName}) => NetworkAdapterName?.toLowerCase() ?? [])
  const names = adapters.flatMap(({name}) => SWITCH_NAME.exec(name)?.[1] ?? [])
  const name = names.find((one) => under.includes(one.toLowerCase()))
  if (name === undefined) return undefined
  return {physical: {index: Math.max(...adapters.map(({index}) => index)) + 1, name}}
}

/** The pod network of the present or the last overlay, if it belongs to this cluster. */
async function seedPodCIDR(hns: HnsState, files: Files, clusterCIDR: string): Promise<string | undefined> {
  const overlays = (hns.networks as unknown as HnsNetwork[]).filter(isOverlay)
  const written = (await files.read(SUBNET_ENV).catch(() => undefined))?.toString('utf8') ?? ''
  const gateway = /^FLANNEL_SUBNET=(\S+)$/m.exec(written)?.[1] ?? ''
  const {base = 0, bits = 0} = parseCidr(gateway) ?? {}
  const last = gateway === '' ? [] : [`${formatAddress(base)}/${bits}`]
  const prefixes = [...overlays.flatMap(({Subnets}) => Subnets?.[0]?.AddressPrefix ?? []), ...last]
  return prefixes.find((prefix) => cidrContains(clusterCIDR, prefix))
}
