// Exit code 6: created, but not healthy in time, or a pod on the node cannot use the cluster's network. Completed steps stay done; the next run resumes there.
import {defineError, defineTransientError} from './define.js'

const AGAIN = 'and run the same command again.'

export const serviceNotHealthy = defineTransientError('SERVICE_NOT_HEALTHY', 6, {
  cause: '{seen} Its log ends with: {tail}',
  fix: `Read {logs}, fix the reported problem ${AGAIN}`,
  message: 'The service {service} does not stay healthy',
})

/** Of recover without --yes. */
export const runtimeKept = defineError('RUNTIME_NOT_RESTARTED', 6, {
  cause: (p: {pods: string}) =>
    `It does not respond, or its program or configuration was changed. ${
      p.pods === 'none'
        ? 'A restart repairs it; no pods are known on this node.'
        : `A restart repairs it, and ends the pods of this node: ${p.pods}. The kubelet starts them again.`
    }`,
  fix: 'To restart it, run "k8s-win recover --yes". Drain the node before, if its pods still work.',
  message: 'The service {service} must be restarted, and was left running',
})

export const sourceVipMissing = defineTransientError('SOURCE_VIP_MISSING', 6, {
  cause:
    "{seen}. kube-proxy creates it when it has received the cluster's Services, and reports itself healthy without it. Its log ends with: {tail}",
  fix: `Read {logs}, fix the reported problem ${AGAIN}`,
  message: 'Services do not work on this node: kube-proxy has no source VIP',
})

export const loadBalancerMissing = defineTransientError('LOAD_BALANCER_MISSING', 6, {
  cause:
    '{seen}. kube-proxy creates one per Service with ready endpoints, and reports itself healthy without it. Its log ends with: {tail}',
  fix: `Read {logs}, fix the reported problem ${AGAIN}`,
  message: 'Services do not work on this node: load balancers are missing',
})

export const servicesPending = defineTransientError('SERVICES_PENDING', 6, {
  cause: '{seen}. HNS may need half a minute for each of them.',
  fix: 'Wait until "k8s-win status" reports no problem, or run the same command again to continue waiting: it does not restart kube-proxy while there is progress.',
  message: 'kube-proxy is still creating the load balancers of Services',
})

export const servicesUnreadable = defineTransientError('SERVICES_UNREADABLE', 6, {
  cause:
    "{seen}. kube-proxy creates nothing until it has listed the cluster's Services and EndpointSlices, and its identity cannot list them: {reason}",
  fix: '{fix} Then run the same command again.',
  message: 'Services do not work on this node: kube-proxy cannot list them',
})

export const nodeNotRegistered = defineTransientError('NODE_NOT_REGISTERED', 6, {
  cause: 'The kubelet runs, but {server} has no node of that name. Its log ends with: {tail}',
  fix: `Read {logs}; check that the kubelet's identity is allowed to create the node ${AGAIN}`,
  message: 'The node {node} did not register in time',
})

export const noPodCIDR = defineTransientError('NO_POD_CIDR', 6, {
  cause: 'The controller manager does not assign pod networks, or has none left.',
  fix: `Start kube-controller-manager with --allocate-node-cidrs=true --cluster-cidr={cluster} ${AGAIN}`,
  message: 'The cluster assigned no pod network to the node {node}',
})

export const podCIDROutside = defineError('POD_CIDR_OUTSIDE', 6, {
  cause: 'flanneld refuses a pod network outside {cluster}.',
  fix: `Pass the cluster's pod network, which contains {podCIDR}, ${AGAIN}`,
  message: 'The pod network of {node}, {podCIDR}, is outside --cluster-cidr {cluster}',
})

export const overlayMissing = defineTransientError('OVERLAY_NETWORK_MISSING', 6, {
  cause: 'flanneld is running but created no network, even after a restart. Its log ends with: {tail}',
  fix: `Read {logs}, fix the reported problem ${AGAIN}`,
  message: 'The overlay network {network} did not come up in time',
})

export const overlayWrong = defineTransientError('OVERLAY_NETWORK_WRONG', 6, {
  cause: 'It has {seen}, expected {wanted}.',
  fix: `Stop flanneld ("net stop flanneld"), remove the network ("hnsdiag delete networks <id>") ${AGAIN}`,
  message: 'The overlay network {network} is misconfigured',
})

export const vtepMacMissing = defineTransientError('VTEP_MAC_MISSING', 6, {
  cause:
    'flanneld published no VtepMAC in the annotation flannel.alpha.coreos.com/backend-data of the node {node}, even after a restart, so other nodes do not send packets to it. Its log ends with: {tail}',
  fix: `Read {logs}, fix the reported problem ${AGAIN}`,
  message: 'Other nodes cannot reach the pods of {node}',
})

export const networkNotRestored = defineTransientError('NETWORK_NOT_RESTORED', 6, {
  cause: 'When the virtual switch was created on the adapter or removed, Windows lost: {lost}.',
  fix: "Restore it from the host's own console: {commands}. Then run the same command again. If it is lost again, first set HKLM\\SYSTEM\\CurrentControlSet\\Services\\hns\\State DeviceLessNicDisabled (DWORD) to 1.",
  message: 'The network configuration of the host was not restored',
})

