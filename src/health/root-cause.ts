// Which problem brings about which others: the root comes first, its consequences are folded under it.
import {commandIn} from '../errors/fix-command.js'
import {FLANNELD} from '../components/flanneld.js'
import {KUBE_PROXY} from '../components/kube-proxy.js'
import {KUBELET} from '../components/kubelet.js'
import {STATUS_AREAS, type StatusProblem} from '../pipeline/run/status-report.js'
import type {FoundProblem} from './probe.js'

type Subject = Pick<StatusProblem, 'id' | 'subject'>
type Match = (problem: Subject) => boolean

interface Rule {
  readonly cause: Match
  readonly explains: Match
}

const is =
  (...ids: readonly string[]): Match =>
  ({id}) =>
    ids.includes(id)
const of =
  (subject: RegExp, ...ids: readonly string[]): Match =>
  (problem) =>
    ids.includes(problem.id) && subject.test(problem.subject)
const any =
  (...matches: readonly Match[]): Match =>
  (problem) =>
    matches.some((match) => match(problem))

const service = (name: string): Match =>
  of(new RegExp(`^${name}$`), 'SERVICE_MISSING', 'SERVICE_DISABLED', 'SERVICE_DOWN', 'FOREIGN_SERVICE')
const unwell = (name: string): Match => of(new RegExp(`^${name}$`), 'SERVICE_DOWN', 'DAEMON_UNWELL')
const drift = (...steps: readonly string[]): Match => of(new RegExp(`^(?:${steps.join('|')})$`), 'DRIFTED')
const program = (name: string): Match =>
  of(new RegExp(String.raw`\\${name}\.exe$`, 'i'), 'PROGRAM_MISSING', 'PROGRAM_CHANGED', 'PROGRAM_OF_OTHER_VERSION')

const kubeletEnds = any(unwell(KUBELET), is('KUBELET_PORT_CLOSED', 'NODE_UNREADY'))
const flanneldEnds = any(
  unwell(FLANNELD),
  is('OVERLAY_NETWORK_ABSENT', 'OVERLAY_UNSOUND', 'FLANNEL_LEASE_MISSING', 'VTEP_MAC_MISSING'),
)
const unproven = is('LOAD_BALANCER_MISSING', 'SERVICES_UNREADABLE', 'SOURCE_VIP_MISSING')
const servicesEnd = any(unwell(KUBE_PROXY), unproven, is('SOURCE_VIP_NOT_RESERVED'))
/** The cluster does not answer, or not this node. */
export const isSilence = is(
  'API_SERVER_ANSWER',
  'API_SERVER_BUSY',
  'API_SERVER_FORBIDS',
  'API_SERVER_REFUSES',
  'API_SERVER_UNREACHABLE',
  'API_SERVER_UNTRUSTED',
)
const wholeNode = any(kubeletEnds, flanneldEnds, servicesEnd)
/** Those that every question to the cluster depends on. */
const credentials = is(
  'KUBECONFIG_MISSING',
  'KUBECONFIG_UNREADABLE',
  'CREDENTIALS_LAPSED',
  'KUBELET_CERTIFICATE_LAPSED',
)

