// Exit 3: the cluster, or what was given to reach it, does not qualify. Nothing was changed.
import {defineError} from './define.js'
import {pasted} from './pasted.js'

export const kubeconfigMissing = defineError<{flag: string; path: string}>('KUBECONFIG_MISSING', 3, {
  cause: 'The file does not exist.',
  fix: (p) => `Copy the cluster's kubeconfig there, or pass --${p.flag} <file>.`,
  message: (p) => `The kubeconfig ${p.path} is missing`,
})

export const adminKubeconfigMissing = defineError<{path: string}>('ADMIN_KUBECONFIG_MISSING', 3, {
  cause: 'The file that was passed to --kubeconfig of reset does not exist. Nothing was removed.',
  fix: 'Check the path: it must be the kubeconfig of an administrator of the cluster. Or run reset without --kubeconfig: it then prints the command with which an administrator deletes the node object.',
  message: (p) => `The administrator's kubeconfig ${p.path} is missing`,
})

export const kubeconfigUnreadable = defineError<{path: string; reason: string}>('KUBECONFIG_UNREADABLE', 3, {
  cause: (p) => `Invalid kubeconfig: ${p.reason}.`,
  fix: 'Get a fresh one from the cluster ("kubectl config view --raw --flatten --minify") and save it as UTF-8.',
  message: (p) => `The kubeconfig ${p.path} cannot be used`,
})

export const clientCAUnknown = defineError<{path: string}>('CLIENT_CA_UNKNOWN', 3, {
  cause: (p) => `${p.path}, so the kubelet could not authenticate its clients.`,
  fix: "Pass the cluster's certificate authority (PEM) to --client-ca-file.",
  message: 'The client CA of the kubelet is unknown',
})

export const serverUnreachable = defineError<{reason: string; server: string}>('API_SERVER_UNREACHABLE', 3, {
  cause: (p) => p.reason,
  fix: 'Check that this host can reach the address (routes, firewall, DNS) and that the kubeconfig is for this cluster.',
  message: (p) => `The API server ${p.server} cannot be reached`,
})

export const serverUntrusted = defineError<{reason: string; server: string}>('API_SERVER_UNTRUSTED', 3, {
  cause: (p) => p.reason,
  fix: "Get a new kubeconfig from the cluster. Check that the server address is in the server's certificate and that the clock of this host is correct.",
  message: (p) => `The API server ${p.server} has a certificate that the kubeconfig does not trust`,
})

/** Its own error, because time may cure it: early after a start of Windows the clock is often not set yet. */
export const serverCertificateLapsed = defineError<{reason: string; server: string}>(
  'API_SERVER_CERTIFICATE_LAPSED',
  3,
  {
    cause: (p) => p.reason,
    fix: 'If that time is wrong, set the clock of this host ("w32tm /resync /force"; "w32tm /query /source" shows its source) and run the same command again. Otherwise renew the certificate of the API server (kubeadm: "kubeadm certs renew apiserver").',
    message: (p) => `The certificate of the API server ${p.server} is expired or not yet valid`,
  },
)

export const serverNameLegacy = defineError<{server: string}>('API_SERVER_COMMON_NAME_ONLY', 3, {
  cause:
    'Its certificate has the address only as its common name (CN), without a subjectAltName, which Kubernetes clients reject.',
  fix: 'Renew the certificate of the API server with the address as a subjectAltName (kubeadm: apiServer.certSANs, then "kubeadm init phase certs apiserver").',
  message: (p) => `The certificate of the API server ${p.server} is not valid for its address`,
})

export const clusterRefused = defineError<{reason: string; server: string}>('API_SERVER_REFUSES', 3, {
  cause: (p) => p.reason,
  fix: 'Get a new kubeconfig from the cluster.',
  message: (p) => `The API server ${p.server} rejects the credentials of the kubeconfig`,
})

