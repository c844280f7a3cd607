// A fresh Windows Server, with Docker or without a container runtime, and the cluster it can join.
import {makeContainerd} from '../containerd/state.js'
import {guidOf} from '../windows/names.js'
import type {DockerState, HnsState, World} from '../world.js'
import {makeCluster} from './cluster.js'
import {makeEnvironment, makeRegistry, type VersionStrings} from './registry.js'
import {makeServices} from './services.js'

/** What differs between releases of Windows Server. */
export interface Edition extends VersionStrings {
  readonly build: number
  readonly hnsVersion: HnsState['version']
  readonly productName: string
  readonly ubr: number
}

/** A host of an edition, and the cluster that it can join. */
export interface Setup {
  /** The version of its API server. */
  readonly cluster: string
  /** Without it there is no container runtime. */
  readonly docker?: Pick<DockerState, 'apiVersion' | 'minApiVersion' | 'version'>
  readonly edition: Edition
}

/** What a host without Docker shows of it; nothing answers on its pipe. */
const NO_DOCKER = {apiVersion: '', minApiVersion: '', version: ''}

const ETHERNET = 4
const NAT = 18
const LOOPBACK = 1

export function makeWorld(profile: string, {cluster, docker, edition}: Setup, now: number): World {
  const os = {
    administrator: true,
    build: edition.build,
    computerName: 'WIN-1',
    listening: ['tcp/135', 'tcp/445', 'tcp/3389', 'tcp/5985'],
    offlineUntil: 0,
    productName: edition.productName,
    profile,
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
      {destination: '0.0.0.0/0', interfaceIndex: ETHERNET, metric: 256, nextHop: '10.0.0.1'},
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
    registry: makeRegistry(os, environment, edition, docker !== undefined),
    environment,
    cluster: makeCluster(cluster),
    downloads: {},
    security: {},
  }
}
