// The kubeconfig of a fresh host, as kubeadm writes it for a node.
import {type ClientCertificate, CLUSTER_CA, NODE_CERTIFICATE} from './certificates.js'
import {isAtLeast} from '../versions.js'

/** What client-go writes after `kind` up to 1.33; newer ones omit it (client-go tools/clientcmd/api/v1/types.go, omitzero). */
export const preferencesIn = (version: string): string => (isAtLeast(version, '1.34') ? '' : 'preferences: {}\n')

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