export const clusterForbids = defineError<{request: string; said: string}>('API_SERVER_FORBIDS', 3, {
  cause: (p) => `It said: ${p.said}`,
  fix: 'Grant this identity the permissions of a node: the group system:nodes, and for flanneld the ClusterRole of kube-flannel.yml.',
  message: (p) => `The API server forbids ${p.request}`,
})

export const clusterAnswer = defineError<{reason: string; server: string}>('API_SERVER_ANSWER', 3, {
  cause: (p) => p.reason,
  fix: 'Check that the address belongs to a Kubernetes API server, not to a proxy or another service.',
  message: (p) => `Invalid response from ${p.server}`,
})

export const answerTooLarge = defineError<{reason: string; server: string}>('ANSWER_TOO_LARGE', 3, {
  cause: (p) => `${p.reason}, more than any response that k8s-win requests. The rest was not read.`,
  fix: 'Check that the address belongs to a Kubernetes API server or the Docker Engine, not to a proxy or another service.',
  message: (p) => `The response of ${p.server} is too large`,
})

export const clusterBusy = defineError<{reason: string; server: string}>('API_SERVER_BUSY', 3, {
  cause: (p) => p.reason,
  fix: 'Check the API server ("kubectl get --raw /readyz" from another host), then run the same command again.',
  message: (p) => `The API server ${p.server} is unavailable`,
})

export const webhookFailed = defineError<{request: string; said: string}>('ADMISSION_WEBHOOK_FAILED', 3, {
  cause: (p) => `The API server responds, but it must ask a webhook first. It said: ${p.said}`,
  fix: 'Start what serves the webhook, or have an administrator remove its configuration ("kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations"). Then run the same command again.',
  message: (p) => `An admission webhook of the cluster fails, so the API server rejects ${p.request}`,
})

export const execPluginFailed = defineError<{command: string; reason: string}>('EXEC_PLUGIN_FAILED', 3, {
  cause: (p) => p.reason,
  fix: 'Run the plugin manually with the arguments of the kubeconfig. The kubeconfig must name it by its absolute path.',
  message: (p) => `The kubeconfig's plugin ${p.command} returned no credentials`,
})

export const execVersionUnknown = defineError<{advice: string; apiVersion: string; reason: string; who: string}>(
  'EXEC_VERSION_UNKNOWN',
  3,
  {
    cause: (p) => p.reason,
    fix: (p) => p.advice,
    message: (p) => `${p.who} does not support ${p.apiVersion}, the API version of its kubeconfig's exec plugin`,
  },
)

export const dnsUnknown = defineError<{server: string}>('CLUSTER_DNS_UNKNOWN', 3, {
  cause: (p) =>
    `${p.server} has no Service in kube-system with "dns" in its name, or this identity is not allowed to list Services.`,
  fix: "Pass the address of the cluster's DNS service to --cluster-dns.",
  message: "The address of the cluster's DNS service is unknown",
})

export const podCIDRElsewhere = defineError<{cluster: string; node: string; podCIDR: string}>('POD_CIDR_ELSEWHERE', 3, {
  cause: (p) =>
    `The cluster gave the node ${p.node} the pod network ${p.podCIDR}, and flanneld rejects pod networks outside ${p.cluster}.`,
  fix: "Pass the cluster's pod network to --cluster-cidr.",
  message: (p) => `--cluster-cidr ${p.cluster} does not match the cluster`,
})

export const credentialsLapsed = defineError<{reason: string; who: string}>('CREDENTIALS_LAPSED', 3, {
  cause: (p) => p.reason,
  fix: 'Get a new kubeconfig from the cluster, and check that the clock of this host is correct.',
  message: (p) => `The credentials of ${p.who} are expired or not yet valid`,
})

export const permissionsMissing = defineError<{fix: string; missing: string; user: string; who: string}>(
  'PERMISSIONS_MISSING',
  3,
  {
    cause: (p) => `${p.who} needs these permissions, and the API server reports that ${p.user} does not have them.`,
    fix: (p) => p.fix,
    message: (p) => `${p.who} may not: ${p.missing}`,
  },
)

