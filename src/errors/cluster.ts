// Exit 3: the cluster, or what was given to reach it, does not qualify. Nothing was changed.
import {defineError} from './define.js'

export const kubeconfigMissing = defineError<{flag: string; path: string}>('KUBECONFIG_MISSING', 3, {
  cause: 'There is no such file.',
  fix: (p) => `Put the cluster's kubeconfig there, or give --${p.flag} <file>.`,
  message: (p) => `The kubeconfig ${p.path} is missing`,
})

export const kubeconfigUnreadable = defineError<{path: string; reason: string}>('KUBECONFIG_UNREADABLE', 3, {
  cause: (p) => `We read it, and ${p.reason}.`,
  fix: 'Get a fresh one from the cluster ("kubectl config view --raw --flatten --minify") and save it as UTF-8.',
  message: (p) => `The kubeconfig ${p.path} cannot be used`,
})

export const clientCAUnknown = defineError<{path: string}>('CLIENT_CA_UNKNOWN', 3, {
  cause: (p) => `${p.path}, and so nobody could be told from anybody at the kubelet.`,
  fix: "Give --client-ca-file the cluster's certificate authority (PEM).",
  message: 'It is not known who may call the kubelet',
})

export const serverUnreachable = defineError<{reason: string; server: string}>('API_SERVER_UNREACHABLE', 3, {
  cause: (p) => p.reason,
  fix: 'See that this host reaches the address (routes, firewall, DNS) and that the kubeconfig is of this cluster.',
  message: (p) => `The API server ${p.server} cannot be reached`,
})

export const serverUntrusted = defineError<{reason: string; server: string}>('API_SERVER_UNTRUSTED', 3, {
  cause: (p) => p.reason,
  fix: "Get a fresh kubeconfig from the cluster, see that its server is an address the server's certificate is for, and that the clock of this host is right.",
  message: (p) => `The API server ${p.server} does not prove that it is the one the kubeconfig means`,
})

export const serverNameLegacy = defineError<{server: string}>('API_SERVER_COMMON_NAME_ONLY', 3, {
  cause:
    'Its certificate has the address only as its common name (CN), without a subjectAltName, and every Kubernetes program refuses that.',
  fix: 'Renew the certificate of the API server with the address as a subjectAltName (kubeadm: apiServer.certSANs, then "kubeadm init phase certs apiserver").',
  message: (p) => `The certificate of the API server ${p.server} is not for its address`,
})

export const clusterRefused = defineError<{reason: string; server: string}>('API_SERVER_REFUSES', 3, {
  cause: (p) => p.reason,
  fix: 'Get a fresh kubeconfig from the cluster.',
  message: (p) => `The API server ${p.server} does not accept the kubeconfig's identity`,
})

export const clusterForbids = defineError<{request: string; said: string}>('API_SERVER_FORBIDS', 3, {
  cause: (p) => `It said: ${p.said}`,
  fix: 'Give this identity what a node needs: the group system:nodes, and for flanneld the ClusterRole of kube-flannel.yml.',
  message: (p) => `The API server does not allow ${p.request}`,
})

export const clusterAnswer = defineError<{reason: string; server: string}>('API_SERVER_ANSWER', 3, {
  cause: (p) => p.reason,
  fix: 'See that the address is that of a Kubernetes API server, and not of a proxy or another service.',
  message: (p) => `The answer of ${p.server} was not understood`,
})

export const answerTooLarge = defineError<{reason: string; server: string}>('ANSWER_TOO_LARGE', 3, {
  cause: (p) => `${p.reason}, which no answer to k8s-win is. The rest of it was not read.`,
  fix: 'Check that the address is that of a Kubernetes API server or the Docker Engine, and not of a proxy or another service.',
  message: (p) => `The answer of ${p.server} is too large`,
})

export const clusterBusy = defineError<{reason: string; server: string}>('API_SERVER_BUSY', 3, {
  cause: (p) => p.reason,
  fix: 'See that the API server is well ("kubectl get --raw /readyz" elsewhere), then run the same command again.',
  message: (p) => `The API server ${p.server} cannot answer now`,
})

export const execPluginFailed = defineError<{command: string; reason: string}>('EXEC_PLUGIN_FAILED', 3, {
  cause: (p) => p.reason,
  fix: (p) => `Run ${p.command} by hand as the kubeconfig has it; name it there by its whole path.`,
  message: (p) => `The kubeconfig's plugin ${p.command} gave no credentials`,
})

