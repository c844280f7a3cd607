// What to do where the cluster denies a daemon what it needs: by whose identity the daemon has.
import type {Identity} from '../config/model.js'
import {nodeAccessMissing, permissionsMissing} from '../errors/cluster.js'
import {pasted} from '../errors/define.js'
import type {K8sWinError} from '../errors/k8s-win-error.js'
import {groupsOf, isBootstrapToken, userOf} from '../host/cluster/credential-validity.js'
import type {Kubeconfig} from '../host/cluster/kubeconfig.js'
import {NODE_ACCESS_COMMAND} from './node-access.js'
import {type Permission, permissionsText} from './permissions.js'

export const DAEMON_NAMES: Readonly<Record<Identity, string>> = {
  flanneld: 'flanneld',
  'kube-proxy': 'kube-proxy',
  kubelet: 'The kubelet',
}

/** `lacking`: what the API server denies it. */
export function refusal(
  identity: Identity,
  kubeconfig: Kubeconfig,
  node: string,
  lacking: readonly Permission[],
): K8sWinError {
  const {fix, isNodeAccess} = adviseOn(identity, kubeconfig, node)
  const user = userOf(kubeconfig) ?? "the kubeconfig's user"
  const details = {fix, missing: permissionsText(lacking), user, who: DAEMON_NAMES[identity]}
  return isNodeAccess ? nodeAccessMissing(details) : permissionsMissing(details)
}

/** ClusterRoles of kube-flannel.yml and of every API server. */
const ROLES = {flanneld: 'flannel', 'kube-proxy': 'system:node-proxier'}
const NODES = 'system:nodes'

export const isNode = (kubeconfig: Kubeconfig): boolean =>
  /^system:node:/.test(userOf(kubeconfig) ?? '') && groupsOf(kubeconfig).includes(NODES)

export interface Advice {
  /** The lines after the first are commands. */
  readonly fix: string
  /** The identity is a node's, and only bindings are missing in the cluster. */
  readonly isNodeAccess: boolean
}

/** The same for both daemons: one command grants what either needs. */
const NODE_ACCESS: Advice = {
  fix: `Grant them to all nodes, once per cluster, with an administrator's kubeconfig:\n${NODE_ACCESS_COMMAND}`,
  isNodeAccess: true,
}

export function adviseOn(identity: Identity, kubeconfig: Kubeconfig, node: string): Advice {
  const user = userOf(kubeconfig)
  const [, of] = /^system:node:(.*)$/.exec(user ?? '') ?? []
  if (isBootstrapToken(kubeconfig)) {
    return certificate(node, 'A bootstrap token can only request a certificate.')
  }

  if (identity !== 'kubelet') {
    if (isNode(kubeconfig)) return NODE_ACCESS
    const fix = `Grant them with an administrator's kubeconfig:\n${bindingOf(identity, subjectOf(user))}`
    return {fix, isNodeAccess: false}
  }

  if (isNode(kubeconfig) && of === node) {
    const fix =
      "Start the cluster's kube-apiserver with --authorization-mode=Node,RBAC and --enable-admission-plugins=NodeRestriction, as kubeadm does: the Node authorizer grants a node its permissions."
    return {fix, isNodeAccess: false}
  }

  const other = isNode(kubeconfig)
    ? `This is the certificate of the node ${of}: pass --node-name ${pasted(of ?? '')}, or`
    : ''
  return certificate(node, other)
}

/** As in "Troubleshooting kubeadm" on kubernetes.io. */
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
  if (account !== undefined) return `--serviceaccount=${pasted(account)}`
  return user === undefined ? '--user=<its name in the cluster>' : `--user=${pasted(user)}`
}
