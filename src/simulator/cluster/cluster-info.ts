// The ConfigMap kube-public/cluster-info: how new nodes find the cluster. kubeadm writes its kubeconfig
// (cmd/kubeadm/app/phases/bootstraptoken/clusterinfo), and the bootstrap signer signs that with every token
// (pkg/controller/bootstrap/bootstrapsigner.go; cluster-bootstrap/token/jws).
import {createHmac} from 'node:crypto'

import {signingTokens} from './bootstrap-tokens.js'
import {CLUSTER_CA} from './certificates.js'
import {preferencesIn} from './kubeconfig.js'
import type {ClusterInfo, ClusterState} from './state.js'

export const CLUSTER_INFO = {name: 'cluster-info', namespace: 'kube-public'} as const

/** Undefined where the cluster has none. */
export function clusterInfo(
  cluster: ClusterState,
  now: number,
  isUnverified = false,
): ClusterState['configMaps'][number] | undefined {
  const {clusterInfo: given = {}} = cluster
  if (given === 'absent') return undefined
  const said = isUnverified ? {...given, ...given.unverified} : given
  const kubeconfig = said.kubeconfig ?? kubeconfigOf(cluster, said)
  const data: Record<string, string> = {}
  for (const {id, secret} of signingTokens(cluster, now)) data[keyOf(id)] = signatureOf(kubeconfig, id, secret)
  for (const [id, signature] of Object.entries(said.signatures ?? {})) data[keyOf(id)] = signature
  return {...CLUSTER_INFO, data: {...data, kubeconfig}}
}

const keyOf = (id: string): string => `jws-kubeconfig-${id}`

/** As clientcmd writes it: a cluster without a name, and nothing else. */
function kubeconfigOf({serverURL, version}: ClusterState, {ca = CLUSTER_CA, server = serverURL}: ClusterInfo): string {
  return `apiVersion: v1
clusters:
- cluster:
    certificate-authority-data: ${Buffer.from(ca).toString('base64')}
    server: ${server}
  name: ""
contexts: null
current-context: ""
kind: Config
${preferencesIn(version)}users: null
`
}

/** ComputeDetachedSignature: RFC 7515, appendix F. */
export function signatureOf(content: string, id: string, secret: string): string {
  const base64 = (text: string): string => Buffer.from(text).toString('base64url')
  const header = base64(JSON.stringify({alg: 'HS256', kid: id}))
  const mac = createHmac('sha256', secret)
    .update(`${header}.${base64(content)}`)
    .digest('base64url')
  return `${header}..${mac}`
}
