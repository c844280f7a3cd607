// What is wrong with a node that is set up. status and doctor report these and change nothing (status exits with 8, doctor
// with 3); where setup ends with one, it exits with 6.
import {defineError} from './define.js'

const SETUP_AGAIN = 'Run "k8s-win setup" again: it repairs what is not in place.'

export const serviceMissing = defineError<{service: string}>('SERVICE_MISSING', 3, {
  cause: 'It was deleted, by hand or by another tool.',
  fix: SETUP_AGAIN,
  message: (p) => `The service ${p.service} does not exist`,
})

export const serviceDisabled = defineError<{service: string}>('SERVICE_DISABLED', 3, {
  cause: 'It was disabled, by hand or by another tool. Nothing starts it, not even a restart of Windows.',
  fix: SETUP_AGAIN,
  message: (p) => `The service ${p.service} is disabled`,
})

export const serviceDown = defineError<{cause: string; fix: string; seen: string; service: string}>('SERVICE_DOWN', 3, {
  cause: (p) => p.cause,
  fix: (p) => p.fix,
  message: (p) => `The service ${p.service}: ${p.seen}`,
})

export const daemonUnwell = defineError<{said: string; service: string}>('DAEMON_UNWELL', 3, {
  cause: (p) => `The daemon runs but is not healthy (${p.said}); its log says why.`,
  fix: (p) => `Read its log ("k8s-win logs ${p.service}"), fix what it says, and run "k8s-win setup" again.`,
  message: (p) => `The service ${p.service} runs, but is not healthy`,
})

export const overlayAbsent = defineError<{network: string}>('OVERLAY_NETWORK_ABSENT', 3, {
  cause:
    'flanneld creates it when it starts, and a restart of the Host Network Service loses it; flanneld has not started since, or cannot create it.',
  fix: SETUP_AGAIN,
  message: (p) => `There is no HNS network ${p.network}`,
})

export const overlayUnsound = defineError<{cause: string; network: string; seen: string}>('OVERLAY_UNSOUND', 3, {
  cause: (p) => `${p.cause} flanneld creates the network only when it starts.`,
  fix: SETUP_AGAIN,
  message: (p) => `The overlay network ${p.network} is not as it should be: ${p.seen}`,
})

export const leaseMissing = defineError<{path: string}>('FLANNEL_LEASE_MISSING', 3, {
  cause: 'flanneld writes it when it has its lease, and pods get no address without it.',
  fix: SETUP_AGAIN,
  message: (p) => `${p.path} is missing, or has no subnet in it`,
})

export const sourceVipUnreserved = defineError<{cause: string; seen: string}>('SOURCE_VIP_NOT_RESERVED', 3, {
  cause: (p) => p.cause,
  fix: SETUP_AGAIN,
  message: (p) => `kube-proxy has no address of the pod network reserved: ${p.seen}`,
})

export const nodeAddressLost = defineError<{address: string; adapters: string; hint: string}>('NODE_ADDRESS_LOST', 3, {
  cause: (p) =>
    `The daemons use ${p.address}, and no adapter of this host has it (${p.adapters}): the virtual switch took it, or DHCP gave another.`,
  fix: (p) =>
    `Give the adapter its address back on the host's own console, or run "k8s-win setup --node-ip <address>" with the new one.${p.hint}`,
  message: (p) => `This host has lost the address of the node, ${p.address}`,
})

export const routesLost = defineError<{commands: string; routes: string}>('METADATA_ROUTES_LOST', 3, {
  cause: (p) =>
    `The host had ${p.routes} before setup; the virtual switch took it, as clouds' hosts know (hcsshim#299).`,
  fix: (p) => `Give it back: ${p.commands}. To keep it over a restart add store=persistent.`,
  message: "The routes to the cloud's metadata service are gone",
})

export const portsReserved = defineError<{ports: string}>('PORTS_RESERVED', 3, {
  cause:
    'Windows or an administrator keeps these ports from every program ("netsh interface ipv4 show excludedportrange protocol=tcp").',
  fix: 'Take the range away ("netsh interface ipv4 delete excludedportrange ..."); one that Windows took itself goes with "net stop winnat", "net start winnat".',
  message: (p) => `Ports the node needs are kept from it: ${p.ports}`,
})

