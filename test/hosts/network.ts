// Hosts whose network is in the way.
import {ethernet, service, hardware, hnsNetwork, type Sick} from './sick-host.js'

export const SICK_NETWORK: readonly Sick[] = [
  {
    check: 'interface-address',
    fix: /Reserve the address/,
    name: 'an address of DHCP',
    says: /10\.0\.0\.5 from DHCP/,
    sicken: (world) => ethernet(world, {dhcp: true}),
  },
  {
    check: 'host-networks',
    error: 'CIDR_IN_USE',
    fix: /--cluster-cidr matches the cluster/,
    given: {'cluster-cidr': '10.0.0.0/16'},
    name: 'pods in the network of the host',
    says: /network 10\.0\.0\.0\/24 of "Ethernet0"/,
  },
  {
    check: 'host-networks',
    error: 'CIDR_IN_USE',
    fix: /--service-cidr/,
    name: 'a DNS server among the services',
    says: /DNS server 10\.10\.0\.2/,
    sicken: (world) => ethernet(world, {dnsServers: ['10.10.0.2']}),
  },
  {
    check: 'host-networks',
    error: 'CIDR_IN_USE',
    fix: /--cluster-cidr/,
    name: 'a route into the pods',
    says: /route 10\.244\.7\.0\/24 via 10\.0\.0\.1/,
    sicken: (world) =>
      world.routes.push({destination: '10.244.7.0/24', interfaceIndex: 4, metric: 1, nextHop: '10.0.0.1'}),
  },
  ...(
    [
      ['Microsoft Corporation', 'Virtual Machine', 'Hyper-V', /MacAddressSpoofing On/],
      ['VMware, Inc.', 'VMware7,1', 'VMware', /forged transmits/],
      ['innotek GmbH', 'VirtualBox', 'VirtualBox', /promiscuous/],
      ['OpenStack Foundation', 'OpenStack Nova', 'OpenStack', /port security/],
    ] as const
  ).map(([manufacturer, product, name, fix]): Sick => ({
    check: 'virtual-machine',
    fix,
    name: `a virtual machine of ${name}`,
    says: new RegExp(name),
    sicken: (world) => hardware(world, manufacturer, product),
  })),
  {
    check: 'node-name',
    error: 'NODE_NAME_INVALID',
    fix: /--node-name/,
    name: 'a name that is none for a node',
    says: /WIN_1/,
    sicken: (world) => (world.os.computerName = 'WIN_1'),
  },
  {
    check: 'containers-feature',
    error: 'CONTAINERS_MISSING',
    fix: /Install-WindowsFeature Containers/,
    name: 'no feature Containers',
    says: /Containers is not installed/,
    sicken: (world) => (world.os.features = {containers: false}),
  },
  {
    check: 'containers-feature',
    error: 'CONTAINERS_MISSING',
    fix: /Install-WindowsFeature Containers/,
    name: 'review V5: Hyper-V, which has vmcompute.dll, without the feature Containers',
    says: /Containers is not installed/,
    sicken(world) {
      world.os.features = {containers: false, hyperV: true}
      for (const key of Object.keys(world.registry))
        if (key.includes('ServerComponentCache')) delete world.registry[key]
    },
  },
  {
    check: 'hns-service',
    error: 'HNS_MISSING',
    fix: /Install-WindowsFeature Containers/,
    name: 'no Host Network Service',
    says: /not installed/,
    sicken: (world) => delete world.services['hns'],
  },
  {
    check: 'hns-service',
    error: 'HNS_STOPPED',
    fix: /net start hns/,
    name: 'Host Network Service disabled',
    says: /is disabled/,
    sicken: (world) => service(world, 'hns', 'stopped', 'disabled'),
  },
  {
    check: 'hns-version',
    error: 'HNS_TOO_OLD',
    fix: /cumulative update/,
    name: 'an old Host Network Service',
    says: /version 9\.1.*9\.2/,
    sicken: (world) => (world.hns.version = {Major: 9, Minor: 1}),
  },
  {
    check: 'other-networks',
    error: 'OTHER_NETWORK',
    fix: /hnsdiag delete networks AAAAAAAA-0000-4000-8000-000000000001/,
    name: 'a bridge on the adapter',
    says: /"cbr0".*L2Bridge network on "Ethernet0"/,
    sicken: (world) => hnsNetwork(world, 'cbr0', 'L2Bridge', 'Ethernet0'),
  },
  {
    check: 'other-networks',
    error: 'OTHER_NETWORK',
    fix: /--adopt/,
    name: "the original script's network",
    says: /"External"/,
    sicken: (world) => hnsNetwork(world, 'External', 'overlay'),
  },
]
