// The daemons of a node, one row each: their services, programs, health, ports and logs. Whatever lists daemons reads this
// table, so that a new one is a row here and a step.
import {win32} from 'node:path'
import {layoutOf} from './layout.js'
import {
  CONTAINERD,
  type ContainerdPlace,
  DOCKER_SERVICE,
  FLANNELD,
  KUBE_PROXY,
  KUBE_PROXY_PORT,
  KUBELET,
  KUBELET_PORT,
  type Decided,
  VXLAN_PORT,
} from './model.js'
import type {StepId} from './step-ids.js'
import {isBelow} from './version.js'

interface Port {
  readonly port: number
  readonly protocol: 'tcp' | 'udp'
  /** Who uses it, as the beginning of a sentence. */
  readonly user: string
}

export interface Daemon {
  /** What users call it, beside the names of its service and its program. */
  readonly aliases: readonly string[]
  /** The step that writes the files which it reads only when it starts. */
  readonly configuredBy?: StepId
  /** Other names of its service and its folder of logs, in the original script (swapnil-nirmata/windows-nodes). */
  readonly formerNames: readonly string[]
  /** Its health endpoint, if it has one. */
  readonly health?: (config: Pick<Decided, 'release'>) => string
  /** The parts of a reset that would change it, or what it uses. */
  readonly keeps: readonly (StepId | 'containers' | 'drain')[]
  /** How long it may be unhealthy, or its work missing, before watch repairs it: longer than after a slow start. */
  readonly patienceMs: number
  /** What its pods use, beside what its step needs. */
  readonly pods?: readonly StepId[]
  readonly ports: readonly Port[]
  /** The name of its file without .exe, and of its source in the list of known failures. */
  readonly program: 'containerd' | 'flanneld' | 'k8s-win' | 'kube-proxy' | 'kubelet'
  /** Further programs whose replacement it must be stopped for, beside its own and its wrapper. */
  readonly runs?: readonly string[]
  readonly service: string
  readonly step: StepId
  /** Steps of what it makes or starts with, which run with its own where it is started again or repaired. */
  readonly together?: readonly StepId[]
  /** What `keeps` is to it, in words. */
  readonly uses: string
  /** Writes its log: shawl, which also restarts it, or from 1.26 on kube-log-runner; Windows restarts the service. */
  readonly wrapper: 'kube-log-runner' | 'shawl'
}

// Written out, because the schemas of documents are made from types.
export type DaemonService = 'containerd' | 'flanneld' | 'kubelet' | 'kubeproxy'

const KUBELET_HEALTH_PORT = 10_248

/** By service, in the order they start. */
export const DAEMON = {
  containerd: {
    aliases: ['cri'],
    configuredBy: 'containerd-config',
    formerNames: [],
    keeps: ['containers', 'base-images', 'sandbox-image', 'containerd-service'],
    patienceMs: 60_000,
    ports: [],
    program: 'containerd',
    runs: ['containerd-shim-runhcs-v1'],
    service: CONTAINERD,
    step: 'containerd-service',
    uses: 'its containers and images',
    wrapper: 'shawl',
  },
  kubelet: {
    aliases: [],
    configuredBy: 'kubelet-config',
    formerNames: [],
    health: () => `http://127.0.0.1:${KUBELET_HEALTH_PORT}/healthz`,
    keeps: ['drain', 'containers', 'node-registered', 'kubelet-service'],
    patienceMs: 120_000,
    pods: ['cni-binaries', 'cni-config', 'overlay-network', 'external-network'],
    ports: [
      {port: KUBELET_PORT, protocol: 'tcp', user: 'The kubelet'},
      {port: KUBELET_HEALTH_PORT, protocol: 'tcp', user: "The kubelet's health"},
    ],
    program: 'kubelet',
    service: KUBELET,
    step: 'kubelet-service',
    uses: 'its files, its containers and its node',
    wrapper: 'kube-log-runner',
  },
  flanneld: {
    aliases: ['flannel', 'shawl'],
    configuredBy: 'net-conf',
    formerNames: [],
    keeps: ['overlay-network', 'external-network', 'flanneld-service', 'net-conf'],
    // As the step overlay-network waits for it.
    patienceMs: 60_000,
    ports: [{port: VXLAN_PORT, protocol: 'udp', user: "flannel's overlay"}],
    program: 'flanneld',
    service: FLANNELD,
    step: 'flanneld-service',
    // Its start records the host's network and its routes, which the second step compares and puts back.
    together: ['overlay-network'],
    uses: 'its files and its networks',
    wrapper: 'shawl',
  },
  kubeproxy: {
    aliases: ['proxy'],
    formerNames: ['kube-proxy'],
    // From 1.28 on /healthz is 503 also while the Node is about to be deleted, or unknown (pkg/proxy/healthcheck): it is
    // there for load balancers. /livez, which is new there, is about kube-proxy alone.
    health: ({release}) => `http://127.0.0.1:${KUBE_PROXY_PORT}/${isBelow(release, 1, 28) ? 'healthz' : 'livez'}`,
    keeps: ['kubeproxy-service', 'source-vip'],
    // A sync of many Services may take longer than two of its periods (60 s), and a start begins all over again.
    patienceMs: 180_000,
    ports: [{port: KUBE_PROXY_PORT, protocol: 'tcp', user: 'kube-proxy'}],
    program: 'kube-proxy',
    service: KUBE_PROXY,
    step: 'kubeproxy-service',
    // After a restart of Windows its address may be of a former network.
    together: ['source-vip'],
    uses: 'its source address',
    wrapper: 'kube-log-runner',
  },
} as const satisfies Readonly<Record<DaemonService, Daemon>>

