// States that print an error with a command, which is not that of a broken node: how each is made, who prints it, and what
// a person does as the text says.
import {interceptMachine} from '../../src/machine/intercept.js'
import type {Machine} from '../../src/machine/machine.js'
import {FileError} from '../../src/machine/files.js'
import {Win32Error} from '../../src/machine/win32.js'
import {commandIn} from '../../src/errors/k8s-win-error.js'
import type {Run} from '../../src/machine/run.js'
import type {HealthDocument} from '../../src/pipeline/run/health-document.js'
import type {RunResultDocument} from '../../src/pipeline/run/events.js'
import {openChildren} from '../../src/runs/watch/child.js'
import {healthFile} from '../../src/runs/watch/state-files.js'
import type {WatchInput} from '../../src/runs/watch/watch.js'
import {OWN_PROGRAM} from '../../src/simulator/index.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import {makeKubeconfig} from '../../src/simulator/cluster/kubeconfig.js'
import {ADMIN_CERTIFICATE} from '../../src/simulator/cluster/certificates.js'
import type {ServiceEntry, World} from '../../src/simulator/world.js'
import {faultyMachine} from '../fakes/faulty.js'
import {runFrom} from '../fixtures/assets.js'
import {hostWith} from '../fixtures/present-containerd.js'
import {joiningHost, joinOn} from '../join/joining-host.js'
import {noteIn} from '../pipeline/ledger/note-in.js'
import {resetOn} from '../reset/reset-run.js'
import {BASE_DIR, WatchedHost} from '../runs/watch/watched-host.js'
import {setupOn} from '../setup/in-process.js'
import {statusOn} from '../status/status-on.js'
import {halt} from '../steps/drifts/services.js'
import {type DiskHost, HostFolder, profileOf} from '../steps/host-folder.js'
import {nodeAt, pod} from '../upgrade/node-at.js'
import {refusing} from '../upgrade/refusing.js'
import {errorsOf, type Printed, runOn} from './printed-commands.js'

/** Which host is changed. */
export type Base = 'containerd' | 'docker' | 'pod'

export interface PrintingState {
  readonly id: string
  readonly name?: string
  /** A node that was set up; or one of its own. Default: with containerd. */
  readonly base?: Base | (() => Promise<HostFolder>)
  make?(host: HostFolder): unknown
  /** What it prints; by default, status. The state may need a fault that only this run has. */
  print?(host: DiskHost): Promise<readonly Printed[]>
  /** What a person does before the command, as the text says. */
  before?(host: DiskHost): unknown
  /** What a person does between two commands. */
  between?(host: DiskHost): unknown
  /** The commands of the text that are run, in their order; by default, `command` of the error. */
  readonly commands?: readonly RegExp[]
  /** By what is in angle brackets. */
  readonly values?: Readonly<Record<string, string>>
  /** What is done after it, as the text says. */
  after?(host: DiskHost): unknown
  /** The exit code of the last command. */
  readonly ends?: number
  /** The problems that status has at the end. */
  readonly left?: readonly string[]
}

const printedBy =
  (...args: readonly string[]) =>
  async (host: DiskHost): Promise<readonly Printed[]> =>
    errorsOf((await runOn(host, args)).stdout)
