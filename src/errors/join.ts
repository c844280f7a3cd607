// Joining a cluster with a bootstrap token: the options (exit 2), the cluster's answers (exit 3), and its approval (exit 6).
// The id of a token may be shown; its secret is in no parameter.
import {defineError} from './define.js'
import {pasted} from './pasted.js'

const NEW_TOKEN =
  'Create a new token with "k8s-win token create" and an administrator\'s kubeconfig, or with "kubeadm token create" on the control plane, and pass it to --token-file.'
const NO_TOKEN_JOIN = 'Pass a kubeconfig of the node to --kubeconfig instead.'

export const joinServerMissing = defineError<{options: string}>('JOIN_SERVER_MISSING', 2, {
  cause: 'The cluster to join is not known: --server is not given, and no earlier setup stored it.',
  fix: 'Pass --server https://<host>:<port>, as "kubeadm token create --print-join-command" prints it, or remove the other options.',
  message: (p) => `${p.options} given without --server`,
})

export const joinHashMissing = defineError<{server: string}>('JOIN_CA_HASH_MISSING', 2, {
  cause:
    'Without the hash of the CA, whoever knows the token can pretend to be the cluster, and would control this host.',
  fix: 'Pass --ca-cert-hash sha256:<hex>: "k8s-win token create" and "kubeadm token create --print-join-command" print it. On the control plane, "openssl x509 -pubkey -noout -in /etc/kubernetes/pki/ca.crt | openssl pkey -pubin -outform der | openssl dgst -sha256" prints its hex digits. To join without it, pass --unsafe-skip-ca-verification.',
  message: (p) => `The CA hash of ${p.server} is missing`,
})

export const joinTokenMissing = defineError<{options: string; reason: string; server: string}>(
  'JOIN_TOKEN_MISSING',
  3,
  {
    cause: (p) => `The node needs a certificate (${p.reason}), and no token is given with which to request one.`,
    fix: (p) => `${NEW_TOKEN.replace(/\.$/, '')}${p.options === '' ? '' : `, together with ${p.options}`}.`,
    message: (p) => `No token is given to join ${p.server}`,
  },
)

export const joinTokenFile = defineError<{advice: string; path: string; reason: string}>('JOIN_TOKEN_FILE', 3, {
  cause: (p) => p.reason,
  fix: (p) => p.advice,
  message: (p) => `No token can be read from ${p.path}`,
})

export const joinServerUnreachable = defineError<{reason: string; server: string}>('JOIN_SERVER_UNREACHABLE', 3, {
  cause: (p) => p.reason,
  fix: 'Check that --server is the address of the API server, and that this host can reach it (routes, firewall, DNS, HTTPS_PROXY and NO_PROXY).',
  message: (p) => `The API server ${p.server} cannot be reached`,
})

export const joinNoClusterInfo = defineError<{reason: string; server: string}>('JOIN_NO_CLUSTER_INFO', 3, {
  cause: (p) =>
    `${p.reason} A cluster that kubeadm created lets everybody read the ConfigMap kube-public/cluster-info; in others it is missing, or anonymous access is off.`,
  fix: `Check that --server is the address of a Kubernetes API server. If the cluster has no cluster-info, it cannot be joined with a token. ${NO_TOKEN_JOIN}`,
  message: (p) => `${p.server} has no readable cluster-info`,
})

export const joinTokenUnsigned = defineError<{id: string; server: string; waited: string}>('JOIN_TOKEN_UNSIGNED', 3, {
  cause: (p) =>
    `Its cluster-info had no signature of this token within ${p.waited}. The token has expired, was deleted, belongs to another cluster, or has no usage-bootstrap-signing.`,
  fix: NEW_TOKEN,
  message: (p) => `The cluster of ${p.server} does not know the token ${p.id}`,
})

export const joinTokenWrong = defineError<{id: string; server: string}>('JOIN_TOKEN_WRONG', 3, {
  cause:
    'The signature of its cluster-info does not match the token: the part after the dot is wrong, or the server is not the cluster that the token is for.',
  fix: `Check the token and --server. ${NEW_TOKEN}`,
  message: (p) => `${p.server} does not prove that it knows the token ${p.id}`,
})

export const joinCAMismatch = defineError<{found: string; server: string}>('JOIN_CA_MISMATCH', 3, {
  cause: (p) =>
    `The public keys in its cluster-info have other hashes: ${p.found}. Either --ca-cert-hash is of another cluster, or something between this host and the cluster replaces its CA.`,
  fix: 'Get the hash again on the control plane, over a way that you trust: "k8s-win token create" and "kubeadm token create --print-join-command" print it.',
  message: (p) => `The CA of ${p.server} does not match --ca-cert-hash`,
})