export const DAEMONS: readonly (Daemon & {readonly service: DaemonService})[] = Object.values(DAEMON)

/** What runs where a daemon is started again or repaired. */
export const stepsOfDaemon = ({step, together = []}: Daemon): readonly StepId[] => [step, ...together]

/** k8s-win itself, which watches the others: its service is made, judged and removed as theirs are. */
export const WATCH = {
  aliases: [],
  // Its program is the one file that it must be restarted for.
  configuredBy: 'watch-service',
  formerNames: [],
  keeps: ['watch-service'],
  // shawl and the service manager alone restart it.
  patienceMs: Infinity,
  ports: [],
  program: 'k8s-win',
  service: 'k8s-win',
  step: 'watch-service',
  uses: 'its program',
  wrapper: 'shawl',
} as const satisfies Daemon

/** What its service runs: see src/cli/run/run-watch.ts. */
export const WATCH_COMMAND = 'run-watch'

/** What has a service of k8s-win. */
export const SERVED: readonly Daemon[] = [...DAEMONS, WATCH]

/** Those of every node; its runtime can be Docker. */
export const COMMON_DAEMONS = DAEMONS.filter(({service}) => service !== CONTAINERD)

/** Docker, and a containerd that was there before, belong to the user, so their services are not among them. */
export const daemonsOf = (config: RuntimeChoice): typeof DAEMONS =>
  hasOwnContainerd(config) ? DAEMONS : COMMON_DAEMONS

/** Those that run one of these files, in the order they stop: Windows does not replace a running program. */
export const usersOf = (config: RuntimeChoice, files: readonly string[]): DaemonService[] =>
  daemonsOf(config)
    .filter(({program, runs = [], wrapper}) =>
      [program, wrapper, ...runs].some((name) => files.includes(`${name}.exe`)),
    )
    .map(({service}) => service)
    .toReversed()

/** "kube-proxy, flanneld and the kubelet" */
export const inWords = (daemons: readonly Pick<Daemon, 'program'>[]): string =>
  daemons
    .map(({program}) => (program === 'kubelet' ? 'the kubelet' : program))
    .join(', ')
    .replace(/, (?=[^,]*$)/, ' and ')

/** The folder of a daemon's logs. */
export const logsOf = ({baseDir}: Pick<Decided, 'baseDir'>, {service}: Pick<Daemon, 'service'>): string =>
  win32.join(layoutOf(baseDir).logs, service)

type RuntimeChoice = Pick<Decided, 'containerd' | 'runtime'>

/** The service of the container runtime. `isOurs`: k8s-win has installed it. */
export const runtimeService = ({containerd, runtime}: RuntimeChoice): Pick<ContainerdPlace, 'isOurs' | 'service'> =>
  runtime === CONTAINERD ? containerd : {isOurs: false, service: DOCKER_SERVICE}

/** k8s-win has installed the containerd of this node. */
export const hasOwnContainerd = (config: RuntimeChoice): boolean => runtimeService(config).isOurs
