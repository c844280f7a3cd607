// A fresh Windows Server 2019 with Docker, and the cluster it can join: what contract.md 4 promises.
import type {World} from '../world.js'
import {makeCluster} from './cluster.js'
import {fillWindowsDrive} from './drive.js'
import type {Profile} from './profile.js'
import {makeServices} from './services.js'
import {makeEnvironment, makeRegistry} from './registry.js'
import {guidOf} from '../windows/names.js'

const BUILD = 17_763
/** The patch level of October 2021, when 1.21.5 was new; it has all that flannel's overlay needs (facts.md d.8). */
const UBR = 2237
const ETHERNET = 4
const NAT = 18
const LOOPBACK = 1

export const ws2019: Profile = {fillDrive: fillWindowsDrive, makeWorld}

function makeWorld(now: number): World {
  const os = {
    administrator: true,
    build: BUILD,
    computerName: 'WIN-1',
    listening: ['tcp/135', 'tcp/445', 'tcp/3389', 'tcp/5985'],
    offlineUntil: 0,
    productName: 'Windows Server 2019 Datacenter',
    profile: 'ws2019',
    time: now,
    ubr: UBR,
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
      version: {Major: 9, Minor: 5},
    },
    docker: {
      apiVersion: '1.41',
      containers: [],
      images: [],
      minApiVersion: '1.24',
      mode: 'windows',
      running: true,
      version: '20.10.9',
    },
    registry: makeRegistry(os, environment),
    environment,
    cluster: makeCluster(),
    downloads: {},
    security: {},
  }
}
