// Kubeconfigs of the simulated cluster: that of a node, as kubeadm writes it, and the one with which new nodes begin.
import {createHmac} from 'node:crypto'
import {type ClientCertificate, CLUSTER_CA, NODE_CERTIFICATE} from './certificates.js'
import {isAtLeast} from '../versions.js'
import {signingTokens} from './bootstrap-tokens.js'
import type {ClusterInfo, ClusterState} from './state.js'

/** What client-go writes after `kind` up to 1.33; newer ones omit it (client-go tools/clientcmd/api/v1/types.go, omitzero). */
const preferencesIn = (version: string): string => (isAtLeast(version, '1.34') ? '' : 'preferences: {}\n')

export function makeKubeconfig(
  server: string,
  client: ClientCertificate = NODE_CERTIFICATE,
  version = 'v1.36.4',
): string {
  const base64 = (text: string): string => Buffer.from(text).toString('base64')
  const cluster = {'certificate-authority-data': base64(CLUSTER_CA), server}
  const user = {'client-certificate-data': base64(client.cert), 'client-key-data': base64(client.key)}
  return kubeconfigText(version, cluster, user)
}

type Fields = Readonly<Record<string, string>>

/** As clientcmd writes one cluster and one user, with the names that kubeadm and the kubelet give them. */
export function kubeconfigText(version: string, cluster: Fields, user: Fields): string {
  const lines = (fields: Fields): string =>
    Object.entries(fields)
      .map(([key, value]) => `    ${key}: ${value}\n`)
      .join('')
  return `apiVersion: v1
clusters:
- cluster:
${lines(cluster)}  name: default-cluster
contexts:
- context:
    cluster: default-cluster
    namespace: default
    user: default-auth
  name: default-context
current-context: default-context
kind: Config
${preferencesIn(version)}users:
- name: default-auth
  user:
${lines(user)}`
}

export const CLUSTER_INFO = {name: 'cluster-info', namespace: 'kube-public'} as const

/**
 * The ConfigMap kube-public/cluster-info: how new nodes find the cluster. kubeadm writes its kubeconfig
 * (cmd/kubeadm/app/phases/bootstraptoken/clusterinfo), and the bootstrap signer signs that with every token
 * (pkg/controller/bootstrap/bootstrapsigner.go; cluster-bootstrap/token/jws). Undefined where the cluster has none.
 */
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