const printedIn = async (running: Promise<{readonly result: RunResultDocument}>): Promise<readonly Printed[]> => {
  const {error, errors = error ? [error] : []} = (await running).result
  return errors
}
const again =
  (...args: readonly string[]) =>
  async (host: DiskHost): Promise<void> => {
    const {code, stdout} = await runOn(host, args)
    if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${stdout}`)
  }
const world =
  (change: (world: World) => unknown) =>
  (host: HostFolder): void =>
    host.edit((all) => void change(all))
const entryOf = ({services}: World, name: string): ServiceEntry => {
  const entry = services[name]
  if (!entry) throw new Error(`there is no service ${name}`)
  return entry
}
const own = ({cluster}: World): object => cluster.nodes.find(({name}) => name === 'win-1') ?? {}
const rewrite =
  (path: string, from: RegExp | string, to: string) =>
  (host: HostFolder): void =>
    host.put(path, host.read(path).replace(from, to))

async function restart({dir}: HostFolder, service: string): Promise<void> {
  const {clock, win32} = await openSimulator({dir, profile: profileOf(dir)})
  await win32.stopService(service)
  await clock.sleep(20_000)
  await win32.startService(service)
  await clock.sleep(20_000)
}

const STATE = String.raw`k\k8s-win`
const NODE_YAML = String.raw`${STATE}\node.yaml`
const HEALTH = String.raw`${STATE}\health.json`
const NEW = '1.31.14'
const SERVER = 'https://10.0.0.10:6443'

const hang = (all: World): void => {
  all.containerd.running = false
  entryOf(all, 'containerd').listening = []
}
const PRESENT = (conf: string): string => `version = 3
[plugins.'io.containerd.cri.v1.runtime'.cni]
  bin_dir = 'C:\\Program Files\\containerd\\cni\\bin'
  conf_dir = '${conf}'
`
const PRESENT_CONFIG = String.raw`Program Files\containerd\config.toml`
const PRESENT_CONF = String.raw`C:\Program Files\containerd\cni\conf`

const brokenImage = (machine: Machine): Machine =>
  interceptMachine(machine, (effect, perform) => {
    const isRun = effect.via === 'run' && /ctr\.exe$/.test(effect.what) && effect.args.flat().includes('run')
    const ended = {durationMs: 1, exitCode: 1, stderr: 'no room', stdout: ''}
    return isRun ? (Promise.resolve(ended) as ReturnType<typeof perform>) : perform()
  })

const OF_CONTAINERD: readonly PrintingState[] = [
  {id: 'CONTAINERD_ABSENT', make: (host) => host.remove(String.raw`k\containerd\bin\crictl.exe`)},
  {
    after: again('setup'),
    async base() {
      const host = await hostWith({config: PRESENT(PRESENT_CONF)})
      await setupOn(host.dir)
      return host
    },
    id: 'CONTAINERD_CHANGED',
    async make(host) {
      host.put(PRESENT_CONFIG, PRESENT(String.raw`C:\other`))
      host.makeFolder('other')
      await restart(host, 'containerd')
    },
    print: printedBy('setup'),
  },
  {
    after: again('setup', '--containerd-version', '1.7.25', '--release', '1.30.14'),
    base: () => nodeAt('1.30.14', '1.30.14', undefined, '2.3.4'),
    id: 'CONTAINERD_DOWNGRADE',
    print: printedBy('setup', '--containerd-version', '1.7.25', '--release', '1.30.14'),
  },
  {
    id: 'CONTAINERD_STOPPED',
    make: world((all) => {
      halt(entryOf(all, 'containerd'), all)
      hang(all)
    }),
  },
  {
    after: again('setup'),
    id: 'FOREIGN_CNI_CONFIG',
    make: (host) => host.put(String.raw`k\cni\config\05-other.conflist`, '{}'),
    print: printedBy('setup'),
  },
  {
    id: 'OTHER_CNI_CONFIG',
    make: (host) => host.put(String.raw`k\cni\config\20-other.conflist`, '{}'),
    print: printedBy('setup'),
  },
  {id: 'RUNTIME_UNREADY', make: (host) => host.remove(String.raw`k\cni\config\10-flannel.conflist`)},
  {
    async after(host) {
      host.edit(({containerd}) => (containerd.images = []))
      await again('setup')(host)
    },
    // The proof of an image is in the journal.
    base: () => HostFolder.fresh(() => {}, 'ws2022-containerd'),
    id: 'IMAGE_BROKEN',
    print: (host) => printedIn(setupOn(host.dir, {}, {wrap: brokenImage})),
  },
  {
    base: 'pod',
    id: 'RUNTIME_NOT_RESTARTED',
    make: world(hang),
    print: printedBy('recover'),
  },
  {
    after: async (host) => {
      await again('stop', 'containerd', '--yes')(host)
      await again('start')(host)
    },
    base: 'pod',
    commands: [],
    id: 'PODS_WOULD_END',
    print: printedBy('stop', 'containerd'),
  },
]

const withoutApprover = ({cluster}: World): void => {
  cluster.roleBindings = (cluster.roleBindings ?? []).filter(({name}) => !name.includes('autoapprove'))
}
const OF_RUNS: readonly PrintingState[] = [
  {
    after: async (host) => {
      host.edit(({cluster}) => {
        const request = cluster.certificateSigningRequests?.at(-1)
        if (request) request.conditions = [{at: 0, message: '', reason: 'KubectlApprove', type: 'Approved'}]
      })
      const {result} = await joinOn(host)
      if (result.exitCode !== 0) throw new Error(`setup ended with ${result.error?.id}`)
    },
    base: () => joiningHost(withoutApprover),
    commands: [],
    id: 'CSR_PENDING',
    print: (host) => printedIn(joinOn(host, {timeout: '4m'})),
  },
  {
    after: again('upgrade', '--release', NEW),
    base: () => nodeAt('1.30.14', NEW),
    // kubectl drain
    before: world(({cluster}) => {
      cluster.pods = []
      Object.assign(cluster.nodes[0]!, {unschedulable: true})
    }),
    commands: [],
    id: 'DRAIN_FORBIDDEN',
    make: world(({cluster}) => {
      cluster.pods = [pod('a')]
      const others = ['certificatesigningrequests', 'csinodes', 'events', 'leases', 'nodes', 'subjectaccessreviews']
      const verbs = ['delete', 'get', 'list', 'patch', 'update', 'watch']
      cluster.permissions = [
        ...verbs.map((verb) => `${verb} *`),
        ...[...others, 'tokenreviews'].map((resource) => `create ${resource}`),
      ]
    }),
    print: printedBy('upgrade', '--release', NEW, '--drain'),
  },
  {
    base: () => nodeAt('1.30.14', NEW),
    id: 'DRAIN_NEEDED',
    make: world(({cluster}) => (cluster.pods = [pod('a')])),
    print: printedBy('upgrade', '--release', NEW),
  },
  {
    after: async (host) => {
      const {result} = await joinOn(host)
      if (result.exitCode !== 0) throw new Error(`setup ended with ${result.error?.id}`)
    },
    async base() {
      const host = await joiningHost()
      await joinOn(host)
      return host
    },
    id: 'JOIN_CA_HASH_WRONG',
    print: printedBy('setup', '--ca-cert-hash', `sha256:${'0'.repeat(64)}`),
  },
  {
    async base() {
      const host = await HostFolder.fresh()
      host.put(String.raw`k\kubeconfig`, makeKubeconfig(SERVER, ADMIN_CERTIFICATE))
      await setupOn(host.dir)
      host.put(String.raw`k\kubeconfig`, makeKubeconfig(SERVER))
      return host
    },
    id: 'KUBELET_CERTIFICATE_STALE',
  },
  {
    base: 'docker',
    id: 'RESET_UNFINISHED',
    left: ['NO_NODE'],
    async make({dir}) {
      const refused = new Win32Error('DeleteService', 5, 'flanneld')
      await resetOn(dir, {
        given: {'keep-node': true, yes: true},
        wrap: (machine) =>
          faultyMachine(machine, [
            {at: ({args, what}) => what === 'deleteService' && args[0] === 'flanneld', does: refused, when: 'before'},
          ]),
      })
    },
  },
  {
    after: again('reset'),
    base: 'docker',
    commands: [/^k8s-win reset --purge/],
    // The list once more; the records are gone.
    ends: 7,
    id: 'RESET_UNPROVEN',
    left: ['NO_NODE'],
    make: (host) => host.remove(String.raw`${STATE}\journal.ndjson`),
    print: printedBy('reset', '--yes'),
  },
  {
    base: () => nodeAt('1.23.17', '1.24.17', 'ws2022'),
    between: world((all) => {
      all.docker.running = false
      const docker = entryOf(all, 'docker')
      Object.assign(docker, {exitCode: 0, processId: 0, stage: '', state: 'stopped'})
      docker.config = {...docker.config, startType: 'disabled'}
    }),
    commands: [/^k8s-win reset/, /^k8s-win setup/],
    id: 'RUNTIME_CHANGE',
    print: printedBy('upgrade', '--release', '1.24.17'),
  },
  {
    id: 'SETTINGS_STUCK',
    print: (host) =>
      printedIn(setupOn(host.dir, {'kubelet-arg': ['windows-priorityclass=NONE']}, {wrap: refusing('kubelet', 99, 2)})),
  },
  {
    base: () => HostFolder.fresh(),
    id: 'SETUP_UNFINISHED',
    make: ({dir}) => setupOn(dir, {}, {wrap: refusing('kubelet', 99)}),
  },
  {
    base: () => nodeAt('1.30.14', NEW),
    id: 'UPGRADE_STUCK',
    print: (host) => printedIn(setupOn(host.dir, {release: NEW}, {wrap: refusing('kubelet', 99)})),
  },
  {
    base: () => nodeAt('1.30.14', NEW),
    id: 'UPGRADE_UNFINISHED',
    make: ({dir}) => setupOn(dir, {release: NEW}, {wrap: refusing('kubelet', 99)}),
  },
  {
    base: () => nodeAt('1.30.14', NEW),
    commands: [/^k8s-win setup/],
    id: 'UPGRADE_UNFINISHED',
    make: ({dir}) => setupOn(dir, {release: NEW}, {wrap: refusing('kubelet', 99)}),
    name: 'to stay',
  },
]

const busyLogs = (machine: Machine): Machine =>
  interceptMachine(machine, (effect, perform) => {
    const isLogs = effect.what === 'list' && /\\logs\\kubeproxy$/i.test(String(effect.args[0]))
    return isLogs ? Promise.reject(new FileError('list', String(effect.args[0]), 'EBUSY')) : perform()
  })
const hiddenPorts = (machine: Machine): Machine =>
  interceptMachine(machine, (effect, perform) =>
    ['peerProcess', 'portOwners'].includes(effect.what)
      ? Promise.reject(new Win32Error('GetExtendedTcpTable', 5, 'tcp'))
      : perform(),
  )
const fresh =
  (sicken: (world: World) => unknown): (() => Promise<HostFolder>) =>
  () =>
    HostFolder.fresh((all) => void sicken(all))

/** What a person installs again. */
const HNS: {entry?: ServiceEntry | undefined} = {}

const OF_PERSONS: readonly PrintingState[] = [
  {
    after: again('setup'),
    base: fresh(({os}) => (os.features = {containers: false})),
    before: world(({os}) => delete os.features),
    commands: [],
    id: 'CONTAINERS_MISSING',
    print: printedBy('setup'),
  },
  {
    base: 'docker',
    id: 'DOCKER_STOPPED',
    make: world((all) => {
      all.docker.running = false
      Object.assign(entryOf(all, 'docker'), {exitCode: 0, processId: 0, stage: '', state: 'stopped'})
    }),
  },
  {base: 'docker', id: 'HEALTH_UNKNOWN', print: (host) => printedIn(setupOn(host.dir, {}, {wrap: busyLogs}))},
  {
    after: again('setup'),
    base: () => HostFolder.fresh(),
    before: world((all) => (all.services['hns'] = HNS.entry!)),
    commands: [],
    id: 'HNS_MISSING',
    make: world(({services}) => {
      HNS.entry = services['hns']
      delete services['hns']
    }),
    print: printedBy('setup'),
  },
  {
    base: 'docker',
    commands: [/^k8s-win setup/],
    id: 'NODE_ADDRESS_LOST',
    make: world((all) => {
      all.adapters = all.adapters.map((one) =>
        one.addresses.some(({address}) => address === '10.0.0.5')
          ? {...one, addresses: [{address: '10.0.0.77', prefixLength: 24}]}
          : one,
      )
    }),
    values: {address: '10.0.0.77'},
  },
  {
    base: 'docker',
    ends: 6,
    id: 'NODE_AT_OTHER_ADDRESS',
    after: world((all) => Object.assign(own(all), {addresses: [{address: '10.0.0.5', type: 'InternalIP'}]})),
    make: world((all) => Object.assign(own(all), {addresses: [{address: '10.0.0.99', type: 'InternalIP'}]})),
  },
  {
    base: 'docker',
    id: 'NODE_IS_A_COPY',
    left: ['NO_NODE'],
    make: world(({os}) => (os.systemUuid = '564d1234-5678-9abc-def0-123456789abc')),
  },
  {
    base: 'docker',
    commands: [/^k8s-win setup/],
    id: 'NODE_IS_A_COPY',
    make: world(({os}) => (os.systemUuid = '564d1234-5678-9abc-def0-123456789abc')),
    name: 'a restored backup',
  },
  {base: 'docker', id: 'NODE_UNREADY', make: (host) => host.remove(String.raw`k\cni\config\cni.conf`)},
  {
    base: 'docker',
    commands: [/^k8s-win restart/],
    id: 'PORT_OWNER_UNKNOWN',
    print: (host) => printedIn(setupOn(host.dir, {}, {wrap: hiddenPorts})),
  },
  ...(['reset', 'setup'] as const).map((command): PrintingState => ({
    base: 'docker',
    commands: [new RegExp(`^k8s-win ${command}`)],
    id: 'SERVICES_GONE',
    left: command === 'reset' ? ['NO_NODE'] : [],
    make: world(({services}) => {
      for (const name of ['kubelet', 'flanneld', 'kubeproxy']) delete services[name]
    }),
    name: command,
  })),
]

/** A kubelet that ended, and a watch whose repairs fail so: what it has written is left. */
async function watched(ms: number, run: Run): Promise<HostFolder> {
  const changes: Partial<WatchInput> = {}
  const host = await WatchedHost.setUp('ws2019', changes)
  const {machine} = host
  const children = openChildren({
    assets: runFrom(OWN_PROGRAM),
    baseDir: BASE_DIR,
    machine: {...machine, run},
  })
  const health = healthFile({baseDir: BASE_DIR, machine, redact: (text) => text})
  Object.assign(changes, {...children, reporters: () => [health]})
  await host.pass(20_000)
  // Nothing starts it again, and so the watch does.
  Object.assign(entryOf(host.world, 'kubelet'), {exitCode: 1077, processId: 0, stage: '', state: 'stopped'})
  await host.pass(ms)
  await host.stop()
  host.folder.edit(() => {}, host.world)
  return host.folder
}
const ofHealth = async (host: DiskHost): Promise<readonly Printed[]> => {
  const {problems} = JSON.parse(host.read(HEALTH)) as HealthDocument
  return problems.map(({fix, id}) => ({command: commandIn(fix), fix, id}))
}
const NOTHING_FOUND = JSON.stringify({changed: 0, exitCode: 0, problems: []})

const OF_WATCH: readonly PrintingState[] = [
  {
    base: () => watched(1_500_000, async () => ({durationMs: 1, exitCode: 0, stderr: '', stdout: NOTHING_FOUND})),
    id: 'WATCH_GAVE_UP',
    print: ofHealth,
  },
  {
    base: () => watched(60_000, () => Promise.reject(new Error('no such file'))),
    id: 'WATCH_PROCESS_FAILED',
    print: ofHealth,
  },
  {
    async after(host) {
      const left = await ofWatch(host)
      if (left.length > 0) throw new Error(left.map(({id}) => id).join(', '))
    },
    async base() {
      const host = HostFolder.empty()
      await setupOn(host.dir, {}, {assets: runFrom(OWN_PROGRAM)})
      return host
    },
    commands: [/^sc\.exe stop/, /^sc\.exe start/],
    id: 'WATCH_SILENT',
    make: world((all) => (entryOf(all, 'k8s-win').startedAt = all.os.time - 3_600_000)),
    print: (host) => ofWatch(host),
  },
]
/** As the k8s-win that the service runs. */
async function ofWatch({dir}: DiskHost): Promise<readonly Printed[]> {
  const {problems} = (await statusOn(dir, {assets: runFrom(OWN_PROGRAM)})).document
  return problems.map(({command, id, next}) => ({command, fix: next, id}))
}

const REGISTRIES = String.raw`C:\registries`
const OF_RECORDS: readonly PrintingState[] = [
  {
    base: 'docker',
    id: 'DAEMONS_STOPPED',
    async print(host) {
      await runOn(host, ['stop'])
      return printedBy('resume')(host)
    },
  },
  {
    id: 'DAEMON_WITHOUT_RUNNER',
    make: world((all) => {
      const entry = entryOf(all, 'kubeproxy')
      const {process} = entry
      if (!process?.standIn) throw new Error('kube-proxy does not run')
      entry.processId = process.childProcessId ?? 0
      process.arguments = process.arguments.slice(process.arguments.indexOf(process.childProgram ?? '') + 1)
      process.program = process.childProgram ?? ''
      process.standIn.name = 'kube-proxy'
      delete process.childProcessId
      delete process.childProgram
    }),
  },
  {
    base: 'docker',
    id: 'METADATA_ROUTES_LOST',
    make(host) {
      const route = {byHand: true, destination: '169.254.169.254/32', metric: 1, nextHop: '10.0.0.1', persistent: false}
      const saved = {addresses: [], dhcp: false, dnsByHand: true, dnsServers: [], name: 'Ethernet0', routes: [route]}
      noteIn(
        host,
        {
          entry: {adapter: 'Ethernet0', id: '9 late', kind: 'network-before', snapshot: [saved]},
          step: 'external-network',
        },
        {
          entry: {comparedAt: '2199-01-01T00:00:00.000Z', id: '9 late', kind: 'network-verified'},
          step: 'overlay-network',
        },
      )
    },
  },
  {
    after: world((all) => Object.assign(own(all), {kubeletVersion: 'v1.21.5'})),
    base: 'docker',
    ends: 6,
    id: 'NODE_OF_OTHER_VERSION',
    make: world((all) => Object.assign(own(all), {kubeletVersion: 'v1.20.2'})),
  },
  {base: 'docker', id: 'NODE_OPTIONS_LOST', make: (host) => host.remove(NODE_YAML)},
  {base: () => HostFolder.fresh(), id: 'NO_NODE', print: printedBy('recover')},
  {base: 'docker', id: 'PROGRAM_OF_OTHER_VERSION', make: rewrite(NODE_YAML, '1.21.5', '1.22.12')},
  {base: 'docker', id: 'RECORDS_LOST', make: (host) => host.remove(STATE)},
  {
    async base() {
      const host = await HostFolder.fresh((all) => {
        all.security[REGISTRIES.toLowerCase()] = 'O:BAD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)'
      }, 'ws2022-containerd')
      host.put(String.raw`registries\registry.example_5000_\hosts.toml`, "server = 'https://registry.example:5000'\n")
      await setupOn(host.dir, {'registry-config': REGISTRIES})
      return host
    },
    commands: [/^k8s-win setup/],
    id: 'REGISTRY_CONFIG_LOST',
    make: (host) => host.remove(String.raw`${STATE}\registries.json`),
    print: printedBy('setup'),
    values: {folder: REGISTRIES},
  },
  {
    base: 'docker',
    id: 'STORED_FOR_OTHER_FOLDER',
    make: rewrite(NODE_YAML, /baseDir:.*/, String.raw`baseDir: D:\other`),
  },
]

export const STATES: readonly PrintingState[] = [
  ...OF_CONTAINERD,
  ...OF_RUNS,
  ...OF_PERSONS,
  ...OF_WATCH,
  ...OF_RECORDS,
]
