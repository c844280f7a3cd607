// What is wrong with a node that is set up. status and doctor report these and change nothing (status exits with 8, doctor
// with 3); where setup ends with one, it exits with 6.
import {defineError} from './define.js'

const REPAIR = 'Run "k8s-win recover": it repairs what is not in place.'
const OTHER_MACHINE = `${REPAIR} If it reports the same, another machine has this name: remove the node there, or set up one of them with another --node-name.`
const RUNNING = 'running, and started with Windows'
const RECORDED = 'the journal as setup wrote it'
const SERVICES = 'the services kubelet, flanneld and kubeproxy'

export const serviceMissing = defineError('SERVICE_MISSING', 3, {
  cause: 'It was deleted, by hand or by another tool.',
  fix: REPAIR,
  message: 'The service {service} does not exist',
  wanted: RUNNING,
})

export const serviceDisabled = defineError('SERVICE_DISABLED', 3, {
  cause: 'It was disabled, by hand or by another tool. Nothing starts it, not even a restart of Windows.',
  fix: REPAIR,
  message: 'The service {service} is disabled',
  wanted: RUNNING,
})

export const serviceDown = defineError('SERVICE_DOWN', 3, {
  cause: '{cause}',
  fix: 'Run "k8s-win recover": it starts the service. If it stops again, see "k8s-win logs {service:word}".',
  message: 'The service {service} {seen}',
  wanted: RUNNING,
})

export const daemonUnwell = defineError('DAEMON_UNWELL', 3, {
  cause: 'The daemon is running but not healthy; its log shows why.',
  fix: 'See "k8s-win logs {service:word}", fix the reported problem, and run "k8s-win recover".',
  message: 'The service {service} is running but not healthy: {said}',
  wanted: 'its health endpoint returns 200',
})

export const portOwnerUnknown = defineError('PORT_OWNER_UNKNOWN', 3, {
  cause:
    'A daemon is asked for its health only where Windows shows that the daemon has accepted the connection: any account can listen on its port.',
  fix: 'Run the same command as an administrator. If it reports the same, "netstat -ano -p tcp" shows the process; if that has ended, run "k8s-win restart {service:word}".',
  message: 'Whether the service {service} is healthy is unknown: {said}',
  wanted: "the port of its health is the daemon's",
})

/** One of the two conditions of a container runtime: RuntimeReady, NetworkReady (cri-api, RuntimeCondition). */
export const runtimeUnready = defineError('RUNTIME_UNREADY', 3, {
  cause: 'containerd said: {said}',
  fix: 'Run "k8s-win recover": it repairs what is not in place. If this does not help, see "k8s-win logs containerd".',
  message: 'containerd reports that {condition} is false',
  wanted: '{condition} is true',
})

/** kube-log-runner ends with its daemon, and the daemon is of no use without its log. */
export const daemonWithoutRunner = defineError('DAEMON_WITHOUT_RUNNER', 3, {
  cause: (p: {missing: string}) =>
    `${p.missing} was ended, by hand or by another tool. Without it, ${p.missing === 'kube-log-runner.exe' ? 'nothing writes the log of the daemon' : 'the service only appears to run'}.`,
  fix: 'Run "k8s-win recover": it restarts the service.',
  message: 'The service {service} runs {alone} without {missing}',
  wanted: 'kube-log-runner.exe and its daemon, both running',
})

export const watchSilent = defineError('WATCH_SILENT', 3, {
  cause:
    'It writes health.json every 5 minutes. Its program hangs, or cannot write the file: a full disk, for example.',
  fix: 'Restart it: "sc.exe stop k8s-win", then "sc.exe start k8s-win". If this does not help, see "k8s-win logs k8s-win".',
  message: 'The service k8s-win is running, and has reported nothing for more than 11 minutes',
  wanted: 'a health.json that is at most 5 minutes old',
})

