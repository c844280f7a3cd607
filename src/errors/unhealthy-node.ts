// What is wrong with a node that is set up. status and doctor report these and change nothing (status exits with 8, doctor
// with 3); where setup ends with one, it exits with 6.
import {defineError} from './define.js'
import {pasted} from './pasted.js'

const SETUP_AGAIN = 'Run "k8s-win setup" again: it repairs what is not in place.'
const RUNNING = 'running, and started with Windows'
const RECORDED = 'the journal as setup wrote it'
const SERVICES = 'the services kubelet, flanneld and kubeproxy'

export const serviceMissing = defineError<{service: string}>('SERVICE_MISSING', 3, {
  cause: 'It was deleted, by hand or by another tool.',
  fix: SETUP_AGAIN,
  message: (p) => `The service ${p.service} does not exist`,
  wanted: RUNNING,
})

export const serviceDisabled = defineError<{service: string}>('SERVICE_DISABLED', 3, {
  cause: 'It was disabled, by hand or by another tool. Nothing starts it, not even a restart of Windows.',
  fix: SETUP_AGAIN,
  message: (p) => `The service ${p.service} is disabled`,
  wanted: RUNNING,
})

export const serviceDown = defineError<{cause: string; seen: string; service: string}>('SERVICE_DOWN', 3, {
  cause: (p) => p.cause,
  fix: (p) =>
    `Run "k8s-win setup" again: it starts the service. If it stops again, see "k8s-win logs ${pasted(p.service)}".`,
  message: (p) => `The service ${p.service} ${p.seen}`,
  wanted: RUNNING,
})

export const daemonUnwell = defineError<{said: string; service: string}>('DAEMON_UNWELL', 3, {
  cause: 'The daemon is running but not healthy; its log shows why.',
  fix: (p) => `See "k8s-win logs ${pasted(p.service)}", fix the reported problem, and run "k8s-win setup" again.`,
  message: (p) => `The service ${p.service} is running but not healthy: ${p.said}`,
  wanted: 'its health endpoint returns 200',
})

/** One of the two conditions of a container runtime: RuntimeReady, NetworkReady (cri-api, RuntimeCondition). */
export const runtimeUnready = defineError<{condition: string; said: string}>('RUNTIME_UNREADY', 3, {
  cause: (p) => `containerd said: ${p.said}`,
  fix: 'Run "k8s-win setup" again: it repairs what is not in place. If this does not help, see "k8s-win logs containerd".',
  message: (p) => `containerd reports that ${p.condition} is false`,
  wanted: (p) => `${p.condition} is true`,
})

/** kube-log-runner ends with its daemon, and the daemon is of no use without its log. */
export const daemonWithoutRunner = defineError<{alone: string; missing: string; service: string}>(
  'DAEMON_WITHOUT_RUNNER',
  3,
  {
    cause: (p) =>
      `${p.missing} was ended, by hand or by another tool. Without it, ${p.missing === 'kube-log-runner.exe' ? 'nothing writes the log of the daemon' : 'the service only appears to run'}.`,
    fix: 'Run "k8s-win setup" again: it restarts the service.',
    message: (p) => `The service ${p.service} runs ${p.alone} without ${p.missing}`,
    wanted: 'kube-log-runner.exe and its daemon, both running',
  },
)

export const overlayAbsent = defineError<{network: string}>('OVERLAY_NETWORK_ABSENT', 3, {
  cause:
    'flanneld creates it when it starts, and a restart of the Host Network Service loses it; flanneld has not started since, or cannot create it.',
  fix: SETUP_AGAIN,
  message: (p) => `The HNS network ${p.network} does not exist`,
  wanted: (p) => `an overlay network ${p.network} on the pod network of this node`,
})

export const overlayUnsound = defineError<{cause: string; network: string; seen: string; wanted: string}>(
  'OVERLAY_UNSOUND',
  3,
  {
    cause: (p) => `${p.cause} flanneld creates the network only when it starts.`,
    fix: SETUP_AGAIN,
    message: (p) => `The overlay network ${p.network} is misconfigured: ${p.seen}`,
    wanted: (p) => p.wanted,
  },
)

