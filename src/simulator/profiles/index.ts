// The releases of Windows Server that can be simulated: a fresh host with Docker or without a container runtime, and the
// cluster it can join.
import type {Files} from '../../machine/files.js'
import type {DockerState, HnsState, World} from '../world.js'
import {fillWindowsDrive} from './drive.js'
import {makeContainerd} from '../containerd/state.js'
import {guidOf} from '../windows/names.js'
import {makeCluster} from './cluster.js'
import {makeEnvironment, makeRegistry} from './registry.js'
import {makeServices} from './services.js'

/** What makes a fresh simulated host. */
export interface Profile {
  /** Creates what is on drive C. An existing kubeconfig is kept. */
  fillDrive(files: Files, world: World): Promise<void>
  makeWorld(now: number): World
}

const WS2019: Edition = {
  build: 17_763,
  hnsVersion: {Major: 9, Minor: 5},
  productName: 'Windows Server 2019 Datacenter',
  // The patch level of October 2021, when 1.21.5 was new; it has what flannel's overlay needs (docs/facts.md#windows-builds).
  ubr: 2237,
}
const WS2022: Edition = {
  build: 20_348,
  // microsoft/hcnproxyctrl: Windows Server 2022 came with 13.2.
  hnsVersion: {Major: 13, Minor: 2},
  productName: 'Windows Server 2022 Datacenter',
  // The patch level of February 2023 (KB5022842), when 1.23.17 was new; the overlay works from 681 on (docs/facts.md#windows-builds).
  ubr: 1547,
}
const WS2025: Edition = {
  build: 26_100,
  hnsVersion: {Major: 15, Minor: 5},
  productName: 'Windows Server 2025 Datacenter',
  // The patch level of October 2025 (KB5066835), from which on overlay networks work (docs/facts.md#windows-builds).
  ubr: 6899,
}
const DOCKER = {apiVersion: '1.41', minApiVersion: '1.24', version: '20.10.9'}

/** The cluster is the newest that supports nodes of the releases that the host is for (the version skew policy). */
const SETUPS: Readonly<Record<string, Setup>> = {
  ws2019: {cluster: 'v1.23.17', docker: DOCKER, edition: WS2019},
  'ws2019-containerd': {cluster: 'v1.34.11', edition: WS2019},
  ws2022: {cluster: 'v1.23.17', docker: DOCKER, edition: WS2022},
  'ws2022-containerd': {cluster: 'v1.36.4', edition: WS2022},
  ws2025: {cluster: 'v1.36.4', edition: WS2025},
}

export const PROFILES: Readonly<Record<string, Profile>> = Object.fromEntries(
  Object.entries(SETUPS).map(([name, setup]) => [
    name,
    {fillDrive: fillWindowsDrive, makeWorld: (now: number) => makeWorld(name, setup, now)},
  ]),
)

export function profileNamed(name: string): Profile {
  const found = Object.hasOwn(PROFILES, name) ? PROFILES[name] : undefined
  if (!found) throw new Error(`there is no simulated host ${name}; there is ${Object.keys(PROFILES).join(', ')}`)
  return found
}

/** What differs between releases of Windows Server. */
interface Edition {
  readonly build: number
  readonly hnsVersion: HnsState['version']
  readonly productName: string
  readonly ubr: number
}

/** A host of an edition, and the cluster that it can join. */
interface Setup {
  /** The version of its API server. */
  readonly cluster: string
  /** Without it there is no container runtime. */
  readonly docker?: Pick<DockerState, 'apiVersion' | 'minApiVersion' | 'version'>
  readonly edition: Edition
}

/** What a host without Docker shows of it; nothing answers on its pipe. */
const NO_DOCKER = {apiVersion: '', minApiVersion: '', version: ''}

/** Simulated hosts are one machine: worlds are compared. */
const SYSTEM_UUID = '4c4c4544-0035-3010-8052-b9c04f574e31'
const ETHERNET = 4
const NAT = 18
const LOOPBACK = 1

function makeWorld(profile: string, {cluster, docker, edition}: Setup, now: number): World {
  const os = {
    administrator: true,
    build: edition.build,
    computerName: 'WIN-1',
    listening: ['tcp/135', 'tcp/445', 'tcp/3389', 'tcp/5985'],
    offlineUntil: 0,
    productName: edition.productName,
    profile,
    systemUuid: SYSTEM_UUID,
    time: now,
    ubr: edition.ubr,
  }
  const environment = makeEnvironment(os.computerName, docker !== undefined)
  // Docker creates its network "nat" when it starts for the first time.
  const ifDocker = <T>(...values: readonly T[]): T[] => (docker ? [...values] : [])
  return {
    $schema: 'k8s-win/schemas/machine.schema.json',
    os,
    adapters: [
      {
        addresses: [{address: '10.0.0.5', prefixLength: 24}],
        dhcp: false,
        dnsServers: ['10.0.0.2'],
        gateways: ['10.0.0.1'],
        index: ETHERNET,
        name: 'Ethernet0',
        up: true,
      },
      ...ifDocker({
        addresses: [{address: '172.26.0.1', prefixLength: 20}],
        dhcp: false,
        dnsServers: [],
        gateways: [],
        index: NAT,
        name: 'vEthernet (nat)',
        up: true,
      }),
    ],
    routes: [
      {
        destination: '0.0.0.0/0',
        interfaceIndex: ETHERNET,
        metric: 256,
        nextHop: '10.0.0.1',
        origin: 'manual',
        persistent: true,
      },
      {destination: '10.0.0.0/24', interfaceIndex: ETHERNET, metric: 256, nextHop: '0.0.0.0'},
      {destination: '10.0.0.5/32', interfaceIndex: ETHERNET, metric: 256, nextHop: '0.0.0.0'},
      {destination: '127.0.0.0/8', interfaceIndex: LOOPBACK, metric: 256, nextHop: '0.0.0.0'},
      ...ifDocker(
        {destination: '172.26.0.0/20', interfaceIndex: NAT, metric: 256, nextHop: '0.0.0.0'},
        {destination: '172.26.0.1/32', interfaceIndex: NAT, metric: 256, nextHop: '0.0.0.0'},
      ),
    ],
    services: makeServices(now, docker !== undefined),
    firewall: {},
    hns: {
      endpoints: [],
      networks: ifDocker({
        ID: guidOf('network nat'),
        Name: 'nat',
        Type: 'nat',
        Subnets: [{AddressPrefix: '172.26.0.0/20', GatewayAddress: '172.26.0.1'}],
      }),
      policyLists: [],
      version: {...edition.hnsVersion},
    },
    containerd: makeContainerd(),
    docker: {
      ...(docker ?? NO_DOCKER),
      containers: [],
      images: [],
      mode: 'windows',
      networks: [],
      running: docker !== undefined,
    },
    registry: makeRegistry(os, environment, docker !== undefined),
    environment,
    cluster: makeCluster(cluster),
    downloads: {},
    security: {},
  }
}