export const joinServerUntrusted = defineError<{reason: string; server: string}>('JOIN_SERVER_UNTRUSTED', 3, {
  cause: (p) => p.reason,
  fix: "Check that the address is in the server's certificate (kubeadm: apiServer.certSANs), that the clock of this host is correct, and that nothing between this host and the cluster intercepts TLS.",
  message: (p) => `The certificate of ${p.server} is not valid for the cluster's own CA`,
})

export const joinClusterInfoChanged = defineError<{server: string}>('JOIN_CLUSTER_INFO_CHANGED', 3, {
  cause:
    'The second response, over a verified connection, differs from the first, unverified one. It was changed in between, or something between this host and the cluster changed the first.',
  fix: 'Run the same command again. If it fails again, check what is between this host and the cluster.',
  message: (p) => `The cluster-info of ${p.server} has changed`,
})

export const joinClusterInfoInvalid = defineError<{reason: string; server: string}>('JOIN_CLUSTER_INFO_INVALID', 3, {
  cause: (p) => p.reason,
  fix: 'Repair the ConfigMap kube-public/cluster-info of the cluster ("kubeadm init phase bootstrap-token" writes it), or pass a kubeconfig of the node to --kubeconfig.',
  message: (p) => `The cluster-info of ${p.server} cannot be used`,
})

export const joinOtherServerUnreachable = defineError<{given: string; reason: string; server: string}>(
  'JOIN_OTHER_SERVER_UNREACHABLE',
  3,
  {
    cause: (p) => `${p.given} responds, but its cluster-info names ${p.server} for all nodes. ${p.reason}`,
    fix: "Check that this host can reach the cluster's controlPlaneEndpoint (DNS, routes, firewall), or correct the server in the ConfigMap kube-public/cluster-info.",
    message: (p) => `The API server ${p.server} of the cluster-info cannot be reached`,
  },
)

export const joinTokenRefused = defineError<{id: string; server: string}>('JOIN_TOKEN_REFUSED', 3, {
  cause:
    'It returned 401: the token has no usage-bootstrap-authentication, has just expired, or the API server runs without --enable-bootstrap-token-auth.',
  fix: NEW_TOKEN,
  message: (p) => `${p.server} rejects the token ${p.id}`,
})

export const joinTokenForbidden = defineError<{id: string; server: string}>('JOIN_TOKEN_FORBIDDEN', 3, {
  cause: (p) =>
    `system:bootstrap:${p.id} may not create CertificateSigningRequests: its groups are not bound to the ClusterRole system:node-bootstrapper.`,
  fix: 'Create the token with the group that kubeadm binds ("k8s-win token create" does), or bind its group: "kubectl create clusterrolebinding kubeadm:kubelet-bootstrap --clusterrole=system:node-bootstrapper --group=system:bootstrappers:kubeadm:default-node-token".',
  message: (p) => `The token ${p.id} may not request a certificate from ${p.server}`,
})

export const joinOtherCluster = defineError<{fix: string; found: string; path: string; server: string}>(
  'JOIN_OTHER_CLUSTER',
  3,
  {
    cause: (p) => `It is a kubeconfig of ${p.found}, and the node is to join ${p.server}.`,
    fix: (p) => p.fix,
    message: (p) => `${p.path} belongs to another cluster`,
  },
)

export const joinHashWrong = defineError<{found: string; path: string}>('JOIN_CA_HASH_WRONG', 3, {
  cause: (p) => `Its CA has the hash ${p.found}, which was not given.`,
  fix: 'Check --ca-cert-hash, or omit it: a node that has joined needs none. If the cluster was created again, run "k8s-win reset" first, then the same command again.',
  message: (p) => `The CA in ${p.path} does not match --ca-cert-hash`,
})

export const csrDenied = defineError<{name: string; reason: string}>('CSR_DENIED', 6, {
  cause: (p) => p.reason,
  fix: (p) =>
    `Ask an administrator why ("kubectl describe csr ${pasted(p.name)}"), delete it ("kubectl delete csr ${pasted(p.name)}"), and run the same command again.`,
  message: (p) => `The cluster denied the certificate of this node (${p.name})`,
})

export const csrPending = defineError<{name: string}>('CSR_PENDING', 6, {
  cause:
    'No one approved the certificate of this node in time: the cluster has no approver for it, or its kube-controller-manager does not run.',
  fix: (p) =>
    `Run "kubectl certificate approve ${pasted(p.name)}" with an administrator's kubeconfig, and the same command again. The kubelet makes a new request after a while: the newest one counts ("kubectl get csr").`,
  message: (p) => `The certificate request ${p.name} is still pending`,
})
