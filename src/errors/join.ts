// Joining a cluster with a bootstrap token: the options (exit 2), the cluster's answers (exit 3), and its approval (exit 6).
// The id of a token may be shown; its secret is in no parameter.
import {defineError, defineTransientError} from './define.js'

const NEW_TOKEN =
  'Create a new token with "k8s-win token create" and an administrator\'s kubeconfig, or with "kubeadm token create" on the control plane, and pass it to --token-file, or store it in place of the old one where --token-from fetches it.'
const NO_TOKEN_JOIN = 'Pass a kubeconfig of the node to --kubeconfig instead.'

export const joinServerMissing = defineError('JOIN_SERVER_MISSING', 2, {
  cause: 'The cluster to join is not known: --server is not given, and no earlier setup stored it.',
  fix: 'Pass --server https://<host>:<port>, as "kubeadm token create --print-join-command" prints it, or remove the other options.',
  message: '{options} given without --server',
})

export const joinHashMissing = defineError('JOIN_CA_HASH_MISSING', 2, {
  cause:
    'Without the hash of the CA, whoever knows the token can pretend to be the cluster, and would control this host.',
  fix: 'Pass --ca-cert-hash sha256:<hex>: "k8s-win token create" and "kubeadm token create --print-join-command" print it. On the control plane, "openssl x509 -pubkey -noout -in /etc/kubernetes/pki/ca.crt | openssl pkey -pubin -outform der | openssl dgst -sha256" prints its hex digits. To join without it, pass --unsafe-skip-ca-verification.',
  message: 'The CA hash of {server} is missing',
})

export const joinTokenMissing = defineError('JOIN_TOKEN_MISSING', 3, {
  cause: 'The node needs a certificate ({reason}), and no token is given with which to request one.',
  fix: (p: {options: string}) =>
    `${NEW_TOKEN.replace(/\.$/, '')}${p.options === '' ? '' : `, together with ${p.options}`}.`,
  message: 'No token is given to join {server}',
})

export const joinTokenFile = defineError('JOIN_TOKEN_FILE', 3, {
  cause: '{reason}',
  fix: '{advice}',
  message: 'No token can be read from {path}',
})

export const joinServerUnreachable = defineTransientError('JOIN_SERVER_UNREACHABLE', 3, {
  cause: '{reason}',
  fix: 'Check that --server is the address of the API server, and that this host can reach it (routes, firewall, DNS, HTTPS_PROXY and NO_PROXY).',
  message: 'The API server {server} cannot be reached',
})

export const joinNoClusterInfo = defineTransientError('JOIN_NO_CLUSTER_INFO', 3, {
  cause:
    '{reason} A cluster that kubeadm created lets everybody read the ConfigMap kube-public/cluster-info; in others it is missing, or anonymous access is off.',
  fix: `Check that --server is the address of a Kubernetes API server. If the cluster has no cluster-info, it cannot be joined with a token. ${NO_TOKEN_JOIN}`,
  message: '{server} has no readable cluster-info',
})

export const joinTokenUnsigned = defineTransientError('JOIN_TOKEN_UNSIGNED', 3, {
  cause:
    'Its cluster-info had no signature of this token within {waited}. The token has expired, was deleted, belongs to another cluster, or has no usage-bootstrap-signing.',
  fix: NEW_TOKEN,
  message: 'The cluster of {server} does not know the token {id}',
})

export const joinTokenWrong = defineError('JOIN_TOKEN_WRONG', 3, {
  cause: "The token's secret is wrong, or {server} is another cluster (the signature of cluster-info does not match).",
  fix: `Check the token and --server. ${NEW_TOKEN}`,
  message: 'The token {id} is not valid for the cluster of {server}',
})

export const joinCAMismatch = defineError('JOIN_CA_MISMATCH', 3, {
  cause:
    'The public keys in its cluster-info have other hashes: {found}. Either --ca-cert-hash is of another cluster, or something between this host and the cluster replaces its CA.',
  fix: 'Get the hash again on the control plane, over a way that you trust: "k8s-win token create" and "kubeadm token create --print-join-command" print it.',
  message: 'The CA of {server} does not match --ca-cert-hash',
})

