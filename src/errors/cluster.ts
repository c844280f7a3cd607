// Exit 3: the cluster, or what was given to reach it, does not qualify. Nothing was changed.
import {defineError, defineTransientError} from './define.js'

export const kubeconfigMissing = defineError('KUBECONFIG_MISSING', 3, {
  cause: 'The file does not exist.',
  fix: (p: {flag: string}) =>
    `Copy the cluster's kubeconfig there, or pass --${p.flag} <file>.${p.flag === 'kubeconfig' ? ' To join with a token instead, pass --server and --token-file: "k8s-win token create", with an administrator\'s kubeconfig, prints the token and the whole command.' : ''}`,
  message: 'The kubeconfig {path} is missing',
})

export const adminKubeconfigMissing = defineError('ADMIN_KUBECONFIG_MISSING', 3, {
  cause: 'The file that was passed to --kubeconfig of reset does not exist. Nothing was removed.',
  fix: 'Check the path: it must be the kubeconfig of an administrator of the cluster. Or run reset without --kubeconfig: it then prints the command with which an administrator deletes the node object.',
  message: "The administrator's kubeconfig {path} is missing",
})

export const kubeconfigUnreadable = defineError('KUBECONFIG_UNREADABLE', 3, {
  cause: 'Invalid kubeconfig: {reason}.',
  fix: 'Get a fresh one from the cluster ("kubectl config view --raw --flatten --minify") and save it as UTF-8.',
  message: 'The kubeconfig {path} cannot be used',
})

export const clientCAUnknown = defineError('CLIENT_CA_UNKNOWN', 3, {
  cause: '{path}, so the kubelet could not authenticate its clients.',
  fix: "Pass the cluster's certificate authority (PEM) to --client-ca-file.",
  message: 'The client CA of the kubelet is unknown',
})

export const serverUnreachable = defineTransientError('API_SERVER_UNREACHABLE', 3, {
  cause: '{reason}',
  fix: 'Check that this host can reach the address (routes, firewall, DNS) and that the kubeconfig is for this cluster.',
  message: 'The API server {server} cannot be reached',
})

export const serverUntrusted = defineError('API_SERVER_UNTRUSTED', 3, {
  cause: '{reason}',
  fix: "Get a new kubeconfig from the cluster. Check that the server address is in the server's certificate and that the clock of this host is correct.",
  message: 'The API server {server} has a certificate that the kubeconfig does not trust',
})

/** Its own error, because time may cure it: early after a start of Windows the clock is often not set yet. */
export const serverCertificateLapsed = defineTransientError('API_SERVER_CERTIFICATE_LAPSED', 3, {
  cause: '{reason}',
  fix: 'If that time is wrong, set the clock of this host ("w32tm /resync /force"; "w32tm /query /source" shows its source) and run the same command again. Otherwise renew the certificate of the API server (kubeadm: "kubeadm certs renew apiserver").',
  message: 'The certificate of the API server {server} is expired or not yet valid',
})

export const serverNameLegacy = defineError('API_SERVER_COMMON_NAME_ONLY', 3, {
  cause:
    'Its certificate has the address only as its common name (CN), without a subjectAltName, which Kubernetes clients reject.',
  fix: 'Renew the certificate of the API server with the address as a subjectAltName (kubeadm: apiServer.certSANs, then "kubeadm init phase certs apiserver").',
  message: 'The certificate of the API server {server} is not valid for its address',
})

export const clusterRefused = defineError('API_SERVER_REFUSES', 3, {
  cause: '{reason}',
  fix: 'Get a new kubeconfig from the cluster.',
  message: 'The API server {server} rejects the credentials of the kubeconfig',
})

export const clusterForbids = defineError('API_SERVER_FORBIDS', 3, {
  cause: 'It said: {said}',
  fix: 'Grant this identity the permissions of a node: the group system:nodes, and for flanneld the ClusterRole of kube-flannel.yml.',
  message: 'The API server forbids {request}',
})

export const clusterAnswer = defineError('API_SERVER_ANSWER', 3, {
  cause: '{reason}',
  fix: 'Check that the address belongs to a Kubernetes API server, not to a proxy or another service.',
  message: 'Invalid response from {server}',
})

export const answerTooLarge = defineError('ANSWER_TOO_LARGE', 3, {
  cause: '{reason}, more than any response that k8s-win requests. The rest was not read.',
  fix: 'Check that the address belongs to a Kubernetes API server or the Docker Engine, not to a proxy or another service.',
  message: 'The response of {server} is too large',
})

export const clusterBusy = defineTransientError('API_SERVER_BUSY', 3, {
  cause: '{reason}',
  fix: 'Check the API server ("kubectl get --raw /readyz" from another host), then run the same command again.',
  message: 'The API server {server} is unavailable',
})

export const webhookFailed = defineTransientError('ADMISSION_WEBHOOK_FAILED', 3, {
  cause: 'The API server responds, but it must ask a webhook first. It said: {said}',
  fix: 'Start what serves the webhook, or have an administrator remove its configuration ("kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations"). Then run the same command again.',
  message: 'An admission webhook of the cluster fails, so the API server rejects {request}',
})

