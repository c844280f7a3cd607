// One thing at a time goes wrong with a node that was set up: the root cause that every command must name, and whether
// setup repairs it.
import {readFileSync} from 'node:fs'
import type {ServiceEntry, World} from '../../src/simulator/world.js'
import {makeKubeconfig} from '../../src/simulator/cluster/kubeconfig.js'
import {baseImagesDrifts, pauseImageDrifts} from '../steps/drifts/images.js'
import {bridgeInstead, networkGone, nodeGone, podNetworkChanged} from '../steps/drifts/network.js'
import {kubeconfigOf} from '../preflight/cluster-bench.js'
import {setVariable} from '../steps/drifts/windows.js'
import type {HostFolder} from '../steps/host-folder.js'

export interface UnhealthyHost {
  /** Of the first problem, in status and doctor. */
  readonly id: string
  make(host: HostFolder): void
  readonly name: string
  /** `repairs`, or the ids one of which setup ends with; the first problem's own unless others are named. */
  readonly setup: 'repairs' | readonly string[]
  /** Of the first problem. */
  readonly subject: RegExp | string
  /** Where nothing is wrong, but not everything could be seen. */
  readonly verdict?: 'unknown'
}

type Rest = Partial<Pick<UnhealthyHost, 'setup' | 'verdict'>>

const pem = (name: string): string => readFileSync(new URL(`../host/certificates/${name}`, import.meta.url), 'utf8')

const files = (
  name: string,
  id: string,
  subject: UnhealthyHost['subject'],
  make: (host: HostFolder) => void,
  rest: Rest = {},
): UnhealthyHost => ({id, make, name, setup: [id], subject, ...rest})
const world = (
  name: string,
  id: string,
  subject: UnhealthyHost['subject'],
  change: (world: World) => unknown,
  rest: Rest = {},
): UnhealthyHost => files(name, id, subject, (host) => host.edit((all) => void change(all)), rest)
const REPAIRS: Rest = {setup: 'repairs'}

const service =
  (name: string, change: (entry: ServiceEntry) => void) =>
  ({services}: World): void => {
    const entry = services[name]
    if (entry) change(entry)
  }
const ended =
  (exitCode: number, serviceExitCode = 0) =>
  (entry: ServiceEntry): void => {
    Object.assign(entry, {exitCode, processId: 0, serviceExitCode, stage: '', state: 'stopped'})
    delete entry.process
    delete entry.listening
  }
const disabled = (entry: ServiceEntry): void => {
  entry.config = {...entry.config, startType: 'disabled'}
}
const own = ({cluster}: World): object => cluster.nodes.find(({name}) => name === 'win-1') ?? {}
const overlay = ({hns}: World): Record<string, unknown> => hns.networks.find(({Name}) => Name === 'vxlan0') ?? {}
const subnet = (prefix: string, vsid: number): unknown[] => [
  {
    AddressPrefix: `${prefix}.0/24`,
    GatewayAddress: `${prefix}.1`,
    Policies: [{Type: 'VSID', VSID: vsid}],
  },
]
const flannelWith =
  (backend: object) =>
  ({cluster}: World): void => {
    for (const {data, name} of cluster.configMaps) {
      if (name === 'kube-flannel-cfg')
        data['net-conf.json'] = JSON.stringify({Backend: backend, Network: '10.244.0.0/16'})
    }
  }
const systemDrive = (freeShare: number) => (all: World) => {
  const {drives} = all.os
  const drive = drives?.['C:'] ?? {fileSystem: 'NTFS', freeBytes: 0, kind: 'fixed', totalBytes: 128 * 2 ** 30}
  all.os.drives = {...drives, 'C:': {...drive, freeBytes: Math.floor(drive.totalBytes * freeShare)}}
}
const KUBELET_RULE = 'k8s-win kubelet TCP 10250'
const VXLAN_RULE = 'k8s-win flannel VXLAN UDP 4789'
const SERVER = 'https://10.0.0.10:6443'
const KUBECONFIG = String.raw`C:\k\kubeconfig`
const PROGRAMS = String.raw`k\kubernetes\node\bin`