/** In the order of causes: where two would explain a problem, the first does. */
const RULES: readonly Rule[] = [
  // A folder that is gone or open to others is the same thing as the drift of the step that restricts it.
  {cause: is('DRIVE_MISSING'), explains: () => true},
  {cause: is('BASE_DIR_MISSING', 'BASE_DIR_NOT_FOLDER'), explains: ({id}) => id !== 'DRIVE_MISSING'},
  {
    cause: is('DISK_FULL'),
    explains: any(wholeNode, is('IMAGE_MISSING', 'PROGRAM_MISSING')),
  },
  {cause: is('CLOCK_WRONG'), explains: any(credentials, isSilence, wholeNode)},
  {
    cause: is('INTERFACE_MISSING', 'INTERFACE_WITHOUT_ADDRESS', 'INTERFACE_DOWN', 'NODE_ADDRESS_LOST'),
    explains: any(
      isSilence,
      wholeNode,
      is('NODE_ADDRESS_LOST', 'NODE_AT_OTHER_ADDRESS', 'NODE_NAME_TAKEN', 'METADATA_ROUTES_LOST'),
      drift('kubelet-service', 'flanneld-service', 'kubeproxy-service'),
    ),
  },
  {
    cause: is('WINDOWS_UNSUPPORTED'),
    explains: any(is('IMAGE_OF_OTHER_BUILD'), drift('base-images', 'pause-image'), wholeNode),
  },
  {cause: credentials, explains: any(credentials, isSilence, is('CLIENT_CA_UNKNOWN'), wholeNode)},
  {cause: is('API_SERVER_UNTRUSTED', 'API_SERVER_REFUSES'), explains: wholeNode},
  {cause: is('PERMISSIONS_MISSING'), explains: any(isSilence, wholeNode, is('CLUSTER_DNS_UNKNOWN'))},
  {cause: isSilence, explains: any(unwell(KUBE_PROXY), unproven)},
  {
    cause: is('FLANNEL_UNFIT', 'FLANNEL_NETWORK_ELSEWHERE', 'POD_CIDR_ELSEWHERE'),
    explains: any(flanneldEnds, servicesEnd),
  },
  {
    cause: is('DOCKER_ABSENT', 'DOCKER_STOPPED', 'DOCKER_LINUX_MODE', 'DOCKER_TOO_NEW'),
    explains: any(
      wholeNode,
      is('IMAGE_MISSING', 'IMAGE_OF_OTHER_BUILD'),
      drift('docker', 'base-images', 'pause-image'),
    ),
  },
  {cause: is('IMAGE_MISSING', 'IMAGE_OF_OTHER_BUILD'), explains: is('NODE_UNREADY')},
  {
    cause: is('CONTAINERS_MISSING', 'HNS_MISSING', 'HNS_STOPPED', 'HNS_REFUSED', 'HNS_TOO_OLD'),
    explains: any(flanneldEnds, servicesEnd, is('HNS_STOPPED', 'HNS_REFUSED', 'NODE_UNREADY', 'NODE_ADDRESS_LOST')),
  },
  {cause: program(KUBELET), explains: any(service(KUBELET), kubeletEnds)},
  {cause: program(FLANNELD), explains: any(service(FLANNELD), flanneldEnds, servicesEnd)},
  {cause: program('kube-proxy'), explains: any(service(KUBE_PROXY), servicesEnd)},
  {cause: is('PORT_TAKEN'), explains: any(unwell(KUBELET), unwell(KUBE_PROXY), unwell(FLANNELD))},
  {cause: is('NODE_NAME_TAKEN'), explains: is('NODE_AT_OTHER_ADDRESS', 'NODE_OF_OTHER_VERSION', 'NODE_UNREADY')},
  {cause: any(service(KUBELET), unwell(KUBELET)), explains: any(kubeletEnds, is('NODE_DELETED'))},
  {cause: is('NODE_DELETED'), explains: any(flanneldEnds, servicesEnd)},
  {cause: drift('net-conf'), explains: any(flanneldEnds, servicesEnd)},
  {cause: is('FOREIGN_NETWORK', 'OTHER_NETWORK'), explains: any(flanneldEnds, servicesEnd, is('NODE_UNREADY'))},
  {cause: any(service(FLANNELD), unwell(FLANNELD)), explains: any(flanneldEnds, servicesEnd, is('NODE_UNREADY'))},
  {
    cause: is('OVERLAY_NETWORK_ABSENT', 'OVERLAY_UNSOUND', 'FLANNEL_LEASE_MISSING'),
    explains: any(servicesEnd, drift('kubeproxy-service'), is('FLANNEL_LEASE_MISSING', 'NODE_UNREADY')),
  },
  {cause: is('SOURCE_VIP_NOT_RESERVED'), explains: any(unwell(KUBE_PROXY), unproven)},
  {cause: any(service(KUBE_PROXY), unwell(KUBE_PROXY)), explains: unproven},
  {cause: any(is('FOREIGN_CNI_CONFIG'), drift('cni-config')), explains: is('NODE_UNREADY')},
]

/** Roots in the order of areas, each followed by what it explains. */
export function rootCauseFirst(found: readonly FoundProblem[], typed: (name: string) => string): StatusProblem[] {
  // The steps that a problem explains are the model's own.
  const problems = found.map(({restsOn: _restsOn, steps: _steps, ...problem}) => withCommand(problem, typed))
  const ordered = STATUS_AREAS.flatMap((area) => problems.filter((problem) => problem.area === area))
  const roots = new Map(ordered.map((problem) => [problem, rootOf(problem, ordered)]))
  return ordered.flatMap((problem) => {
    if (roots.get(problem) !== problem) return []
    const explained = ordered.filter((other) => other !== problem && roots.get(other) === problem)
    const root = explained.length === 0 ? problem : {...problem, consequences: explained.length}
    return [root, ...explained.map((other) => ({...other, explainedBy: problem.id}))]
  })
}

/** The command as typed on this host. */
export function withCommand(problem: FoundProblem, typed: (name: string) => string): StatusProblem {
  if (problem.command !== undefined) return {...problem, command: problem.command}
  const command = commandIn(problem.next)
  return {...problem, command: command?.startsWith('k8s-win ') ? typed(command.slice('k8s-win '.length)) : command}
}

function rootOf(problem: StatusProblem, all: readonly StatusProblem[]): StatusProblem {
  const chain = [problem]
  for (let cause = causeOf(problem, all); cause; cause = causeOf(cause, all)) {
    const begins = chain.indexOf(cause)
    // Of some that explain each other in a circle the first one stands for all.
    if (begins !== -1) return all.find((one) => chain.indexOf(one) >= begins) ?? cause
    chain.push(cause)
  }
  return chain.at(-1) ?? problem
}

function causeOf(problem: StatusProblem, all: readonly StatusProblem[]): StatusProblem | undefined {
  for (const {cause, explains} of RULES) {
    const found = explains(problem)
      ? all.find((other) => other !== problem && cause(other) && !isSame(other, problem))
      : undefined
    if (found) return found
  }
  return undefined
}

const isSame = (one: Subject, other: Subject): boolean => one.id === other.id && one.subject === other.subject