export const nodeAccessMissing = defineError<{fix: string; missing: string; user: string; who: string}>(
  'NODE_ACCESS_MISSING',
  3,
  {
    cause: (p) =>
      `${p.who} runs as ${p.user}. A node has the rights of a kubelet only, and no ClusterRoleBinding of the group system:nodes adds these.`,
    fix: (p) => p.fix,
    message: (p) => `${p.who} may not: ${p.missing}`,
  },
)

export const versionSkew = defineError<{advice: string; reason: string; release: string; version: string}>(
  'VERSION_SKEW',
  3,
  {
    cause: (p) => p.reason,
    fix: (p) => p.advice,
    message: (p) => `Kubernetes ${p.release} on this node is not compatible with API server ${p.version}`,
  },
)

export const clockWrong = defineError<{difference: string; server: string}>('CLOCK_WRONG', 3, {
  cause: 'With such a clock difference, certificates and tokens are rejected as expired or not yet valid.',
  fix: 'Set the clock ("w32tm /resync /force"; "w32tm /query /source" shows its source) and run the same command again.',
  message: (p) => `The clock of this host is ${p.difference} the clock of ${p.server}`,
})

export const nodeNameTaken = defineError<{node: string; seen: string}>('NODE_NAME_TAKEN', 3, {
  cause: (p) => `The cluster already has a node with this name, and it is not this host: ${p.seen}.`,
  fix: (p) =>
    `Pass another name to --node-name. If that machine no longer exists, delete its node ("kubectl delete node ${pasted(p.node)}") and run the same command again.`,
  message: (p) => `The node name ${p.node} is in use by another machine`,
})

export const flannelUnfit = defineError<{change: string; seen: string}>('FLANNEL_UNFIT', 3, {
  cause: (p) =>
    `${p.seen}; Windows supports only VXLAN with VNI 4096 on port 4789, so pods on this node could not reach pods on other nodes.`,
  fix: (p) => p.change,
  message: "The cluster's flannel is not configured for Windows nodes",
})

export const flannelNetworkElsewhere = defineError<{cluster: string; network: string}>('FLANNEL_NETWORK_ELSEWHERE', 3, {
  cause: (p) => `The Network of flannel in the cluster is ${p.network}, and all nodes must use the same.`,
  fix: (p) => `Pass --cluster-cidr ${p.network}.`,
  message: (p) => `--cluster-cidr ${p.cluster} is not the network of the cluster's flannel`,
})

export const serviceCIDRElsewhere = defineError<{address: string; network: string; service: string}>(
  'SERVICE_CIDR_ELSEWHERE',
  3,
  {
    cause: (p) => `The cluster's service ${p.service} has the address ${p.address}, which is outside it.`,
    fix: "Pass the cluster's service network to --service-cidr: the --service-cluster-ip-range of its API server.",
    message: (p) => `--service-cidr ${p.network} does not match the cluster`,
  },
)

export const drainForbidden = defineError<{node: string; said: string}>('DRAIN_FORBIDDEN', 3, {
  cause: (p) => `The API server said: ${p.said}`,
  fix: (p) =>
    `Run "kubectl drain ${pasted(p.node)} --ignore-daemonsets --delete-emptydir-data --force" with an administrator's kubeconfig, then run the same command without --drain.`,
  message: (p) => `This identity is not allowed to drain node ${p.node}`,
})

export const hostProcessNetwork = defineError<{commands: string; node: string; sets: string}>(
  'HOST_PROCESS_NETWORK',
  3,
  {
    cause: (p) =>
      `${p.sets} would run flannel or kube-proxy as host processes on this node. They and the services of k8s-win would replace each other's HNS networks and load balancers.`,
    fix: (p) =>
      `Remove them if every Windows node has its own flannel and kube-proxy: ${p.commands}. Or keep them off this node, with a required node affinity "kubernetes.io/hostname NotIn ${p.node}".`,
    message: 'DaemonSets of the cluster would manage the network of this node',
  },
)