const IN_RECORDS: readonly UnhealthyHost[] = [
  files(
    'review U5: the journal is deleted',
    'JOURNAL_LOST',
    /journal\.ndjson$/,
    (host) => host.remove(String.raw`k\k8s-win\journal.ndjson`),
    REPAIRS,
  ),
  files(
    'the journal is cut',
    'JOURNAL_DAMAGED',
    /journal\.ndjson$/,
    (host) =>
      host.put(
        String.raw`k\k8s-win\journal.ndjson`,
        `${host
          .read(String.raw`k\k8s-win\journal.ndjson`)
          .split('\n')
          .slice(0, 3)
          .join('\n')}\n`,
      ),
    REPAIRS,
  ),
  files('node.yaml is lost', 'NODE_OPTIONS_LOST', /node\.yaml$/, (host) =>
    host.remove(String.raw`k\k8s-win\node.yaml`),
  ),
  files('node.yaml is damaged', 'STORED_CONFIG_UNUSABLE', /node\.yaml$/, (host) =>
    host.put(String.raw`k\k8s-win\node.yaml`, 'nonsense: ['),
  ),
  files('all records are lost', 'RECORDS_LOST', /k8s-win$/, (host) => host.remove(String.raw`k\k8s-win`), {
    setup: ['NODE_OPTIONS_LOST'],
  }),
]

const IN_HOST: readonly UnhealthyHost[] = [
  world('review U5: the disk is full', 'DISK_FULL', 'Disk space', systemDrive(0.03)),
  world('the adapter lost its address', 'INTERFACE_WITHOUT_ADDRESS', 'the network adapter', (all) => {
    all.adapters = all.adapters.map((one) => ({...one, addresses: [{address: '169.254.7.7', prefixLength: 16}]}))
  }),
  world(
    'the adapter has another address',
    'NODE_ADDRESS_LOST',
    'Address used by the daemons',
    (all) => {
      all.adapters = all.adapters.map((one) =>
        one.addresses.some(({address}) => address === '10.0.0.5')
          ? {...one, addresses: [{address: '10.0.0.77', prefixLength: 24}]}
          : one,
      )
    },
    REPAIRS,
  ),
  world(
    'PATH was edited',
    'DRIFTED',
    'machine-environment',
    (all) => setVariable(all, 'Path', String.raw`C:\Windows`),
    REPAIRS,
  ),
  world('the Host Network Service is stopped', 'HNS_STOPPED', 'Host Network Service', service('hns', ended(0))),
  world(
    'review U6: without administrator rights',
    'NOT_ADMINISTRATOR',
    /administrator/i,
    (all) => (all.os.administrator = false),
    {verdict: 'unknown'},
  ),
]

const IN_IDENTITY: readonly UnhealthyHost[] = [
  files('review U6: the kubeconfig is missing', 'KUBECONFIG_MISSING', KUBECONFIG, (host) =>
    host.remove(String.raw`k\kubeconfig`),
  ),
  files('the kubeconfig is damaged', 'KUBECONFIG_UNREADABLE', KUBECONFIG, (host) =>
    host.put(String.raw`k\kubeconfig`, 'rubbish: true\n'),
  ),
  files(
    'review K5: the kubeconfig has a plugin that the kubelet does not know',
    'EXEC_VERSION_UNKNOWN',
    KUBECONFIG,
    (host) =>
      host.put(
        String.raw`k\kubeconfig`,
        kubeconfigOf({
          exec: {
            apiVersion: 'client.authentication.k8s.io/v1',
            command: String.raw`C:\k\plugin.exe`,
            interactiveMode: 'Never',
          },
        }),
      ),
  ),
  files('review U6: the certificate has expired', 'CREDENTIALS_LAPSED', KUBECONFIG, (host) =>
    host.put(String.raw`k\kubeconfig`, makeKubeconfig(SERVER, {cert: pem('client-expired.pem'), key: pem('leaf.key')})),
  ),
  files(
    "the kubelet's own certificate has expired",
    'KUBELET_CERTIFICATE_LAPSED',
    /kubelet-client-current\.pem$/,
    (host) => host.put(String.raw`var\lib\kubelet\pki\kubelet-client-current.pem`, pem('client-expired.pem')),
    REPAIRS,
  ),
]

