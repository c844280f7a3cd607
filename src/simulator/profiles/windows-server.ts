// A fresh Windows Server with Docker, and the cluster it can join.
import {makeContainerd} from '../containerd/state.js'
import {guidOf} from '../windows/names.js'
import type {DockerState, HnsState, World} from '../world.js'
import {makeCluster} from './cluster.js'
import {makeEnvironment, makeRegistry, type VersionStrings} from './registry.js'
import {makeServices} from './services.js'

/** What differs between releases of Windows Server. */
export interface Edition extends VersionStrings {
  readonly build: number
  readonly docker: Pick<DockerState, 'apiVersion' | 'minApiVersion' | 'version'>
  readonly hnsVersion: HnsState['version']
  readonly productName: string
  readonly ubr: number
}

const ETHERNET = 4
const NAT = 18
const LOOPBACK = 1

export function makeWorld(profile: string, edition: Edition, now: number): World {
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
  const environment = makeEnvironment(os.computerName)
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
      {
        addresses: [{address: '172.26.0.1', prefixLength: 20}],
        dhcp: false,
        dnsServers: [],
        gateways: [],
        index: NAT,
        name: 'vEthernet (nat)',
        up: true,
      },
    ],
    routes: [
      {destination: '0.0.0.0/0', interfaceIndex: ETHERNET, metric: 256, nextHop: '10.0.0.1'},
      {destination: '10.0.0.0/24', interfaceIndex: ETHERNET, metric: 256, nextHop: '0.0.0.0'},
      {destination: '10.0.0.5/32', interfaceIndex: ETHERNET, metric: 256, nextHop: '0.0.0.0'},
      {destination: '127.0.0.0/8', interfaceIndex: LOOPBACK, metric: 256, nextHop: '0.0.0.0'},
      {destination: '172.26.0.0/20', interfaceIndex: NAT, metric: 256, nextHop: '0.0.0.0'},
      {destination: '172.26.0.1/32', interfaceIndex: NAT, metric: 256, nextHop: '0.0.0.0'},
    ],
    services: makeServices(now),
    firewall: {},
    hns: {
      endpoints: [],
      networks: [
        {
          ID: guidOf('network nat'),
          Name: 'nat',
          Type: 'nat',
          Subnets: [{AddressPrefix: '172.26.0.0/20', GatewayAddress: '172.26.0.1'}],
        },
      ],
      policyLists: [],
      version: {...edition.hnsVersion},
    },
    containerd: makeContainerd(),
    docker: {...edition.docker, containers: [], images: [], mode: 'windows', networks: [], running: true},
    registry: makeRegistry(os, environment, edition),
    environment,
    cluster: makeCluster(),
    downloads: {},
    security: {},
  }
}