export const watchGaveUp = defineError('WATCH_GAVE_UP', 3, {
  cause:
    'watch tries again when the daemon was healthy for 5 minutes, or its service, program or configuration has changed.',
  fix: '{restarter} Run "k8s-win recover", which shows what it cannot repair.',
  message: 'watch gave up on {what} after {repairs} repairs in an hour: {cause}',
})

export const overlayAbsent = defineError('OVERLAY_NETWORK_ABSENT', 3, {
  cause:
    'flanneld creates it when it starts, and a restart of the Host Network Service loses it; flanneld has not started since, or cannot create it.',
  fix: REPAIR,
  message: 'The HNS network {network} does not exist',
  wanted: 'an overlay network {network} on the pod network of this node',
})

export const overlayUnsound = defineError('OVERLAY_UNSOUND', 3, {
  cause: '{cause} flanneld creates the network only when it starts.',
  fix: REPAIR,
  message: 'The overlay network {network} is misconfigured: {seen}',
  wanted: '{wanted}',
})

export const leaseMissing = defineError('FLANNEL_LEASE_MISSING', 3, {
  cause: 'flanneld writes it when it has a lease. Without it pods get no address.',
  fix: REPAIR,
  message: '{path} is missing or contains no subnet',
  wanted: '{path} with the lease of this node',
})

export const sourceVipUnreserved = defineError('SOURCE_VIP_NOT_RESERVED', 3, {
  cause: '{cause}',
  fix: REPAIR,
  message: 'No address of the pod network is reserved for kube-proxy: {seen}',
  wanted: 'an address of {subnet} reserved for kube-proxy',
})

export const backendsWrong = defineError('SERVICE_BACKENDS_WRONG', 3, {
  cause:
    'kube-proxy missed a change of the endpoints, HNS refused it, or kube-proxy is still working. Connections to these Services from this node fail, always or sometimes.',
  fix: 'Restart kube-proxy: it creates all load balancers again ("net stop kubeproxy", "net start kubeproxy"). If it happens again, use the newest patch of the release: the check "release-windows" names what it fixes.',
  message: 'HNS does not send Services to their endpoints: {seen}',
  wanted: 'the load balancers of HNS have the ready endpoints of their Services',
})

export const podAddressTwice = defineError('POD_ADDRESS_TWICE', 3, {
  cause:
    'The address was given to a pod while HNS or another pod still had it. The pod has no network, or only sometimes.',
  fix: '{fix}',
  message: 'An address is used twice: {seen}',
  wanted: 'one pod per address',
})

export const nodeAddressLost = defineError('NODE_ADDRESS_LOST', 3, {
  cause:
    'The daemons use {address}, but no adapter of this host has this address (found: {adapters}): the virtual switch removed it, or DHCP assigned another.',
  fix: `Restore the address of the adapter from the host's own console, or run "k8s-win setup --node-ip <address>" with the new one.{hint}`,
  message: 'This host has lost the address of the node: {address}',
})

export const routesLost = defineError('METADATA_ROUTES_LOST', 3, {
  cause: 'The host had {routes} before setup; creating the virtual switch removed it (hcsshim#299).',
  fix: 'Run "k8s-win recover", or restore it: {commands}.',
  message: "The routes to the cloud's metadata service are missing",
})

export const portsReserved = defineError('PORTS_RESERVED', 3, {
  cause:
    'Windows or an administrator has reserved these ports ("netsh interface ipv4 show excludedportrange protocol=tcp").',
  fix: 'Remove the range ("netsh interface ipv4 delete excludedportrange ..."). A range that Windows reserved itself is released by "net stop winnat", "net start winnat".',
  message: 'Ports that the node needs are reserved: {ports}',
})

export const imageOutdated = defineError('IMAGE_OF_OTHER_BUILD', 3, {
  cause:
    'Windows was updated to another build, or another image was tagged with this name; containers run only on the Windows build that they were made for.',
  fix: REPAIR,
  message: 'The image {image} is for Windows {seen}',
  wanted: 'an image for Windows build {host}',
})