export const serverLost = defineTransientError('API_SERVER_LOST', 6, {
  cause: 'No valid response for {limit} s; the last failure: {reason}',
  fix: `Check that this host can reach the address (routes, DNS, firewall) ${AGAIN}`,
  message: 'The API server {server} no longer responds',
})

export const nodeNotReady = defineTransientError('NODE_NOT_READY', 6, {
  cause: 'Its kubelet says: {said}',
  fix: `Run "kubectl describe node {node:word}", fix the reported problem ${AGAIN}`,
  message: 'The node {node} is not Ready',
})

export const drainTimedOut = defineTransientError('DRAIN_TIMED_OUT', 6, {
  cause: 'After {limit} these pods were still on it: {pods}.',
  fix: 'Allow their eviction (more replicas, a less strict PodDisruptionBudget or policy) and run the same command again, with a longer --drain-timeout if they only need more time; or run it without --drain. The node is cordoned now; "kubectl uncordon {node:word}" allows new pods again.',
  message: 'The pods of the node {node} were not evicted in time',
})

/** For a pull that was waited for, in the words of crictl's command line or of Docker's API. */
function ofRegistry(waiting: string): string {
  const found = /(?: pull |fromImage=)([\w.-]+(?:(?::|%3A)\d+)?)(?:\/|%2F)/i.exec(waiting)?.[1]
  const registry = found?.replace(/%3A/i, ':')
  return registry === undefined
    ? ''
    : ` An image was being pulled: if the pull makes no progress, ${registry} may not respond; check that this host can reach it, or pass a mirror to --image-registry.`
}

export const deadlinePassed = defineTransientError('DEADLINE_PASSED', 6, {
  cause: 'It was not completed within {limit}. It waited for: {waiting}.',
  fix: (p: {waiting: string}) =>
    `Check why it does not respond (see the log), and run the same command again.${ofRegistry(p.waiting)}`,
  message: '"{step}" took too long',
})

export const timeoutPassed = defineTransientError('TIMEOUT_PASSED', 6, {
  cause: 'It was at "{step}" and waited for: {waiting}.',
  fix: (p: {waiting: string}) =>
    `Run the same command again to resume, with a longer --timeout if it only needs more time.${ofRegistry(p.waiting)}`,
  message: 'The run was not completed within {limit} (--timeout)',
})

export const interrupted = defineTransientError('INTERRUPTED', 130, {
  cause: 'Ctrl-C was pressed, or the process was terminated.',
  fix: 'Run the same command again to resume.',
  message: 'Interrupted',
})

export const healthUnknown = defineTransientError('HEALTH_UNKNOWN', 6, {
  cause: '{what} could not be checked: {why}.',
  fix: 'Run "k8s-win status" to check again, and "k8s-win setup" again where it reports a problem.',
  message: 'All steps are done, but the health of the node is unknown',
})

export const interruptedAtQuestion = defineTransientError('INTERRUPTED_AT_QUESTION', 130, {
  cause: 'Ctrl-C was pressed, or the process was terminated, before the prompt was answered. Nothing was changed.',
  fix: 'Run the same command again; with --yes it does not prompt.',
  message: 'Interrupted at the prompt: nothing was changed',
})

const THEN = 'Then run "k8s-win verify --kubeconfig <file>".'

export const smokeDnsFailed = defineTransientError('SMOKE_DNS_FAILED', 6, {
  cause: 'curl.exe in a pod on {node} requested {name} through the DNS server {server}: {seen}.',
  fix: `Run "k8s-win doctor", which compares the load balancers of this node with the cluster's Services, and check that the pods of the cluster DNS are ready: kubectl get pods -n kube-system -l k8s-app=kube-dns -o wide. ${THEN}`,
  message: 'Pods on this node cannot use the cluster DNS',
})

export const smokeServiceFailed = defineTransientError('SMOKE_SERVICE_FAILED', 6, {
  cause: 'curl.exe in a pod on {node} connected to {address}, the address of the Service default/kubernetes: {seen}.',
  fix: `Run "k8s-win doctor", which compares the load balancers of this node with the cluster's Services. If it reports no problem, restart kube-proxy ("net stop kubeproxy", "net start kubeproxy"). ${THEN}`,
  message: 'Pods on this node cannot use Services',
})

export const smokePodsFailed = defineTransientError('SMOKE_PODS_FAILED', 6, {
  cause: 'curl.exe in a pod on {node} connected to {address}, a pod of the cluster DNS on the node {peer}: {seen}.',
  fix: `Check that UDP port 4789 is open in both directions between this node and {peer}, and that the VNI and the port of flannel are the same on both: run "k8s-win doctor". ${THEN}`,
  message: 'Pods on this node cannot reach pods on {peer}',
})

export const smokePodNotRun = defineTransientError('SMOKE_POD_NOT_RUN', 6, {
  cause: 'The pod {pod} did not complete: {seen}.',
  fix: `Run "k8s-win doctor" and "k8s-win logs kubelet", and fix the reported problem. ${THEN}`,
  message: 'A test pod does not run on the node {node}',
})
