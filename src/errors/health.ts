// Exit code 6: created, but not healthy in time. Completed steps stay done; the next run resumes there.
import {defineError} from './define.js'
import {pasted} from './pasted.js'

const AGAIN = 'and run the same command again.'

export const serviceNotHealthy = defineError<{logs: string; seen: string; service: string; tail: string}>(
  'SERVICE_NOT_HEALTHY',
  6,
  {
    cause: (p) => `${p.seen} Its log ends with: ${p.tail}`,
    fix: (p) => `Read ${p.logs}, fix the reported problem ${AGAIN}`,
    message: (p) => `The service ${p.service} does not stay healthy`,
  },
)

export const sourceVipMissing = defineError<{logs: string; seen: string; tail: string}>('SOURCE_VIP_MISSING', 6, {
  cause: (p) =>
    `${p.seen}. kube-proxy creates it when it has received the cluster's Services, and reports itself healthy without it. Its log ends with: ${p.tail}`,
  fix: (p) => `Read ${p.logs}, fix the reported problem ${AGAIN}`,
  message: 'Services do not work on this node: kube-proxy has no source VIP',
})

export const loadBalancerMissing = defineError<{logs: string; seen: string; tail: string}>('LOAD_BALANCER_MISSING', 6, {
  cause: (p) =>
    `${p.seen}. kube-proxy creates one per Service with ready endpoints, and reports itself healthy without it. Its log ends with: ${p.tail}`,
  fix: (p) => `Read ${p.logs}, fix the reported problem ${AGAIN}`,
  message: 'Services do not work on this node: load balancers are missing',
})

export const servicesPending = defineError<{seen: string}>('SERVICES_PENDING', 6, {
  cause: (p) => `${p.seen}. HNS may need half a minute for each of them.`,
  fix: 'Wait until "k8s-win status" reports no problem, or run the same command again to continue waiting: it does not restart kube-proxy while there is progress.',
  message: 'kube-proxy is still creating the load balancers of Services',
})

export const servicesUnreadable = defineError<{fix: string; reason: string; seen: string}>('SERVICES_UNREADABLE', 6, {
  cause: (p) =>
    `${p.seen}. kube-proxy creates nothing until it has listed the cluster's Services and EndpointSlices, and its identity cannot list them: ${p.reason}`,
  fix: (p) => `${p.fix} Then run the same command again.`,
  message: 'Services do not work on this node: kube-proxy cannot list them',
})

export const nodeNotRegistered = defineError<{logs: string; node: string; server: string; tail: string}>(
  'NODE_NOT_REGISTERED',
  6,
  {
    cause: (p) => `The kubelet runs, but ${p.server} has no node of that name. Its log ends with: ${p.tail}`,
    fix: (p) => `Read ${p.logs}; check that the kubelet's identity is allowed to create the node ${AGAIN}`,
    message: (p) => `The node ${p.node} did not register in time`,
  },
)

export const noPodCIDR = defineError<{cluster: string; node: string}>('NO_POD_CIDR', 6, {
  cause: 'The controller manager does not assign pod networks, or has none left.',
  fix: (p) => `Start kube-controller-manager with --allocate-node-cidrs=true --cluster-cidr=${p.cluster} ${AGAIN}`,
  message: (p) => `The cluster assigned no pod network to the node ${p.node}`,
})

export const podCIDROutside = defineError<{cluster: string; node: string; podCIDR: string}>('POD_CIDR_OUTSIDE', 6, {
  cause: (p) => `flanneld refuses a pod network outside ${p.cluster}.`,
  fix: (p) => `Pass the cluster's pod network, which contains ${p.podCIDR}, ${AGAIN}`,
  message: (p) => `The pod network of ${p.node}, ${p.podCIDR}, is outside --cluster-cidr ${p.cluster}`,
})

export const overlayMissing = defineError<{logs: string; network: string; tail: string}>('OVERLAY_NETWORK_MISSING', 6, {
  cause: (p) => `flanneld is running but created no network, even after a restart. Its log ends with: ${p.tail}`,
  fix: (p) => `Read ${p.logs}, fix the reported problem ${AGAIN}`,
  message: (p) => `The overlay network ${p.network} did not come up in time`,
})

export const overlayWrong = defineError<{network: string; seen: string; wanted: string}>('OVERLAY_NETWORK_WRONG', 6, {
  cause: (p) => `It has ${p.seen}, expected ${p.wanted}.`,
  fix: `Stop flanneld ("net stop flanneld"), remove the network ("hnsdiag delete networks <id>") ${AGAIN}`,
  message: (p) => `The overlay network ${p.network} is misconfigured`,
})