const IN_CLUSTER: readonly UnhealthyHost[] = [
  world('the API server is down', 'API_SERVER_UNREACHABLE', SERVER, (all) => (all.cluster.reachable = false)),
  world('the host is cut off', 'API_SERVER_UNREACHABLE', SERVER, (all) => (all.os.offlineUntil = 253_402_300_799_999)),
  world('the cluster forbids everything', 'PERMISSIONS_MISSING', /./, (all) => (all.cluster.permissions = [])),
  world('review W1: the cluster forbids to list Services', 'PERMISSIONS_MISSING', /./, ({cluster}) => {
    cluster.permissions = ['* nodes', 'patch nodes/status', '* pods', 'get services', '* endpointslices', '* leases']
  }),
  world('review U5: the clock is off', 'CLOCK_WRONG', 'Clock', (all) => (all.cluster.clockAheadMs = 3_600_000)),
  world("review U5: the cluster's DNS is missing", 'CLUSTER_DNS_UNKNOWN', 'Cluster DNS', ({cluster}) => {
    cluster.services = cluster.services.filter(({namespace}) => namespace !== 'kube-system')
  }),
  world(
    "review U5: the cluster's flannel has the wrong VNI",
    'FLANNEL_UNFIT',
    'flannel configuration',
    flannelWith({Port: 4789, Type: 'vxlan', VNI: 1}),
  ),
  world(
    "the cluster's flannel has the wrong port",
    'FLANNEL_UNFIT',
    'flannel configuration',
    flannelWith({Port: 8472, Type: 'vxlan', VNI: 4096}),
  ),
  {...nodeGone, id: 'NODE_DELETED', name: 'the node is deleted', setup: 'repairs', subject: 'win-1'},
  world(
    'the node is NotReady',
    'NODE_UNREADY',
    'win-1',
    (all) =>
      Object.assign(own(all), {
        ready: false,
        readyMessage: 'runtime network not ready: cni config uninitialized',
        readyReason: 'KubeletNotReady',
      }),
    REPAIRS,
  ),
  world(
    'the kubelet no longer reports',
    'NODE_UNREADY',
    'win-1',
    (all) =>
      Object.assign(own(all), {
        ready: false,
        readyMessage: 'Kubelet stopped posting node status.',
        readyReason: 'NodeStatusUnknown',
      }),
    REPAIRS,
  ),
  world('the node has another kubelet', 'NODE_OF_OTHER_VERSION', 'win-1', (all) =>
    Object.assign(own(all), {kubeletVersion: 'v1.20.2'}),
  ),
  world('the node has another address', 'NODE_AT_OTHER_ADDRESS', 'win-1', (all) =>
    Object.assign(own(all), {addresses: [{address: '10.0.0.99', type: 'InternalIP'}]}),
  ),
]

const dockerStopped = (all: World): void => {
  all.docker.running = false
  service('docker', ended(0))(all)
}
const [imagesGone] = baseImagesDrifts
const pauseGone = pauseImageDrifts.find(({name}) => name.endsWith('pause:latest gone'))
const pauseOfOtherBuild = pauseImageDrifts.find(({name}) => name.includes('another Windows'))
const IN_DOCKER: readonly UnhealthyHost[] = [
  world('review U6: Docker is stopped', 'DOCKER_STOPPED', 'docker', dockerStopped),
  world('Docker is stopped, and with it everything', 'DOCKER_STOPPED', 'docker', (all) => {
    dockerStopped(all)
    for (const name of ['kubelet', 'flanneld', 'kubeproxy']) service(name, ended(1067))(all)
    Object.assign(own(all), {ready: false, readyMessage: 'Kubelet stopped posting node status.'})
  }),
  world('Docker hangs behind its service', 'DOCKER_STOPPED', 'docker', (all) => (all.docker.running = false)),
  world('Docker runs Linux containers', 'DOCKER_LINUX_MODE', 'docker', (all) => (all.docker.mode = 'linux')),
  files('review U5: the pause image is missing', 'IMAGE_MISSING', /pause/, (host) => pauseGone?.make(host), REPAIRS),
  files('a base image is missing', 'IMAGE_MISSING', /nanoserver/, (host) => imagesGone?.make(host), REPAIRS),
  files(
    'the pause image is of another build',
    'IMAGE_OF_OTHER_BUILD',
    /pause/,
    (host) => pauseOfOtherBuild?.make(host),
    REPAIRS,
  ),
]

