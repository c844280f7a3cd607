// What to do about missing permissions. Never a binding of system:node, which opens every Secret of the cluster: a node
// has its rights from the Node authorizer, by its certificate.
import type {Identity} from '../config/model.js'
import {groupsOf, isBootstrapToken, userOf} from '../host/cluster/credential-validity.js'
import type {Kubeconfig} from '../host/cluster/kubeconfig.js'

/** ClusterRoles of kube-flannel.yml and of every API server. */
const ROLES = {flanneld: 'flannel', 'kube-proxy': 'system:node-proxier'}
const NODES = 'system:nodes'

export interface Advice {
  /** The rest is commands, one per line. */
  readonly fix: string
  /** It is a node's, and only the cluster's bindings are missing. */
  readonly isNodeAccess: boolean
}

export function adviseOn(identity: Identity, kubeconfig: Kubeconfig, node: string): Advice {
  const user = userOf(kubeconfig)
  const [, of] = /^system:node:(.*)$/.exec(user ?? '') ?? []
  const isNode = of !== undefined && groupsOf(kubeconfig).includes(NODES)
  if (isBootstrapToken(kubeconfig)) {
    return certificate(node, 'A bootstrap token is for requesting a certificate only.')
  }

  if (identity !== 'kubelet') {
    const subject = isNode ? `--group=${NODES}` : subjectOf(user)
    const fix = `Allow it, with an administrator's kubeconfig:\n${bindingOf(identity, subject)}`
    return {fix, isNodeAccess: isNode}
  }

  if (isNode && of === node) {
    const fix =
      "Start the cluster's kube-apiserver with --authorization-mode=Node,RBAC and --enable-admission-plugins=NodeRestriction, as kubeadm does: the Node authorizer gives a node its rights."
    return {fix, isNodeAccess: false}
  }

  const other = isNode ? `This is the certificate of the node ${of}: give --node-name ${of}, or` : ''
  return certificate(node, other)
}

/** As kubernetes.io, "Troubleshooting kubeadm", makes a node's certificate anew. */
function certificate(node: string, before: string): Advice {
  const give = before.endsWith(' or') ? 'give' : 'Give'
  const fix = [
    `${before} ${give} the kubelet a certificate of this node's own (O=${NODES}, CN=system:node:${node}), signed by the cluster's authority. On a control plane made by kubeadm:`.trim(),
    "kubectl -n kube-system get configmap kubeadm-config -o jsonpath='{.data.ClusterConfiguration}' > kubeadm.yaml",
    `kubeadm kubeconfig user --config=kubeadm.yaml --org=${NODES} --client-name=system:node:${node} > kubeconfig`,
  ].join('\n')
  return {fix, isNodeAccess: false}
}

const bindingOf = (identity: keyof typeof ROLES, subject: string): string =>
  `kubectl create clusterrolebinding k8s-win-${identity} --clusterrole=${ROLES[identity]} ${subject}`

function subjectOf(user: string | undefined): string {
  const [, account] = /^system:serviceaccount:(.+)$/.exec(user ?? '') ?? []
  if (account !== undefined) return `--serviceaccount=${account}`
  if (user === undefined) return '--user=<its name in the cluster>'
  return /^[\w.:@-]+$/.test(user) ? `--user=${user}` : `"--user=${user}"`
}