export const imageOutdated = defineError<{host: string; image: string; seen: string}>('IMAGE_OF_OTHER_BUILD', 3, {
  cause: (p) =>
    `It is of build ${p.seen} and this host of ${p.host}: Windows was updated to another release since. No pod starts.`,
  fix: SETUP_AGAIN,
  message: (p) => `The image ${p.image} does not go with this Windows`,
})

export const kubeletCertificateLapsed = defineError<{day: string; path: string}>('KUBELET_CERTIFICATE_LAPSED', 3, {
  cause: (p) =>
    `${p.path} ended on ${p.day}: the kubelet could not rotate it while the node was off, or the cluster does not sign.`,
  fix: 'Run "k8s-win setup" again: it starts the kubelet with its kubeconfig. Where that has expired too, give a fresh one from the cluster: "k8s-win setup --kubeconfig <file>".',
  message: "The kubelet's own certificate has ended",
})

export const kubeletCertificateStale = defineError<{path: string; reason: string}>('KUBELET_CERTIFICATE_STALE', 3, {
  cause: (p) => `The kubelet uses ${p.path} in place of its kubeconfig, but ${p.reason}.`,
  fix: 'Run "k8s-win setup" again: it moves that file aside and starts the kubelet with its kubeconfig.',
  message: "The kubelet's own certificate is not accepted by the cluster",
})

export const nodeDeleted = defineError<{node: string}>('NODE_DELETED', 3, {
  cause: 'It was deleted; the kubelet registers its node only when it starts.',
  fix: SETUP_AGAIN,
  message: (p) => `The cluster has no node ${p.node}`,
})

export const nodeUnready = defineError<{node: string; said: string}>('NODE_UNREADY', 3, {
  cause: (p) => `The kubelet reports: ${p.said}`,
  fix: (p) => `Run "kubectl describe node ${p.node}", and "k8s-win setup" again.`,
  message: (p) => `The node ${p.node} is NotReady`,
})

export const nodeOfOtherVersion = defineError<{node: string; seen: string; wanted: string}>(
  'NODE_OF_OTHER_VERSION',
  3,
  {
    cause: 'Another kubelet reports for it, or this one has not reported since it was replaced.',
    fix: SETUP_AGAIN,
    message: (p) => `The kubelet of the node ${p.node} is ${p.seen}, not ${p.wanted}`,
  },
)

export const nodeAtOtherAddress = defineError<{node: string; seen: string; wanted: string}>(
  'NODE_AT_OTHER_ADDRESS',
  3,
  {
    cause: 'The address of the adapter changed after setup, or another machine has the name of this node.',
    fix: SETUP_AGAIN,
    message: (p) => `The address of the node ${p.node} is ${p.seen}, not ${p.wanted}`,
  },
)

export const kubeletPortClosed = defineError<{address: string; port: string}>('KUBELET_PORT_CLOSED', 3, {
  cause: 'The kubelet does not listen there, so "kubectl logs" and "kubectl exec" fail for pods of this node.',
  fix: 'See that the service kubelet runs and is well, and that nothing else has the port ("netstat -ano").',
  message: (p) => `Nobody answers on ${p.address}:${p.port}, the kubelet's port`,
})

export const programMissing = defineError<{path: string}>('PROGRAM_MISSING', 3, {
  cause: 'Somebody deleted it, or an antivirus program took it away.',
  fix: 'See that no antivirus program takes it again, and run "k8s-win setup": it puts it back.',
  message: (p) => `The program ${p.path} is not there`,
})

export const programChanged = defineError<{path: string}>('PROGRAM_CHANGED', 3, {
  cause: 'Somebody or something replaced it, or the disk is damaged. Find out who before you trust this host.',
  fix: 'Run "k8s-win setup" again: it puts the verified program in its place.',
  message: (p) => `The program ${p.path} is not the one that was verified when it was installed`,
})