const IN_PROGRAMS: readonly UnhealthyHost[] = [
  files(
    'kubelet.exe is missing',
    'PROGRAM_MISSING',
    /kubelet\.exe$/,
    (host) => host.remove(`${PROGRAMS}\\kubelet.exe`),
    REPAIRS,
  ),
  files(
    'kube-proxy.exe was changed',
    'PROGRAM_CHANGED',
    /kube-proxy\.exe$/,
    (host) => host.put(`${PROGRAMS}\\kube-proxy.exe`, 'MZ'),
    REPAIRS,
  ),
  files(
    'flanneld.exe is missing',
    'PROGRAM_MISSING',
    /flanneld\.exe$/,
    (host) => host.remove(String.raw`k\flanneld.exe`),
    REPAIRS,
  ),
  files(
    'a CNI plugin was changed',
    'PROGRAM_CHANGED',
    /win-overlay\.exe$/,
    (host) => host.put(String.raw`k\cni\win-overlay.exe`, 'MZ'),
    REPAIRS,
  ),
]

const IN_SERVICES: readonly UnhealthyHost[] = [
  world('the kubelet is stopped', 'SERVICE_DOWN', 'kubelet', service('kubelet', ended(0)), REPAIRS),
  world('the kubelet crashed', 'SERVICE_DOWN', 'kubelet', service('kubelet', ended(1067)), REPAIRS),
  world('flanneld is stopped', 'SERVICE_DOWN', 'flanneld', service('flanneld', ended(0)), REPAIRS),
  world(
    'kube-proxy ended with its own code',
    'SERVICE_DOWN',
    'kubeproxy',
    service('kubeproxy', ended(1066, 255)),
    REPAIRS,
  ),
  world('the kubelet is disabled', 'SERVICE_DISABLED', 'kubelet', service('kubelet', disabled), REPAIRS),
  world('review U5: kube-proxy is disabled', 'SERVICE_DISABLED', 'kubeproxy', service('kubeproxy', disabled), REPAIRS),
  world(
    'flanneld is deleted',
    'SERVICE_MISSING',
    'flanneld',
    ({services}) => Reflect.deleteProperty(services, 'flanneld'),
    REPAIRS,
  ),
  world(
    'the kubelet was not created by k8s-win',
    'FOREIGN_SERVICE',
    'kubelet',
    service('kubelet', (entry) => {
      entry.config = {...entry.config, description: 'somebody'}
    }),
  ),
  world(
    'the kubelet hangs while it stops',
    'SERVICE_DOWN',
    'kubelet',
    service('kubelet', (entry) => {
      Object.assign(entry, {state: 'stop-pending', stopAt: 253_402_300_799_999})
    }),
    {setup: ['SERVICE_NOT_HEALTHY', 'SERVICE_WILL_NOT_STOP']},
  ),
  world(
    'the kubelet does not answer',
    'DAEMON_UNWELL',
    'kubelet',
    service('kubelet', (entry) => {
      entry.listening = ['tcp/10250']
    }),
    {setup: ['SERVICE_NOT_HEALTHY']},
  ),
  world(
    'kube-proxy is not healthy',
    'DAEMON_UNWELL',
    'kubeproxy',
    service('kubeproxy', (entry) => {
      entry.listening = []
    }),
    REPAIRS,
  ),
  files('flanneld dies again and again', 'SERVICE_DOWN', 'flanneld', (host) => {
    const lines = [
      '[INFO] Command exited with code 1',
      '[INFO] Launching command',
      '[DEBUG] stderr: "E1115 12:00:00.000000    2012 main.go:333] Error registering network: invalid VXLAN backend config. VNI [1] must be greater than or equal to 4096 on Windows"',
      '[INFO] Command exited with code 1',
    ]
    const path = String.raw`k\logs\flanneld\shawl_for_flanneld_rCURRENT.log`
    host.put(path, host.read(path) + lines.map((line) => `2026-11-15 12:00:00 ${line}\n`).join(''))
  }),
  world(
    'the kubelet has another command line',
    'DRIFTED',
    'kubelet-service',
    service('kubelet', (entry) => {
      entry.config = {...entry.config, imagePath: `${entry.config.imagePath} --v=9`}
    }),
    REPAIRS,
  ),
]

