// Which problem causes which others: the root cause comes first, and its consequences are folded under it.
import {CONTAINERD, FLANNELD, KUBE_PROXY, KUBELET} from '../config/model.js'
import * as bytes from '../errors/downloads-and-images.js'
import * as cluster from '../errors/cluster.js'
import * as condition from '../errors/condition.js'
import type {ErrorDefinition} from '../errors/define.js'
import * as health from '../errors/health.js'
import * as host from '../errors/host.js'
import * as restart from '../errors/restart.js'
import * as node from '../errors/unhealthy-node.js'
import * as windows from '../errors/windows.js'
import {STATUS_AREAS, type StatusProblem} from '../pipeline/run/status-report.js'
import type {FoundProblem} from '../preflight/check.js'

type Subject = Pick<StatusProblem, 'id' | 'subject'>
type Match = (problem: Subject) => boolean

interface Rule {
  readonly cause: Match
  readonly explains: Match
}

type Definition = Pick<ErrorDefinition<never>, 'id'>

const is =
  (...errors: readonly Definition[]) =>
  (problem: Pick<Subject, 'id'>): boolean =>
    errors.some(({id}) => id === problem.id)
const of =
  (subject: RegExp, ...errors: readonly Definition[]): Match =>
  (problem) =>
    is(...errors)(problem) && subject.test(problem.subject)
const any =
  (...matches: readonly Match[]): Match =>
  (problem) =>
    matches.some((match) => match(problem))

const service = (name: string): Match =>
  of(new RegExp(`^${name}$`), node.serviceMissing, node.serviceDisabled, node.serviceDown, host.foreignService)
const unwell = (name: string): Match =>
  of(new RegExp(`^${name}$`), node.serviceDown, node.daemonUnwell, node.daemonWithoutRunner)
const drift = (...steps: readonly string[]): Match => of(new RegExp(`^(?:${steps.join('|')})$`), node.drifted)
const program = (name: string): Match =>
  of(new RegExp(String.raw`\\${name}\.exe$`, 'i'), node.programMissing, node.programChanged, node.programOfOtherVersion)

const kubeletEnds = any(unwell(KUBELET), is(node.kubeletPortClosed, node.nodeUnready))
const flanneldEnds = any(
  unwell(FLANNELD),
  is(node.overlayAbsent, node.overlayUnsound, node.leaseMissing, health.vtepMacMissing),
)
const unproved = is(health.loadBalancerMissing, health.servicesUnreadable, health.sourceVipMissing)
const unproven = any(unproved, is(node.backendsWrong))
const servicesEnd = any(unwell(KUBE_PROXY), unproven, is(node.sourceVipUnreserved))
/** The cluster does not respond, or refuses this node. */
export const isSilence = is(
  cluster.clusterAnswer,
  cluster.clusterBusy,
  cluster.clusterForbids,
  cluster.clusterRefused,
  cluster.serverCertificateLapsed,
  cluster.serverUnreachable,
  cluster.serverUntrusted,
)
export const isOfAdapter = is(host.interfaceMissing, host.interfaceWithoutAddress, host.interfaceDown)
/** Nothing, or not containerd, responds on its pipe. */
const containerdEnds = is(host.containerdAbsent, host.containerdStopped, bytes.containerdFailed)
const wholeNode = any(kubeletEnds, flanneldEnds, servicesEnd)
/** Every request to the cluster depends on these. */
const credentials = is(
  cluster.kubeconfigMissing,
  cluster.kubeconfigUnreadable,
  cluster.credentialsLapsed,
  node.kubeletCertificateLapsed,
)

