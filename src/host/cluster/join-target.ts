// What a node must know of the cluster to join it: the API server's address, and pins of the cluster's authorities.
import {UnusableFileError} from '../../errors/k8s-win-error.js'
import {caCertHashes} from './ca-pins.js'
import {readAllEntries, textIn} from './kubeconfig-document.js'

export interface JoinTarget {
  /** Empty where no certificate authority is known. */
  readonly caCertHashes: readonly string[]
  /** "https://<host>:<port>" */
  readonly server: string
}

/** Where kubeadm publishes the cluster's address and authority for everyone (cmd/kubeadm/app/phases/bootstraptoken/clusterinfo). */
export const CLUSTER_INFO = {name: 'cluster-info', namespace: 'kube-public'} as const

/** Of the text in cluster-info, which has one cluster and no user. Undefined where a node could not join with it. */
export function targetInClusterInfo(kubeconfig: string): JoinTarget | undefined {
  const [cluster] = readAllEntries(Buffer.from(kubeconfig))?.clusters ?? []
  const server = serverOf(cluster === undefined ? undefined : textIn(cluster, 'server'))
  const authority = cluster === undefined ? undefined : textIn(cluster, 'certificate-authority-data')
  if (server === undefined || authority === undefined) return undefined
  try {
    return {caCertHashes: caCertHashes(Buffer.from(authority, 'base64').toString('utf8')), server}
  } catch (error) {
    if (error instanceof UnusableFileError) return undefined
    throw error
  }
}

/** Of a kubeconfig that was read. Undefined where its server has a path, or a name that a command line cannot have. */
export function targetInKubeconfig({ca, server}: {readonly ca?: string; readonly server: string}) {
  const plain = serverOf(server)
  return plain === undefined ? undefined : {caCertHashes: ca === undefined ? [] : caCertHashes(ca), server: plain}
}

/** It becomes part of a command line that users paste: only what a host name or an address has is let through. */
const HOST = /^(?:[\da-z](?:[\da-z.-]*[\da-z])?|\[[\d.:a-f]+\])$/

function serverOf(text: string | undefined): string | undefined {
  if (text === undefined || !URL.canParse(text)) return undefined
  const {hash, hostname, password, pathname, port, protocol, search, username} = new URL(text)
  const isPlain = pathname === '/' && [hash, password, search, username].every((part) => part === '')
  if (protocol !== 'https:' || !isPlain || !HOST.test(hostname)) return undefined
  return `https://${hostname}:${port || '443'}`
}
