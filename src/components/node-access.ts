// What lets kube-proxy and flanneld run with the node's own identity: objects of the Kubernetes API, pure data.
import {KUBE_PROXY_CONFIG} from '../host/cluster/kubeadm-config.js'
import type {ClusterObject} from './flannel-manifest.js'

/** With an administrator's kubeconfig, once per cluster. */
export const NODE_ACCESS_COMMAND = 'k8s-win manifest node-access | kubectl apply -f -'

/** Every node: the group of the certificates that the cluster issues to kubelets. */
const NODES = 'system:nodes'
/** The group of kubeadm's bootstrap tokens (cmd/kubeadm/app/constants, NodeBootstrapTokenAuthGroup). */
const BOOTSTRAPPERS = 'system:bootstrappers:kubeadm:default-node-token'
const RBAC = 'rbac.authorization.k8s.io'
const API_VERSION = `${RBAC}/v1`
const LABELS = {'app.kubernetes.io/name': 'k8s-win'} as const

/**
 * Names that no earlier advice of k8s-win used: a roleRef cannot be changed later, and applying would replace the subjects
 * of a binding with the same name.
 */
export const NODE_ACCESS_NAMES = {
  flannel: 'k8s-win-nodes-flannel',
  flannelConfig: 'k8s-win-nodes-flannel-config',
  kubeProxy: 'k8s-win-nodes-kube-proxy',
  kubeProxyConfig: 'k8s-win-nodes-kube-proxy-config',
} as const

/** The names in flannel's manifests since 0.19. */
const FLANNEL_CONFIG = {name: 'kube-flannel-cfg', namespace: 'kube-flannel'} as const

/** In the order they can be applied. */
export function nodeAccessObjects(): readonly ClusterObject[] {
  const {flannel, flannelConfig, kubeProxy, kubeProxyConfig} = NODE_ACCESS_NAMES
  return [
    // It exists in every cluster (plugin/pkg/auth/authorizer/rbac/bootstrappolicy/policy.go), with the rules of its release.
    binding('ClusterRoleBinding', {name: kubeProxy}, {kind: 'ClusterRole', name: 'system:node-proxier'}, NODES),
    {
      apiVersion: API_VERSION,
      kind: 'ClusterRole',
      metadata: {labels: LABELS, name: flannel},
      // Not the ClusterRole of flannel's own manifest: it can be absent, and it reads every pod, which flanneld does only
      // without NODE_NAME.
      rules: [
        {apiGroups: [''], resources: ['nodes'], verbs: ['get', 'list', 'watch']},
        // The admission plugin NodeRestriction limits it to the node's own object.
        {apiGroups: [''], resources: ['nodes/status'], verbs: ['patch']},
      ],
    },
    binding('ClusterRoleBinding', {name: flannel}, {kind: 'ClusterRole', name: flannel}, NODES),
    // A node that joins reads it with its token, before it has a certificate.
    ...reading(FLANNEL_CONFIG, flannelConfig, NODES, BOOTSTRAPPERS),
    // kubeadm lets only tokens read it (cmd/kubeadm/app/phases/addons/proxy). A join that is resumed has its certificate.
    ...reading(KUBE_PROXY_CONFIG, kubeProxyConfig, NODES),
  ]
}

function reading(
  {name, namespace}: {readonly name: string; readonly namespace: string},
  role: string,
  ...groups: readonly string[]
): ClusterObject[] {
  const rules = [{apiGroups: [''], resourceNames: [name], resources: ['configmaps'], verbs: ['get']}]
  return [
    {apiVersion: API_VERSION, kind: 'Role', metadata: {labels: LABELS, name: role, namespace}, rules},
    binding('RoleBinding', {name: role, namespace}, {kind: 'Role', name: role}, ...groups),
  ]
}

function binding(
  kind: 'ClusterRoleBinding' | 'RoleBinding',
  metadata: {readonly name: string; readonly namespace?: string},
  role: {readonly kind: string; readonly name: string},
  ...groups: readonly string[]
): ClusterObject {
  return {
    apiVersion: API_VERSION,
    kind,
    metadata: {labels: LABELS, ...metadata},
    roleRef: {apiGroup: RBAC, ...role},
    subjects: groups.map((name) => ({apiGroup: RBAC, kind: 'Group', name})),
  }
}