export const kubeletCertificateLapsed = defineError('KUBELET_CERTIFICATE_LAPSED', 3, {
  cause:
    '{path} expired on {day}: the kubelet could not rotate it while the node was off, or the cluster does not sign certificates.',
  fix: 'Run "k8s-win recover": it starts the kubelet with its kubeconfig. If that has expired too, pass a new one from the cluster: "k8s-win setup --kubeconfig <file>".',
  message: "The kubelet's own certificate has expired",
  wanted: 'a certificate that is valid now',
})

export const certificateUnrenewed = defineError('KUBELET_CERTIFICATE_NOT_RENEWED', 3, {
  cause:
    '{path} is past 95 % of its lifetime, and the kubelet requests a new one at 70 to 90 %: the cluster did not approve or sign the request, or the kubelet could not send it.',
  fix: 'Check that the cluster approves and signs the requests of this node ("kubectl get csr"), and see "k8s-win logs kubelet".',
  message: "The kubelet's certificate was not renewed; it is valid until {day}",
  wanted: 'a certificate that was renewed in time',
})

export const kubeletCertificateStale = defineError('KUBELET_CERTIFICATE_STALE', 3, {
  cause: 'The kubelet uses {path} in place of its kubeconfig, but {reason}.',
  fix: 'Run "k8s-win recover": it moves that file aside and starts the kubelet with its kubeconfig.',
  message: "The kubelet's own certificate is not accepted by the cluster",
  wanted: 'a certificate that the cluster accepts',
})

export const nodeDeleted = defineError('NODE_DELETED', 3, {
  cause: 'It was deleted; the kubelet registers its node only when it starts.',
  fix: REPAIR,
  message: 'The cluster has no node {node}',
  wanted: 'a registered node that is Ready',
})

export const nodeUnready = defineError('NODE_UNREADY', 3, {
  cause: 'The kubelet reports it, or has stopped reporting. The other problems listed here are the likely cause.',
  fix: 'Run "k8s-win recover": it repairs what is not in place. See "kubectl describe node {node:word}".',
  message: 'The node {node} is NotReady: {said}',
  wanted: 'Ready',
})

export const nodeOfOtherVersion = defineError('NODE_OF_OTHER_VERSION', 3, {
  cause: 'Another kubelet reports under this name, or this one has not reported since it was replaced.',
  fix: OTHER_MACHINE,
  message: 'The kubelet of the node {node} is {seen}, not {wanted}',
  wanted: 'a kubelet {wanted}',
})

export const nodeAtOtherAddress = defineError('NODE_AT_OTHER_ADDRESS', 3, {
  cause: 'The address of the adapter changed after setup, or another machine has the name of this node.',
  fix: OTHER_MACHINE,
  message: 'The address of the node {node} is {seen}, not {wanted}',
  wanted: '{wanted}',
})

export const kubeletPortClosed = defineError('KUBELET_PORT_CLOSED', 3, {
  cause: 'The kubelet does not listen there, so "kubectl logs" and "kubectl exec" fail for pods of this node.',
  fix: 'Check that the service kubelet is running and healthy, and that no other program uses the port ("netstat -ano").',
  message: "Nothing is listening on {address}:{port}, the kubelet's port",
})

export const programMissing = defineError('PROGRAM_MISSING', 3, {
  cause: 'It was deleted, by hand or by an antivirus program.',
  fix: 'Exclude it from the antivirus program, and run "k8s-win recover": it installs it again.',
  message: 'The program {path} does not exist',
  wanted: '{wanted}',
})

export const programChanged = defineError('PROGRAM_CHANGED', 3, {
  cause: 'It was replaced, or the disk is damaged. Find out by whom before you trust this host.',
  fix: 'Run "k8s-win recover": it installs the verified program again.',
  message: 'The program {path} has changed since it was installed',
  wanted: '{wanted}',
})

