// One thing at a time goes wrong with a node that was set up, and what status must say of it.
import {inWorld} from '../steps/drifts/drift.js'
import type {HostFolder} from '../steps/host-folder.js'
import type {ServiceEntry, World} from '../../src/simulator/world.js'
import {setVariable} from '../steps/drifts/windows.js'
import {bridgeInstead, networkGone, nodeGone, podNetworkChanged} from '../steps/drifts/network.js'

export interface Sick {
  readonly cause: RegExp
  make(host: HostFolder): void
  readonly name: string
  readonly next: RegExp
  /** "area: subject" of the problem that must be told first. */
  readonly problem: string
  readonly seen: RegExp
  readonly signature?: string
  readonly wanted: RegExp
}

type Told = Omit<Sick, 'make' | 'name'>

const KUBECONFIG = String.raw`C:\k\kubeconfig`
const SETUP = /^k8s-win setup$/
const world = (name: string, told: Told, change: (world: World) => void): Sick => ({...told, ...inWorld(name, change)})
const file = (name: string, told: Told, make: (host: HostFolder) => void): Sick => ({...told, make, name})

function service(name: string, change: (entry: ServiceEntry) => void): (world: World) => void {
  return ({services}) => {
    const entry = services[name]
    if (entry) change(entry)
  }
}

const ended =
  (exitCode: number, serviceExitCode = 0) =>
  (entry: ServiceEntry) => {
    Object.assign(entry, {exitCode, processId: 0, serviceExitCode, stage: '', state: 'stopped'})
    delete entry.process
    delete entry.listening
  }

const own = ({cluster}: World) => cluster.nodes.find(({name}) => name === 'win-1')
const overlay = ({hns}: World) => hns.networks.find((network) => network['Name'] === 'vxlan0') ?? {}

const daemon = (subject: string, seen: RegExp, cause: RegExp, next: RegExp = SETUP): Told => ({
  cause,
  next,
  problem: `services: ${subject}`,
  seen,
  wanted: /it runs|health address|k8s-win made/,
})
const net = (seen: RegExp, cause: RegExp): Told => ({
  cause,
  next: SETUP,
  problem: 'network: vxlan0',
  seen,
  wanted: /overlay|subnet|address|pod network/,
})
const notOurs = (seen: RegExp): Told => ({
  ...net(seen, /Another tool/),
  next: /^k8s-win setup --adopt, which removes it/,
})
const node = (seen: RegExp, cause: RegExp, subject = 'win-1'): Told => ({
  cause,
  next: /./,
  problem: `node: ${subject}`,
  seen,
  wanted: /Ready|API server|kubelet v|10\.0\.0\.5/,
})