export const leaseMissing = defineError<{path: string}>('FLANNEL_LEASE_MISSING', 3, {
  cause: 'flanneld writes it when it has a lease. Without it pods get no address.',
  fix: SETUP_AGAIN,
  message: (p) => `${p.path} is missing or contains no subnet`,
  wanted: (p) => `${p.path} with the lease of this node`,
})

export const sourceVipUnreserved = defineError<{cause: string; seen: string; subnet: string}>(
  'SOURCE_VIP_NOT_RESERVED',
  3,
  {
    cause: (p) => p.cause,
    fix: SETUP_AGAIN,
    message: (p) => `No address of the pod network is reserved for kube-proxy: ${p.seen}`,
    wanted: (p) => `an address of ${p.subnet} reserved for kube-proxy`,
  },
)

export const backendsWrong = defineError<{seen: string}>('SERVICE_BACKENDS_WRONG', 3, {
  cause:
    'kube-proxy missed a change of the endpoints, HNS refused it, or kube-proxy is still working. Connections to these Services from this node fail, always or sometimes.',
  fix: 'Restart kube-proxy: it creates all load balancers again ("net stop kubeproxy", "net start kubeproxy"). If it happens again, use the newest patch of the release: the check "release-windows" names what it fixes.',
  message: (p) => `HNS does not send Services to their endpoints: ${p.seen}`,
  wanted: 'the load balancers of HNS have the ready endpoints of their Services',
})

export const podAddressTwice = defineError<{fix: string; seen: string}>('POD_ADDRESS_TWICE', 3, {
  cause:
    'The address was given to a pod while HNS or another pod still had it. The pod has no network, or only sometimes.',
  fix: (p) => p.fix,
  message: (p) => `An address is used twice: ${p.seen}`,
  wanted: 'one pod per address',
})

export const nodeAddressLost = defineError<{address: string; adapters: string; hint: string}>('NODE_ADDRESS_LOST', 3, {
  cause: (p) =>
    `The daemons use ${p.address}, but no adapter of this host has this address (found: ${p.adapters}): the virtual switch removed it, or DHCP assigned another.`,
  fix: (p) =>
    `Restore the address of the adapter from the host's own console, or run "k8s-win setup --node-ip <address>" with the new one.${p.hint}`,
  message: (p) => `This host has lost the address of the node: ${p.address}`,
})

export const routesLost = defineError<{commands: string; routes: string}>('METADATA_ROUTES_LOST', 3, {
  cause: (p) => `The host had ${p.routes} before setup; creating the virtual switch removed it (hcsshim#299).`,
  fix: (p) => `Restore it: ${p.commands}. To keep it across restarts add store=persistent.`,
  message: "The routes to the cloud's metadata service are missing",
})

export const portsReserved = defineError<{ports: string}>('PORTS_RESERVED', 3, {
  cause:
    'Windows or an administrator has reserved these ports ("netsh interface ipv4 show excludedportrange protocol=tcp").',
  fix: 'Remove the range ("netsh interface ipv4 delete excludedportrange ..."). A range that Windows reserved itself is released by "net stop winnat", "net start winnat".',
  message: (p) => `Ports that the node needs are reserved: ${p.ports}`,
})

export const imageOutdated = defineError<{host: string; image: string; seen: string}>('IMAGE_OF_OTHER_BUILD', 3, {
  cause:
    'Windows was updated to another build, or another image was tagged with this name; containers run only on the Windows build that they were made for.',
  fix: SETUP_AGAIN,
  message: (p) => `The image ${p.image} is for Windows ${p.seen}`,
  wanted: (p) => `an image for Windows build ${p.host}`,
})

export const kubeletCertificateLapsed = defineError<{day: string; path: string}>('KUBELET_CERTIFICATE_LAPSED', 3, {
  cause: (p) =>
    `${p.path} expired on ${p.day}: the kubelet could not rotate it while the node was off, or the cluster does not sign certificates.`,
  fix: 'Run "k8s-win setup" again: it starts the kubelet with its kubeconfig. If that has expired too, pass a new one from the cluster: "k8s-win setup --kubeconfig <file>".',
  message: "The kubelet's own certificate has expired",
  wanted: 'a certificate that is valid now',
})