export const programOfOtherVersion = defineError('PROGRAM_OF_OTHER_VERSION', 3, {
  cause: 'The last setup did not install it, or the journal has lost its record of it.',
  fix: REPAIR,
  message: 'The program {path} {seen}',
  wanted: '{wanted}',
})

export const imageMissing = defineError('IMAGE_MISSING', 3, {
  cause: 'It was removed ("docker image prune" does); pods cannot start without it.',
  fix: REPAIR,
  message: 'The image {image} does not exist',
  wanted: 'an image for Windows build {host}',
})

export const drifted = defineError('DRIFTED', 3, {
  cause: '{cause}',
  fix: REPAIR,
  message: 'The step {step} has drifted: {seen}',
  wanted: 'as setup left it ("{title}")',
})

export const journalLost = defineError('JOURNAL_LOST', 3, {
  cause:
    'It was deleted or cut, or the disk lost it. The node works without it, but its records of programs and images are lost.',
  fix: 'Run "k8s-win setup" again: it verifies programs and images, and records everything again.',
  message: 'Setup has finished here, but its journal {path} is missing or incomplete',
  wanted: RECORDED,
})

export const journalDamaged = defineError('JOURNAL_DAMAGED', 3, {
  cause: 'It was edited, or the disk lost a part of it.',
  fix: 'Run "k8s-win setup" again: it verifies programs and images, and records everything again.',
  message: '{seen}',
  wanted: RECORDED,
})

export const setupUnfinished = defineError('SETUP_UNFINISHED', 3, {
  cause: '{cause}',
  fix: 'Run "k8s-win setup" with the options it was run with: it resumes.',
  message: 'Setup in {folder} was interrupted{step}; the node is incomplete',
  wanted: 'a setup that has finished',
})

export const setupRunning = defineError('SETUP_RUNNING', 3, {
  cause: '{holder}',
  fix: 'Wait until it has finished, then check again: "k8s-win status".',
  message: 'setup has been running since {since}',
  wanted: 'a setup that has finished',
})

export const resetRunning = defineError('RESET_RUNNING', 3, {
  cause: '{holder}',
  fix: 'Wait until it has finished, then check again: "k8s-win status".',
  message: 'reset has been running since {since}',
  wanted: 'a reset that has finished',
})

export const servicesGone = defineError('SERVICES_GONE', 3, {
  cause: 'Its services were deleted.',
  fix: 'Run "k8s-win reset" to remove what is left, or "k8s-win setup" to restore the node.',
  message: 'A setup finished in {folder}, but this host has no services of a node',
  wanted: SERVICES,
})

export const storedForOtherFolder = defineError('STORED_FOR_OTHER_FOLDER', 3, {
  cause: 'It was edited, or copied from there.',
  fix: 'Check that its options are those of this node. Then run "k8s-win setup", which stores the folder anew.',
  message: '{path} describes a node in {claimed}',
  wanted: 'the configuration of the node in this folder',
})

export const recordsLost = defineError('RECORDS_LOST', 3, {
  cause: 'They were deleted, or the disk lost them: services of k8s-win run from here.',
  fix: 'Run "k8s-win setup {options}" with all other options of the last setup: it stores them again.',
  message: 'The records of setup in {folder} are lost',
  wanted: 'the journal and node.yaml of the last setup',
})

export const resetUnfinished = defineError('RESET_UNFINISHED', 3, {
  cause: '{cause}',
  fix: 'Run "k8s-win {again}" (with the other options it was run with) to resume it, or "k8s-win setup" to restore the node.',
  message: 'Reset in {folder} was interrupted{step}; the node is incomplete',
  wanted: 'a reset that has finished, or a node that is set up',
})

export const ruleMissing = defineError('FIREWALL_RULE_MISSING', 3, {
  cause:
    'It was changed or deleted, by hand, by a policy or by another tool. The API server cannot reach the kubelet, or pods of other nodes cannot reach pods of this node.',
  fix: REPAIR,
  message: 'The firewall rule "{rule}" {seen}',
  wanted: '{port} is allowed inbound',
})