export const programOfOtherVersion = defineError<{path: string; seen: string}>('PROGRAM_OF_OTHER_VERSION', 3, {
  cause: 'The last setup did not install it, or the journal has lost its record of it.',
  fix: SETUP_AGAIN,
  message: (p) => `The program ${p.path}: ${p.seen}`,
})

export const imageMissing = defineError<{image: string}>('IMAGE_MISSING', 3, {
  cause: 'It was removed ("docker image prune" does); pods cannot start without it.',
  fix: SETUP_AGAIN,
  message: (p) => `The image ${p.image} does not exist`,
})

export const drifted = defineError<{cause: string; seen: string; step: string}>('DRIFTED', 3, {
  cause: (p) => p.cause,
  fix: SETUP_AGAIN,
  message: (p) => `The step ${p.step} is not as setup left it: ${p.seen}`,
})

export const journalLost = defineError<{path: string}>('JOURNAL_LOST', 3, {
  cause:
    'It was deleted or cut, or the disk lost it. The node works without it, but what it recorded of programs and images is not known any more.',
  fix: 'Run "k8s-win setup" again: it checks programs and images, restarts the daemons and records everything anew.',
  message: (p) => `The journal ${p.path} is missing or incomplete`,
})

export const journalDamaged = defineError<{seen: string}>('JOURNAL_DAMAGED', 3, {
  cause: 'It was edited, or the disk lost a part of it.',
  fix: 'Run "k8s-win setup" again: it repairs the journal.',
  message: (p) => p.seen,
})

export const setupUnfinished = defineError<{cause: string; folder: string}>('SETUP_UNFINISHED', 3, {
  cause: (p) => p.cause,
  fix: 'Run "k8s-win setup" with the options it was run with: it resumes.',
  message: (p) => `A setup began in ${p.folder} and did not finish`,
})

export const setupRunning = defineError<{holder: string; since: string}>('SETUP_RUNNING', 3, {
  cause: (p) => p.holder,
  fix: 'Wait until it has finished, then check again: "k8s-win status".',
  message: (p) => `setup is running since ${p.since}`,
})

export const resetRunning = defineError<{holder: string; since: string}>('RESET_RUNNING', 3, {
  cause: (p) => p.holder,
  fix: 'Wait until it has finished, then check again: "k8s-win status".',
  message: (p) => `reset is running since ${p.since}`,
})

export const servicesGone = defineError<{folder: string}>('SERVICES_GONE', 3, {
  cause: 'The node was moved to another folder and reset there, or its services were deleted.',
  fix: 'Run "k8s-win reset" to remove what is left, or "k8s-win setup" to restore the node.',
  message: (p) => `A setup finished in ${p.folder}, but this host has none of the services of a node`,
})

export const storedForOtherFolder = defineError<{claimed: string; path: string}>('STORED_FOR_OTHER_FOLDER', 3, {
  cause: 'It was edited, or copied from there.',
  fix: SETUP_AGAIN,
  message: (p) => `${p.path} describes a node in ${p.claimed}`,
})

export const recordsLost = defineError<{folder: string; services: string}>('RECORDS_LOST', 3, {
  cause: (p) => `The services ${p.services} are ours and run from here, so somebody removed or emptied ${p.folder}.`,
  fix: 'Run "k8s-win setup" with the options of the last one, --node-name among them: it stores them anew. The journal does not come back: a reset then goes by our marks only, and asks first, or needs --yes.',
  message: (p) => `The records of setup in ${p.folder} are lost`,
})

export const resetUnfinished = defineError<{again: string; folder: string}>('RESET_UNFINISHED', 3, {
  cause: (p) => `It was interrupted, or it failed, on the node in ${p.folder}: what is not there goes with it.`,
  fix: (p) =>
    `Run "k8s-win ${p.again}" (and what else it was run with) to go on with it, or "k8s-win setup" to have the node again.`,
  message: 'A reset began here and did not come to its end',
})

export const ruleMissing = defineError<{rules: string}>('FIREWALL_RULE_MISSING', 3, {
  cause: 'Somebody removed or changed them, so other nodes do not reach the kubelet, or their pods the pods here.',
  fix: SETUP_AGAIN,
  message: (p) => `Firewall rules are not as setup made them: ${p.rules}`,
})