export const kubeletCertificateStale = defineError<{path: string; reason: string}>('KUBELET_CERTIFICATE_STALE', 3, {
  cause: (p) => `The kubelet uses ${p.path} in place of its kubeconfig, but ${p.reason}.`,
  fix: 'Run "k8s-win setup" again: it moves that file aside and starts the kubelet with its kubeconfig.',
  message: "The kubelet's own certificate is not accepted by the cluster",
  wanted: 'a certificate that the cluster accepts',
})

export const nodeDeleted = defineError<{node: string}>('NODE_DELETED', 3, {
  cause: 'It was deleted; the kubelet registers its node only when it starts.',
  fix: SETUP_AGAIN,
  message: (p) => `The cluster has no node ${p.node}`,
  wanted: 'a registered node that is Ready',
})

export const nodeUnready = defineError<{node: string; said: string}>('NODE_UNREADY', 3, {
  cause: 'The kubelet reports it, or has stopped reporting. The other problems listed here are the likely cause.',
  fix: (p) =>
    `Run "k8s-win setup" again: it repairs what is not in place. See "kubectl describe node ${pasted(p.node)}".`,
  message: (p) => `The node ${p.node} is NotReady: ${p.said}`,
  wanted: 'Ready',
})

export const nodeOfOtherVersion = defineError<{node: string; seen: string; wanted: string}>(
  'NODE_OF_OTHER_VERSION',
  3,
  {
    cause: 'Another kubelet reports under this name, or this one has not reported since it was replaced.',
    fix: SETUP_AGAIN,
    message: (p) => `The kubelet of the node ${p.node} is ${p.seen}, not ${p.wanted}`,
    wanted: (p) => `a kubelet ${p.wanted}`,
  },
)

export const nodeAtOtherAddress = defineError<{node: string; seen: string; wanted: string}>(
  'NODE_AT_OTHER_ADDRESS',
  3,
  {
    cause: 'The address of the adapter changed after setup, or another machine has the name of this node.',
    fix: SETUP_AGAIN,
    message: (p) => `The address of the node ${p.node} is ${p.seen}, not ${p.wanted}`,
    wanted: (p) => p.wanted,
  },
)

export const kubeletPortClosed = defineError<{address: string; port: string}>('KUBELET_PORT_CLOSED', 3, {
  cause: 'The kubelet does not listen there, so "kubectl logs" and "kubectl exec" fail for pods of this node.',
  fix: 'Check that the service kubelet is running and healthy, and that no other program uses the port ("netstat -ano").',
  message: (p) => `Nothing is listening on ${p.address}:${p.port}, the kubelet's port`,
})

export const programMissing = defineError<{path: string; wanted: string}>('PROGRAM_MISSING', 3, {
  cause: 'It was deleted, by hand or by an antivirus program.',
  fix: 'Exclude it from the antivirus program, and run "k8s-win setup": it installs it again.',
  message: (p) => `The program ${p.path} does not exist`,
  wanted: (p) => p.wanted,
})

export const programChanged = defineError<{path: string; wanted: string}>('PROGRAM_CHANGED', 3, {
  cause: 'It was replaced, or the disk is damaged. Find out by whom before you trust this host.',
  fix: 'Run "k8s-win setup" again: it installs the verified program again.',
  message: (p) => `The program ${p.path} has changed since it was installed`,
  wanted: (p) => p.wanted,
})

export const programOfOtherVersion = defineError<{path: string; seen: string; wanted: string}>(
  'PROGRAM_OF_OTHER_VERSION',
  3,
  {
    cause: 'The last setup did not install it, or the journal has lost its record of it.',
    fix: SETUP_AGAIN,
    message: (p) => `The program ${p.path} ${p.seen}`,
    wanted: (p) => p.wanted,
  },
)

export const imageMissing = defineError<{host: string; image: string}>('IMAGE_MISSING', 3, {
  cause: 'It was removed ("docker image prune" does); pods cannot start without it.',
  fix: SETUP_AGAIN,
  message: (p) => `The image ${p.image} does not exist`,
  wanted: (p) => `an image for Windows build ${p.host}`,
})

