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
