// Exit 3: what keeps a node that is set up from its work. Only doctor tells these; nothing was changed.
import {defineError} from './define.js'

const SETUP_AGAIN = 'Run "k8s-win setup" again: it mends what is not in place.'

export const serviceDown = defineError<{cause: string; fix: string; seen: string; service: string}>('SERVICE_DOWN', 3, {
  cause: (p) => p.cause,
  fix: (p) => p.fix,
  message: (p) => `The service ${p.service} ${p.seen}`,
})

export const daemonUnwell = defineError<{said: string; service: string; url: string}>('DAEMON_UNWELL', 3, {
  cause: (p) => `${p.url} says: ${p.said}.`,
  fix: (p) => `Read its log ("k8s-win logs ${p.service}"), mend what it says, and start it again.`,
  message: (p) => `The service ${p.service} runs, but is not well`,
})

export const knownFailure = defineError<{cause: string; fix: string; id: string; service: string}>('KNOWN_FAILURE', 3, {
  cause: (p) => p.cause,
  fix: (p) => p.fix,
  message: (p) => `The log of ${p.service} tells a failure that is known: ${p.id}`,
})

export const overlayUnsound = defineError<{network: string; seen: string}>('OVERLAY_UNSOUND', 3, {
  cause: (p) => `Seen: ${p.seen}. flanneld makes it only when it starts.`,
  fix: `Start flanneld and kube-proxy again ("net stop kubeproxy", "net stop flanneld", "net start flanneld", "net start kubeproxy"); if it stays, run "k8s-win setup" again.`,
  message: (p) => `The overlay network ${p.network} is not as it should be`,
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
  fix: 'Get a fresh kubeconfig from the cluster, remove that file, and run "k8s-win setup --kubeconfig <file>".',
  message: "The kubelet's own certificate has ended",
})

export const nodeUnready = defineError<{fix: string; node: string; said: string}>('NODE_UNREADY', 3, {
  cause: (p) => `It says: ${p.said}`,
  fix: (p) => p.fix,
  message: (p) => `The cluster does not call the node ${p.node} Ready`,
})

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

export const recordsLost = defineError<{folder: string; services: string}>('RECORDS_LOST', 3, {
  cause: (p) => `The services ${p.services} are ours and run from here, so somebody removed or emptied ${p.folder}.`,
  fix: 'Run "k8s-win setup" with the options of the last one, --node-name among them: it stores them anew. The journal does not come back: a reset then goes by our marks only, and asks first, or needs --yes.',
  message: (p) => `The records of setup in ${p.folder} are lost`,
})

export const resetUnfinished = defineError<{again: string; folder: string}>('RESET_UNFINISHED', 3, {
  cause: (p) =>
    `It was interrupted, failed, or is still at work on the node in ${p.folder}: what is not there goes with it.`,
  fix: (p) =>
    `Run "k8s-win ${p.again}" (and what else it was run with) to go on with it, or "k8s-win setup" to have the node again.`,
  message: 'A reset began here and did not come to its end',
})

export const ruleMissing = defineError<{rules: string}>('FIREWALL_RULE_MISSING', 3, {
  cause: 'Somebody removed or changed them, so other nodes do not reach the kubelet, or their pods the pods here.',
  fix: SETUP_AGAIN,
  message: (p) => `Firewall rules are not as setup made them: ${p.rules}`,
})