export const drifted = defineError<{cause: string; seen: string; step: string; title: string}>('DRIFTED', 3, {
  cause: (p) => p.cause,
  fix: SETUP_AGAIN,
  message: (p) => `The step ${p.step} has drifted: ${p.seen}`,
  wanted: (p) => `as setup left it ("${p.title}")`,
})

export const journalLost = defineError<{path: string}>('JOURNAL_LOST', 3, {
  cause:
    'It was deleted or cut, or the disk lost it. The node works without it, but its records of programs and images are lost.',
  fix: 'Run "k8s-win setup" again: it verifies programs and images, and records everything again.',
  message: (p) => `Setup has finished here, but its journal ${p.path} is missing or incomplete`,
  wanted: RECORDED,
})

export const journalDamaged = defineError<{seen: string}>('JOURNAL_DAMAGED', 3, {
  cause: 'It was edited, or the disk lost a part of it.',
  fix: 'Run "k8s-win setup" again: it verifies programs and images, and records everything again.',
  message: (p) => p.seen,
  wanted: RECORDED,
})

export const setupUnfinished = defineError<{cause: string; folder: string}>('SETUP_UNFINISHED', 3, {
  cause: (p) => p.cause,
  fix: 'Run "k8s-win setup" with the options it was run with: it resumes.',
  message: (p) => `A setup began in ${p.folder} and did not finish, which explains what is missing`,
  wanted: 'a setup that has finished',
})

export const setupRunning = defineError<{holder: string; since: string}>('SETUP_RUNNING', 3, {
  cause: (p) => p.holder,
  fix: 'Wait until it has finished, then check again: "k8s-win status".',
  message: (p) => `setup has been running since ${p.since}`,
  wanted: 'a setup that has finished',
})

export const resetRunning = defineError<{holder: string; since: string}>('RESET_RUNNING', 3, {
  cause: (p) => p.holder,
  fix: 'Wait until it has finished, then check again: "k8s-win status".',
  message: (p) => `reset has been running since ${p.since}`,
  wanted: 'a reset that has finished',
})

export const servicesGone = defineError<{folder: string}>('SERVICES_GONE', 3, {
  cause: 'Its services were deleted.',
  fix: 'Run "k8s-win reset" to remove what is left, or "k8s-win setup" to restore the node.',
  message: (p) => `A setup finished in ${p.folder}, but this host has no services of a node`,
  wanted: SERVICES,
})

export const storedForOtherFolder = defineError<{claimed: string; path: string}>('STORED_FOR_OTHER_FOLDER', 3, {
  cause: 'It was edited, or copied from there.',
  fix: SETUP_AGAIN,
  message: (p) => `${p.path} describes a node in ${p.claimed}`,
  wanted: 'the configuration of the node in this folder',
})

export const recordsLost = defineError<{folder: string}>('RECORDS_LOST', 3, {
  cause: 'They were deleted, or the disk lost them: services of k8s-win run from here.',
  fix: 'Run "k8s-win setup" with all options of the last setup, including --node-name: it stores them again.',
  message: (p) => `The records of setup in ${p.folder} are lost`,
  wanted: 'the journal and node.yaml of the last setup',
})

export const resetUnfinished = defineError<{again: string; cause: string; folder: string}>('RESET_UNFINISHED', 3, {
  cause: (p) => p.cause,
  fix: (p) =>
    `Run "k8s-win ${p.again}" (with the other options it was run with) to resume it, or "k8s-win setup" to restore the node.`,
  message: (p) => `A reset began in ${p.folder} and did not finish, which explains what is missing`,
  wanted: 'a reset that has finished, or a node that is set up',
})

export const ruleMissing = defineError<{port: string; rule: string; seen: string}>('FIREWALL_RULE_MISSING', 3, {
  cause:
    'It was changed or deleted, by hand, by a policy or by another tool. The API server cannot reach the kubelet, or pods of other nodes cannot reach pods of this node.',
  fix: SETUP_AGAIN,
  message: (p) => `The firewall rule "${p.rule}" ${p.seen}`,
  wanted: (p) => `${p.port} is allowed inbound`,
})