export const SICK: readonly Sick[] = [
  world(
    'Docker is stopped',
    {
      ...daemon('docker', /stopped/, /service does not run/, /net start docker/),
      problem: 'runtime: docker',
      wanted: /answers on/,
    },
    (all) => {
      all.docker.running = false
      service('docker', ended(0))(all)
    },
  ),
  world(
    'Docker hangs behind its service',
    {
      ...daemon('docker', /service is running; .*ENOENT/, /nobody answers/, /net stop docker/),
      problem: 'runtime: docker',
      wanted: /answers on/,
    },
    (all) => {
      all.docker.running = false
    },
  ),
  world(
    'Docker runs Linux containers',
    {
      ...daemon('docker', /linux containers/, /Linux containers/, /SwitchWindowsEngine/),
      problem: 'runtime: docker',
      wanted: /Windows containers/,
    },
    (all) => {
      all.docker.mode = 'linux'
    },
  ),
  world(
    'the kubelet crashed',
    {
      ...daemon('kubelet', /stopped \(exit code 1067\)/, /without telling the service manager/, /logs kubelet/),
      signature: 'service-error-1067',
    },
    service('kubelet', ended(1067)),
  ),
  world(
    'kube-proxy ended with its own code',
    daemon('kubeproxy', /its own exit code 255/, /./, /logs kubeproxy/),
    service('kubeproxy', ended(1066, 255)),
  ),
  world(
    'the kubelet is disabled',
    daemon('kubelet', /disabled and running/, /disabled it/),
    service('kubelet', (entry) => {
      entry.config = {...entry.config, startType: 'disabled'}
    }),
  ),
  world(
    'the kubelet is of another tool',
    daemon('kubelet', /not the one k8s-win made/, /Another tool/, /setup --adopt$/),
    service('kubelet', (entry) => {
      entry.config = {...entry.config, description: 'somebody'}
    }),
  ),
  world(
    'the kubelet is stopping',
    daemon('kubelet', /it is stop-pending/, /hangs/, /logs kubelet/),
    service('kubelet', (entry) => {
      Object.assign(entry, {state: 'stop-pending', stopAt: 253_402_300_799_999})
    }),
  ),
  world(
    'the kubelet does not answer',
    daemon('kubelet', /10248\/healthz does not answer \(ECONNREFUSED\)/, /not well/, /logs kubelet/),
    service('kubelet', (entry) => {
      entry.listening = ['tcp/10250']
    }),
  ),
  world(
    'kube-proxy is not well',
    daemon('kubeproxy', /10256\/healthz answers 503/, /not well/, /logs kubeproxy/),
    service('kubeproxy', (entry) => {
      entry.stage = 'overdue'
    }),
  ),
  file(
    'flanneld dies again and again',
    {
      ...daemon('flanneld', /program ended with 1 and was started again 2 times/, /VNI|4096/, /./),
      signature: 'flannel-vni-too-small',
    },
    (host) => {
      const lines = [
        '[INFO] Command exited with code 1',
        '[INFO] Launching command',
        '[INFO] Command exited with code 1',
        '[INFO] Launching command',
        '[DEBUG] stderr: "E1115 12:00:00.000000    2012 main.go:333] Error registering network: invalid VXLAN backend config. VNI [1] must be greater than or equal to 4096 on Windows"',
        '[INFO] Command exited with code 1',
      ]
      const path = String.raw`k\logs\flanneld\shawl_for_flanneld_rCURRENT.log`
      host.put(path, host.read(path) + lines.map((line) => `2026-11-15 12:00:00 ${line}\n`).join(''))
    },
  ),
  {
    ...net(/there is no HNS network/, /flanneld|HNS|network/),
    ...networkGone('vxlan0'),
    name: 'the overlay network is gone',
    next: /./,
  },
  world('the overlay has another VNI', notOurs(/VNI 4097/), (all) => {
    overlay(all)['Subnets'] = [
      {AddressPrefix: '10.244.3.0/24', GatewayAddress: '10.244.3.1', Policies: [{Type: 'VSID', VSID: 4097}]},
    ]
  }),
  world('the network of that name is a bridge', notOurs(/type L2Bridge/), ({hns}) => bridgeInstead(hns)),
  world(
    'the overlay has another subnet',
    net(/HNS has 10\.244\.8\.0\/24, flanneld leased 10\.244\.3\.0\/24/, /another pod network/),
    (all) => {
      overlay(all)['Subnets'] = [
        {AddressPrefix: '10.244.8.0/24', GatewayAddress: '10.244.8.1', Policies: [{Type: 'VSID', VSID: 4096}]},
      ]
    },
  ),
  {
    ...net(/HNS has 10\.244\.3\.0\/24, the cluster gave the node 10\.244\.9\.0\/24/, /registered again/),
    ...podNetworkChanged,
  },
  world(
    'the Host Network Service is stopped',
    {
      ...net(/refused GET/, /hns service does not run/),
      next: /sc config hns start= demand.*net start hns/,
      signature: 'hns-not-started',
    },
    service('hns', ended(0)),
  ),
  file('subnet.env is gone', net(/subnet\.env is not there/, /lease/), (host) =>
    host.remove(String.raw`run\flannel\subnet.env`),
  ),
  file('subnet.env is rubbish', net(/no subnet in it/, /lease/), (host) =>
    host.put(String.raw`run\flannel\subnet.env`, '\u0000rubbish'),
  ),
  file('the address of kube-proxy is free again', net(/no address is reserved/, /reservation/), (host) =>
    host.remove(String.raw`var\lib\cni\networks\vxlan0\10.244.3.2`),
  ),
  {...node(/no such node/, /deleted it/), ...nodeGone},
  world('the node is not Ready', node(/not Ready: .*cni config uninitialized/, /./), (all) => {
    Object.assign(own(all) ?? {}, {
      ready: false,
      readyMessage: 'runtime network not ready: cni config uninitialized',
      readyReason: 'KubeletNotReady',
    })
  }),
  world('the kubelet no longer reports', node(/stopped posting/, /stopped saying/), (all) => {
    Object.assign(own(all) ?? {}, {
      ready: false,
      readyMessage: 'Kubelet stopped posting node status.',
      readyReason: 'NodeStatusUnknown',
    })
  }),
  world('the node has another kubelet', node(/kubelet is v1\.20\.2/, /Another kubelet/), (all) => {
    Object.assign(own(all) ?? {}, {kubeletVersion: 'v1.20.2'})
  }),
  world('the node has another address', node(/address is 10\.0\.0\.99/, /changed after setup/), (all) => {
    Object.assign(own(all) ?? {}, {addresses: [{address: '10.0.0.99', type: 'InternalIP'}]})
  }),
  world(
    'the cluster cannot be reached',
    node(/cannot be reached/, /nobody listens/, 'https://10.0.0.10:6443'),
    (all) => {
      all.cluster.reachable = false
    },
  ),
  world('the host is cut off', node(/did not answer within 4 s/, /dropped/, 'https://10.0.0.10:6443'), (all) => {
    all.os.offlineUntil = 253_402_300_799_999
  }),
  world('the cluster forbids', node(/does not allow GET/, /forbidden/, 'https://10.0.0.10:6443'), (all) => {
    all.cluster.permissions = []
  }),
  file(
    'the kubeconfig is gone',
    {
      cause: /no such file/,
      next: /^k8s-win setup --kubeconfig <file>; or put/,
      problem: `identity: ${KUBECONFIG}`,
      seen: /missing/,
      wanted: /accepts/,
    },
    (host) => host.remove(String.raw`k\kubeconfig`),
  ),
  file(
    'the kubeconfig is none',
    {
      cause: /not a kubeconfig|apiVersion|current-context/,
      next: /fresh one/,
      problem: `identity: ${KUBECONFIG}`,
      seen: /cannot be used/,
      wanted: /accepts/,
    },
    (host) => host.put(String.raw`k\kubeconfig`, 'rubbish: true\n'),
  ),
  world(
    'the adapter lost its address',
    {cause: /./, next: /./, problem: 'host: the network adapter', seen: /no address|Ethernet0/, wanted: /address/},
    (all) => {
      all.adapters = all.adapters.map((adapter) => ({
        ...adapter,
        addresses: [{address: '169.254.7.7', prefixLength: 16}],
      }))
    },
  ),
  world(
    'PATH was edited',
    {cause: /PATH/, next: SETUP, problem: 'drift: machine-environment', seen: /not on PATH/, wanted: /Set PATH/},
    (all) => setVariable(all, 'Path', String.raw`C:\Windows`),
  ),
]