export const joinServerUntrusted = defineError('JOIN_SERVER_UNTRUSTED', 3, {
  cause: '{reason}',
  fix: "Check that the address is in the server's certificate (kubeadm: apiServer.certSANs), that the clock of this host is correct, and that nothing between this host and the cluster intercepts TLS.",
  message: "The certificate of {server} is not valid for the cluster's own CA",
})

export const joinClusterInfoChanged = defineError('JOIN_CLUSTER_INFO_CHANGED', 3, {
  cause:
    'The second response, over a verified connection, differs from the first, unverified one. It was changed in between, or something between this host and the cluster changed the first.',
  fix: 'Run the same command again. If it fails again, check what is between this host and the cluster.',
  message: 'The cluster-info of {server} has changed',
})

export const joinClusterInfoInvalid = defineError('JOIN_CLUSTER_INFO_INVALID', 3, {
  cause: '{reason}',
  fix: 'Repair the ConfigMap kube-public/cluster-info of the cluster ("kubeadm init phase bootstrap-token" writes it), or pass a kubeconfig of the node to --kubeconfig.',
  message: 'The cluster-info of {server} cannot be used',
})

export const joinOtherServerUnreachable = defineTransientError('JOIN_OTHER_SERVER_UNREACHABLE', 3, {
  cause: '{given} responds, but its cluster-info names {server} for all nodes. {reason}',
  fix: "Check that this host can reach the cluster's controlPlaneEndpoint (DNS, routes, firewall), or correct the server in the ConfigMap kube-public/cluster-info.",
  message: 'The API server {server} of the cluster-info cannot be reached',
})

export const joinTokenRefused = defineTransientError('JOIN_TOKEN_REFUSED', 3, {
  cause:
    'It returned 401: the token has no usage-bootstrap-authentication, has just expired, or the API server runs without --enable-bootstrap-token-auth.',
  fix: NEW_TOKEN,
  message: '{server} rejects the token {id}',
})

export const joinTokenForbidden = defineError('JOIN_TOKEN_FORBIDDEN', 3, {
  cause:
    'system:bootstrap:{id} may not create CertificateSigningRequests: its groups are not bound to the ClusterRole system:node-bootstrapper.',
  fix: 'Create the token with the group that kubeadm binds ("k8s-win token create" does), or bind its group: "kubectl create clusterrolebinding kubeadm:kubelet-bootstrap --clusterrole=system:node-bootstrapper --group=system:bootstrappers:kubeadm:default-node-token".',
  message: 'The token {id} may not request a certificate from {server}',
})

export const joinOtherCluster = defineError('JOIN_OTHER_CLUSTER', 3, {
  cause: 'It is a kubeconfig of {found}, and the node is to join {server}.',
  fix: '{fix}',
  message: '{path} belongs to another cluster',
})

export const joinHashWrong = defineError('JOIN_CA_HASH_WRONG', 3, {
  cause: 'Its CA has the hash {found}, which was not given.',
  fix: 'Check --ca-cert-hash, or omit it: a node that has joined needs none. If the cluster was created again, run "k8s-win reset" first, then the same command again.',
  message: 'The CA in {path} does not match --ca-cert-hash',
})

export const csrDenied = defineError('CSR_DENIED', 6, {
  cause: '{reason}',
  fix: 'Ask an administrator why ("kubectl describe csr {name:word}"), delete it ("kubectl delete csr {name:word}"), and run the same command again.',
  message: 'The cluster denied the certificate of this node ({name})',
})

export const csrPending = defineTransientError('CSR_PENDING', 6, {
  cause:
    'No one approved the certificate of this node in time: the cluster has no approver for it, or its kube-controller-manager does not run.',
  fix: `Run "kubectl certificate approve {name:word}" with an administrator's kubeconfig, and the same command again. The kubelet makes a new request after a while: the newest one counts ("kubectl get csr").`,
  message: 'The certificate request {name} is still pending',
})