export const vtepMacMissing = defineError<{logs: string; node: string; tail: string}>('VTEP_MAC_MISSING', 6, {
  cause: (p) =>
    `flanneld published no VtepMAC in the annotation flannel.alpha.coreos.com/backend-data of the node ${p.node}, even after a restart, so other nodes do not send packets to it. Its log ends with: ${p.tail}`,
  fix: (p) => `Read ${p.logs}, fix the reported problem ${AGAIN}`,
  message: (p) => `Other nodes cannot reach the pods of ${p.node}`,
})

export const networkNotRestored = defineError<{commands: string; lost: string}>('NETWORK_NOT_RESTORED', 6, {
  cause: (p) => `When the virtual switch was created on the adapter or removed, Windows lost: ${p.lost}.`,
  fix: (p) =>
    `Restore it from the host's own console: ${p.commands}. Then run the same command again. ` +
    String.raw`If it is lost again, first set HKLM\SYSTEM\CurrentControlSet\Services\hns\State DeviceLessNicDisabled (DWORD) to 1.`,
  message: 'The network configuration of the host was not restored',
})

export const serverLost = defineError<{limit: string; reason: string; server: string}>('API_SERVER_LOST', 6, {
  cause: (p) => `No valid response for ${p.limit} s; the last failure: ${p.reason}`,
  fix: `Check that this host can reach the address (routes, DNS, firewall) ${AGAIN}`,
  message: (p) => `The API server ${p.server} no longer responds`,
})

export const nodeNotReady = defineError<{node: string; said: string}>('NODE_NOT_READY', 6, {
  cause: (p) => `Its kubelet says: ${p.said}`,
  fix: (p) => `Run "kubectl describe node ${pasted(p.node)}", fix the reported problem ${AGAIN}`,
  message: (p) => `The node ${p.node} is not Ready`,
})

export const drainTimedOut = defineError<{limit: string; node: string; pods: string}>('DRAIN_TIMED_OUT', 6, {
  cause: (p) => `After ${p.limit} these pods were still on it: ${p.pods}.`,
  fix: (p) =>
    `Allow their eviction (more replicas, a less strict PodDisruptionBudget or policy) and run the same command again, with a longer --drain-timeout if they only need more time; or run it without --drain. ` +
    `The node is cordoned now; "kubectl uncordon ${pasted(p.node)}" allows new pods again.`,
  message: (p) => `The pods of the node ${p.node} were not evicted in time`,
})

/** For a pull that was waited for, in the words of crictl's command line or of Docker's API. */
function ofRegistry(waiting: string): string {
  const found = /(?: pull |fromImage=)([\w.-]+(?:(?::|%3A)\d+)?)(?:\/|%2F)/i.exec(waiting)?.[1]
  const registry = found?.replace(/%3A/i, ':')
  return registry === undefined
    ? ''
    : ` An image was being pulled: if the pull makes no progress, ${registry} may not respond; check that this host can reach it, or pass a mirror to --image-registry.`
}

export const deadlinePassed = defineError<{limit: string; step: string; waiting: string}>('DEADLINE_PASSED', 6, {
  cause: (p) => `It was not completed within ${p.limit}. It waited for: ${p.waiting}.`,
  fix: (p) => `Check why it does not respond (see the log), and run the same command again.${ofRegistry(p.waiting)}`,
  message: (p) => `"${p.step}" took too long`,
})

export const timeoutPassed = defineError<{limit: string; step: string; waiting: string}>('TIMEOUT_PASSED', 6, {
  cause: (p) => `It was at "${p.step}" and waited for: ${p.waiting}.`,
  fix: (p) =>
    `Run the same command again to resume, with a longer --timeout if it only needs more time.${ofRegistry(p.waiting)}`,
  message: (p) => `The run was not completed within ${p.limit} (--timeout)`,
})

export const interrupted = defineError<Record<never, string>>('INTERRUPTED', 130, {
  cause: 'Ctrl-C was pressed, or the process was terminated.',
  fix: 'Run the same command again to resume.',
  message: 'Interrupted',
})

export const healthUnknown = defineError<{what: string; why: string}>('HEALTH_UNKNOWN', 6, {
  cause: (p) => `${p.what} could not be checked: ${p.why}.`,
  fix: 'Run "k8s-win status" to check again, and "k8s-win setup" again where it reports a problem.',
  message: 'All steps are done, but the health of the node is unknown',
})

export const interruptedAtQuestion = defineError<Record<never, string>>('INTERRUPTED_AT_QUESTION', 130, {
  cause: 'Ctrl-C was pressed, or the process was terminated, before the prompt was answered. Nothing was changed.',
  fix: 'Run the same command again; with --yes it does not prompt.',
  message: 'Interrupted at the prompt: nothing was changed',
})