export const execVersionUnknown = defineError<{advice: string; apiVersion: string; reason: string; who: string}>(
  'EXEC_VERSION_UNKNOWN',
  3,
  {
    cause: (p) => p.reason,
    fix: (p) => p.advice,
    message: (p) => `${p.who} does not know ${p.apiVersion}, the version of its kubeconfig's exec plugin`,
  },
)

export const dnsUnknown = defineError<{server: string}>('CLUSTER_DNS_UNKNOWN', 3, {
  cause: (p) => `${p.server} has no service with "dns" in its name in kube-system, or does not let us see it.`,
  fix: "Give --cluster-dns the address of the cluster's DNS service.",
  message: "The address of the cluster's DNS is not known",
})

export const podCIDRElsewhere = defineError<{cluster: string; node: string; podCIDR: string}>('POD_CIDR_ELSEWHERE', 3, {
  cause: (p) =>
    `The cluster gave the node ${p.node} the pod network ${p.podCIDR}, and flanneld takes none outside ${p.cluster}.`,
  fix: "Give --cluster-cidr the cluster's pod network.",
  message: (p) => `--cluster-cidr ${p.cluster} is not this cluster's`,
})

export const credentialsLapsed = defineError<{reason: string; who: string}>('CREDENTIALS_LAPSED', 3, {
  cause: (p) => p.reason,
  fix: 'Get a fresh kubeconfig from the cluster, and see that the clock of this host is right.',
  message: (p) => `The credentials of ${p.who} are not valid now`,
})

export const permissionsMissing = defineError<{fix: string; missing: string; user: string; who: string}>(
  'PERMISSIONS_MISSING',
  3,
  {
    cause: (p) => `${p.who} needs these rights, and the API server says that ${p.user} does not have them.`,
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
    message: (p) => `Kubernetes ${p.release} on this node does not go with the API server's ${p.version}`,
  },
)

export const clockWrong = defineError<{difference: string; server: string}>('CLOCK_WRONG', 3, {
  cause: 'With clocks that far apart, certificates and tokens are refused as expired or not valid yet.',
  fix: 'Set the clock ("w32tm /resync /force"; "w32tm /query /source" tells where it comes from) and run the same command again.',
  message: (p) => `The clock of this host is ${p.difference} that of ${p.server}`,
})

export const nodeNameTaken = defineError<{node: string; seen: string}>('NODE_NAME_TAKEN', 3, {
  cause: (p) => `The cluster has a node of that name already, and it is not this host: ${p.seen}.`,
  fix: (p) =>
    `Give --node-name another name. If that machine is gone, remove it ("kubectl delete node ${p.node}") and run the same command again.`,
  message: (p) => `The node name ${p.node} is taken by another machine`,
})

export const flannelUnfit = defineError<{change: string; seen: string}>('FLANNEL_UNFIT', 3, {
  cause: (p) => `${p.seen}; Windows speaks VXLAN with VNI 4096 on port 4789 only, so pods here would not reach others.`,
  fix: (p) => p.change,
  message: "The cluster's flannel is not set up for Windows nodes",
})

export const flannelNetworkElsewhere = defineError<{cluster: string; network: string}>('FLANNEL_NETWORK_ELSEWHERE', 3, {
  cause: (p) => `The Network of flannel in the cluster is ${p.network}, and all its nodes must have the same.`,
  fix: (p) => `Give --cluster-cidr ${p.network}.`,
  message: (p) => `--cluster-cidr ${p.cluster} is not the network of the cluster's flannel`,
})

export const serviceCIDRElsewhere = defineError<{address: string; network: string; service: string}>(
  'SERVICE_CIDR_ELSEWHERE',
  3,
  {
    cause: (p) => `The cluster's service ${p.service} has the address ${p.address}, which is outside it.`,
    fix: "Give --service-cidr the cluster's service network: --service-cluster-ip-range of its API server.",
    message: (p) => `--service-cidr ${p.network} is not this cluster's`,
  },
)

export const drainForbidden = defineError<{node: string; said: string}>('DRAIN_FORBIDDEN', 3, {
  cause: (p) => `The API server said: ${p.said}`,
  fix: (p) =>
    `Run "kubectl drain ${p.node} --ignore-daemonsets --delete-emptydir-data --force" with an administrator's kubeconfig, then run the same command without --drain.`,
  message: (p) => `This identity may not drain the node ${p.node}`,
})