/** In the order of causes: where two would explain a problem, the first does. */
const RULES: readonly Rule[] = [
  // A folder that is gone or open to others is the same thing as the drift of the step that restricts it.
  {cause: is(host.driveMissing), explains: () => true},
  {cause: is(host.baseDirMissing, host.baseDirNotFolder), explains: ({id}) => id !== host.driveMissing.id},
  {
    cause: is(condition.diskFull),
    explains: any(wholeNode, is(node.imageMissing, node.programMissing, bytes.containerdFailed)),
  },
  {cause: is(cluster.clockWrong), explains: any(credentials, isSilence, wholeNode)},
  {
    cause: any(isOfAdapter, is(node.nodeAddressLost)),
    explains: any(
      isSilence,
      wholeNode,
      is(node.nodeAddressLost, node.nodeAtOtherAddress, cluster.nodeNameTaken, node.routesLost),
      drift('kubelet-service', 'flanneld-service', 'kubeproxy-service'),
    ),
  },
  {
    cause: is(host.windowsUnsupported),
    explains: any(is(node.imageOutdated), drift('base-images', 'pause-image', 'sandbox-image'), wholeNode),
  },
  {cause: credentials, explains: any(credentials, isSilence, is(cluster.clientCAUnknown), wholeNode)},
  // What is derived from a kubeconfig differs where that is another one.
  {cause: credentials, explains: drift('kubelet-config', 'kubelet-service', 'node-certificate')},
  {
    cause: is(cluster.serverCertificateLapsed, cluster.serverUntrusted, cluster.clusterRefused),
    explains: any(wholeNode, drift('kubelet-config', 'kubelet-service', 'node-certificate')),
  },
  {cause: is(cluster.permissionsMissing), explains: any(isSilence, wholeNode, is(cluster.dnsUnknown))},
  {cause: isSilence, explains: any(unwell(KUBE_PROXY), unproven)},
  {
    cause: is(cluster.flannelUnfit, cluster.flannelNetworkElsewhere, cluster.podCIDRElsewhere),
    explains: any(flanneldEnds, servicesEnd),
  },
  {
    cause: is(host.dockerAbsent, host.dockerStopped, host.dockerLinuxMode, host.dockerTooNew),
    explains: any(wholeNode, is(node.imageMissing, node.imageOutdated), drift('docker', 'base-images', 'pause-image')),
  },
  // Another program on the pipe keeps containerd from starting.
  {cause: is(host.pipeTaken), explains: any(containerdEnds, service(CONTAINERD), unwell(CONTAINERD))},
  {cause: program(CONTAINERD), explains: any(service(CONTAINERD), unwell(CONTAINERD), containerdEnds)},
  {cause: program('(?:crictl|ctr)'), explains: is(host.containerdAbsent)},
  {cause: drift('containerd-config'), explains: any(unwell(CONTAINERD), containerdEnds)},
  {cause: any(service(CONTAINERD), unwell(CONTAINERD)), explains: containerdEnds},
  {
    cause: any(containerdEnds, is(host.pipeTaken), of(/^RuntimeReady$/, node.runtimeUnready)),
    explains: any(
      wholeNode,
      is(node.imageMissing, node.imageOutdated),
      drift('containerd-service', 'base-images', 'sandbox-image'),
    ),
  },
  {cause: is(node.imageMissing, node.imageOutdated), explains: is(node.nodeUnready)},
  {
    cause: is(
      host.containersMissing,
      restart.restartRequired,
      condition.hnsMissing,
      condition.hnsStopped,
      windows.hnsRefused,
      condition.hnsTooOld,
    ),
    explains: any(
      flanneldEnds,
      servicesEnd,
      is(condition.hnsStopped, windows.hnsRefused, node.nodeUnready, node.nodeAddressLost),
    ),
  },
  {cause: program(KUBELET), explains: any(service(KUBELET), kubeletEnds)},
  {cause: program(FLANNELD), explains: any(service(FLANNELD), flanneldEnds, servicesEnd)},
  {cause: program('kube-proxy'), explains: any(service(KUBE_PROXY), servicesEnd)},
  {cause: is(host.portTaken), explains: any(unwell(KUBELET), unwell(KUBE_PROXY), unwell(FLANNELD))},
  {cause: is(cluster.nodeNameTaken), explains: is(node.nodeAtOtherAddress, node.nodeOfOtherVersion, node.nodeUnready)},
  {cause: any(service(KUBELET), unwell(KUBELET)), explains: any(kubeletEnds, is(node.nodeDeleted))},
  {cause: is(node.nodeDeleted), explains: any(flanneldEnds, servicesEnd)},
  {cause: is(health.noPodCIDR), explains: any(flanneldEnds, servicesEnd, is(node.nodeUnready))},
  {cause: drift('net-conf'), explains: any(flanneldEnds, servicesEnd)},
  {
    cause: is(host.foreignNetwork, condition.otherNetwork),
    explains: any(flanneldEnds, servicesEnd, is(node.nodeUnready)),
  },
  {cause: any(service(FLANNELD), unwell(FLANNELD)), explains: any(flanneldEnds, servicesEnd, is(node.nodeUnready))},
  {
    cause: is(node.overlayAbsent, node.overlayUnsound, node.leaseMissing),
    explains: any(servicesEnd, drift('kubeproxy-service'), is(node.leaseMissing, node.nodeUnready)),
  },
  {cause: is(node.routesLost), explains: drift('overlay-network')},
  {cause: is(node.sourceVipUnreserved), explains: any(unwell(KUBE_PROXY), unproven)},
  {cause: any(service(KUBE_PROXY), unwell(KUBE_PROXY), drift('kubeproxy-service')), explains: unproven},
  {cause: any(unproved, is(host.dockerBesideContainerd, node.podAddressTwice)), explains: is(node.backendsWrong)},
  {
    cause: any(is(host.foreignCniConfig), drift('cni-config'), program('flannel')),
    explains: is(node.nodeUnready, node.runtimeUnready),
  },
  {cause: is(node.runtimeUnready), explains: is(node.nodeUnready)},
]

/** Roots in the order of areas, each followed by what it explains. */
export function rootCauseFirst(found: readonly FoundProblem[]): StatusProblem[] {
  // These two are not part of the JSON document.
  const problems = found.map(({restsOn: _restsOn, steps: _steps, ...problem}): StatusProblem => problem)
  const ordered = STATUS_AREAS.flatMap((area) => problems.filter((problem) => problem.area === area))
  const roots = new Map(ordered.map((problem) => [problem, rootOf(problem, ordered)]))
  return ordered.flatMap((problem) => {
    if (roots.get(problem) !== problem) return []
    const explained = ordered.filter((other) => other !== problem && roots.get(other) === problem)
    const root = explained.length === 0 ? problem : {...problem, consequences: explained.length}
    return [root, ...explained.map((other) => ({...other, explainedBy: problem.id}))]
  })
}

function rootOf(problem: StatusProblem, all: readonly StatusProblem[]): StatusProblem {
  const chain = [problem]
  for (let cause = causeOf(problem, all); cause; cause = causeOf(cause, all)) {
    const begins = chain.indexOf(cause)
    // The first of several problems that explain each other is their root.
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