const IN_NETWORK: readonly UnhealthyHost[] = [
  {
    ...networkGone('vxlan0'),
    id: 'OVERLAY_NETWORK_ABSENT',
    name: 'the overlay network is missing',
    setup: 'repairs',
    subject: 'vxlan0',
  },
  world(
    'the overlay network has another VNI',
    'FOREIGN_NETWORK',
    'vxlan0',
    (all) => (overlay(all)['Subnets'] = subnet('10.244.3', 4097)),
  ),
  world('the network of that name is a bridge', 'FOREIGN_NETWORK', 'vxlan0', ({hns}) => bridgeInstead(hns)),
  world(
    'the overlay network has another subnet',
    'OVERLAY_UNSOUND',
    'vxlan0',
    (all) => (overlay(all)['Subnets'] = subnet('10.244.8', 4096)),
    REPAIRS,
  ),
  {
    ...podNetworkChanged,
    id: 'OVERLAY_UNSOUND',
    name: 'the node got another pod network',
    setup: 'repairs',
    subject: 'vxlan0',
  },
  files(
    'subnet.env is missing',
    'FLANNEL_LEASE_MISSING',
    'vxlan0',
    (host) => host.remove(String.raw`run\flannel\subnet.env`),
    REPAIRS,
  ),
  files(
    'subnet.env is damaged',
    'FLANNEL_LEASE_MISSING',
    'vxlan0',
    (host) => host.put(String.raw`run\flannel\subnet.env`, '\u0000rubbish'),
    REPAIRS,
  ),
  files(
    'the source VIP is missing',
    'SOURCE_VIP_NOT_RESERVED',
    'vxlan0',
    (host) => host.remove(String.raw`var\lib\cni\networks\vxlan0\10.244.3.2`),
    REPAIRS,
  ),
  world(
    'Services are not programmed',
    'LOAD_BALANCER_MISSING',
    'kubeproxy',
    ({hns}) => (hns.policyLists = []),
    REPAIRS,
  ),
  world(
    'CoreDNS moved, and kube-proxy missed it (kubernetes#131387)',
    'SERVICE_BACKENDS_WRONG',
    'Backends of cluster DNS',
    ({cluster, hns, os}) => {
      os.time += 10 * 60_000
      hns.keepsBackends = true
      for (const service of cluster.services) if (service.name === 'kube-dns') service.endpoints = ['10.244.2.33']
    },
    REPAIRS,
  ),
  world(
    'review W7: flanneld published no VtepMAC',
    'VTEP_MAC_MISSING',
    'win-1',
    (all) => {
      const {annotations} = own(all) as {annotations?: Record<string, string>}
      if (annotations) annotations['flannel.alpha.coreos.com/backend-data'] = '{"VNI":4096,"VtepMAC":""}'
    },
    REPAIRS,
  ),
  files(
    'review U5: net-conf.json was edited',
    'DRIFTED',
    'net-conf',
    (host) =>
      host.put(
        String.raw`etc\kube-flannel\net-conf.json`,
        '{"Network":"10.244.0.0/16","Backend":{"Type":"vxlan","VNI":1,"Port":8472}}\n',
      ),
    REPAIRS,
  ),
  files(
    'cni.conf is missing',
    'DRIFTED',
    'cni-config',
    (host) => host.remove(String.raw`k\cni\config\cni.conf`),
    REPAIRS,
  ),
  files('another CNI configuration comes first', 'FOREIGN_CNI_CONFIG', 'cni-config', (host) =>
    host.put(String.raw`k\cni\config\00-nat.conf`, '{"name":"nat"}'),
  ),
  files(
    'kubelet-config.yaml was edited',
    'DRIFTED',
    'kubelet-config',
    (host) => host.put(String.raw`k\kubelet-config.yaml`, 'authentication: {anonymous: {enabled: true}}\n'),
    REPAIRS,
  ),
]

const IN_FIREWALL: readonly UnhealthyHost[] = [
  world(
    'a firewall rule is missing',
    'FIREWALL_RULE_MISSING',
    VXLAN_RULE,
    ({firewall}) => Reflect.deleteProperty(firewall, VXLAN_RULE),
    REPAIRS,
  ),
  world(
    'a firewall rule is disabled',
    'FIREWALL_RULE_MISSING',
    KUBELET_RULE,
    ({firewall}) => Object.assign(firewall[KUBELET_RULE]?.[0] ?? {}, {enabled: false}),
    REPAIRS,
  ),
  world('a firewall rule was not created by k8s-win', 'FOREIGN_FIREWALL_RULE', KUBELET_RULE, ({firewall}) =>
    Object.assign(firewall[KUBELET_RULE]?.[0] ?? {}, {description: 'mine', localPort: '99'}),
  ),
]

export const UNHEALTHY_HOSTS: readonly UnhealthyHost[] = [
  ...IN_RECORDS,
  ...IN_HOST,
  ...IN_IDENTITY,
  ...IN_CLUSTER,
  ...IN_DOCKER,
  ...IN_PROGRAMS,
  ...IN_SERVICES,
  ...IN_NETWORK,
  ...IN_FIREWALL,
]