export const execPluginFailed = defineError('EXEC_PLUGIN_FAILED', 3, {
  cause: '{reason}',
  fix: 'Run the plugin manually with the arguments of the kubeconfig. The kubeconfig must name it by its absolute path.',
  message: "The kubeconfig's plugin {command} returned no credentials",
})

export const execVersionUnknown = defineError('EXEC_VERSION_UNKNOWN', 3, {
  cause: '{reason}',
  fix: '{advice}',
  message: "{who} does not support {apiVersion}, the API version of its kubeconfig's exec plugin",
})

export const dnsUnknown = defineTransientError('CLUSTER_DNS_UNKNOWN', 3, {
  cause:
    '{server} has no Service in kube-system with "dns" in its name, or this identity is not allowed to list Services.',
  fix: "Pass the address of the cluster's DNS service to --cluster-dns.",
  message: "The address of the cluster's DNS service is unknown",
})

export const podCIDRElsewhere = defineError('POD_CIDR_ELSEWHERE', 3, {
  cause:
    'The cluster gave the node {node} the pod network {podCIDR}, and flanneld rejects pod networks outside {cluster}.',
  fix: "Pass the cluster's pod network to --cluster-cidr.",
  message: '--cluster-cidr {cluster} does not match the cluster',
})

export const credentialsLapsed = defineError('CREDENTIALS_LAPSED', 3, {
  cause: '{reason}',
  fix: 'Get a new kubeconfig from the cluster, and check that the clock of this host is correct.',
  message: 'The credentials of {who} are expired or not yet valid',
})

export const permissionsMissing = defineError('PERMISSIONS_MISSING', 3, {
  cause: '{who} needs these permissions, and the API server reports that {user} does not have them.',
  fix: '{fix}',
  message: '{who} may not: {missing}',
})

export const nodeAccessMissing = defineError('NODE_ACCESS_MISSING', 3, {
  cause:
    '{who} runs as {user}. A node has the rights of a kubelet only, and no ClusterRoleBinding of the group system:nodes adds these.',
  fix: '{fix}',
  message: '{who} may not: {missing}',
})

export const versionSkew = defineError('VERSION_SKEW', 3, {
  cause: '{reason}',
  fix: '{advice}',
  message: 'Kubernetes {release} on this node is not compatible with API server {version}',
})

export const clockWrong = defineTransientError('CLOCK_WRONG', 3, {
  cause: 'With such a clock difference, certificates and tokens are rejected as expired or not yet valid.',
  fix: 'Set the clock ("w32tm /resync /force"; "w32tm /query /source" shows its source) and run the same command again.',
  message: 'The clock of this host is {difference} the clock of {server}',
})

export const nodeNameTaken = defineError('NODE_NAME_TAKEN', 3, {
  cause: 'The cluster already has a node with this name, and it is not this host: {seen}.',
  fix: 'Pass another name to --node-name. If that machine no longer exists, delete its node ("kubectl delete node {node:word}") and run the same command again.',
  message: 'The node name {node} is in use by another machine',
})

export const flannelUnfit = defineError('FLANNEL_UNFIT', 3, {
  cause:
    '{seen}; Windows supports only VXLAN with VNI 4096 on port 4789, so pods on this node could not reach pods on other nodes.',
  fix: '{change}',
  message: "The cluster's flannel is not configured for Windows nodes",
})

export const flannelNetworkElsewhere = defineError('FLANNEL_NETWORK_ELSEWHERE', 3, {
  cause: 'The Network of flannel in the cluster is {network}, and all nodes must use the same.',
  fix: 'Pass --cluster-cidr {network}.',
  message: "--cluster-cidr {cluster} is not the network of the cluster's flannel",
})

export const serviceCIDRElsewhere = defineError('SERVICE_CIDR_ELSEWHERE', 3, {
  cause: "The cluster's service {service} has the address {address}, which is outside it.",
  fix: "Pass the cluster's service network to --service-cidr: the --service-cluster-ip-range of its API server.",
  message: '--service-cidr {network} does not match the cluster',
})

export const drainForbidden = defineError('DRAIN_FORBIDDEN', 3, {
  cause: 'The API server said: {said}',
  fix: `Run "kubectl drain {node:word} --ignore-daemonsets --delete-emptydir-data --force" with an administrator's kubeconfig, then run the same command without --drain.`,
  message: 'This identity is not allowed to drain node {node}',
})

export const hostProcessNetwork = defineError('HOST_PROCESS_NETWORK', 3, {
  cause:
    "{sets} would run flannel or kube-proxy as host processes on this node. They and the services of k8s-win would replace each other's HNS networks and load balancers.",
  fix: 'Remove them if every Windows node has its own flannel and kube-proxy: {commands}. Or keep them off this node, with a required node affinity "kubernetes.io/hostname NotIn {node}".',
  message: 'DaemonSets of the cluster would manage the network of this node',
})
