// What a node must know of the cluster to join it: the API server's address, and pins of the cluster's authorities.
import {server as parseServer} from '../../config/options/parse-join.js'
import {clusterOf} from './cluster-info.js'
import {pinnedKeysIn} from './public-key-pin.js'

export interface JoinTarget {
  /** sha256:<hex>; empty where no certificate authority is known. */
  readonly caCertHashes: readonly string[]
  /** As `setup --server` takes it: https://<host>:<port>. */
  readonly server: string
}

/** Where kubeadm publishes the cluster's address and authority (cmd/kubeadm/app/phases/bootstraptoken/clusterinfo). */
export const CLUSTER_INFO = {name: 'cluster-info', namespace: 'kube-public'} as const

/** Of the text in cluster-info. Undefined where a node could not join with it. */
export function targetInClusterInfo(kubeconfig: string): JoinTarget | undefined {
  const cluster = clusterOf(kubeconfig)
  return cluster && targetInKubeconfig(cluster)
}

/** Of a kubeconfig that was read. Undefined where `setup --server` would refuse its server: a path, IPv6. */
export function targetInKubeconfig(kubeconfig: {
  readonly ca?: string
  readonly server: string
}): JoinTarget | undefined {
  const {ca = '', server: text} = kubeconfig
  const {hash, host, password, pathname, port, search, username} = new URL(text)
  const isPlain = pathname === '/' && [hash, password, search, username].every((part) => part === '')
  // It becomes part of a command line that users paste: the parser lets through only what a name or an address has.
  const parsed = isPlain ? parseServer(`https://${port === '' ? `${host}:443` : host}`) : undefined
  if (parsed === undefined || !('value' in parsed)) return undefined
  return {caCertHashes: [...new Set(pinnedKeysIn(ca).map((key) => key.hash))], server: parsed.value}
}
