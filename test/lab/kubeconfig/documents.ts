// What the kubeconfigs of this suite are made of. "SERVER" in them is the loopback cluster's address.
import {NODE_CERTIFICATE} from '../../../src/simulator/cluster/certificates.js'
import {pem, TOKEN} from '../../host/cluster/loopback-cluster.js'

const base64 = (text: string): string => Buffer.from(text).toString('base64')

export const CA_DATA = base64(pem('ca.pem'))
export const CERT_DATA = base64(NODE_CERTIFICATE.cert)
export const KEY_DATA = base64(NODE_CERTIFICATE.key)

/** Files that may lie beside a kubeconfig. */
export const FILES = {
  'node.crt': NODE_CERTIFICATE.cert,
  'node.key': NODE_CERTIFICATE.key,
  'pki/ca.crt': pem('ca.pem'),
  token: `${TOKEN}\n`,
} as const

export const CERTIFICATE = `client-certificate-data: ${CERT_DATA}\n    client-key-data: ${KEY_DATA}`

export interface Parts {
  readonly cluster?: string
  readonly context?: string
  readonly head?: string
  readonly more?: string
  readonly user?: string
}

/** As kubeadm writes it, with something in place of this or that part. */
export function yaml({
  cluster = `certificate-authority-data: ${CA_DATA}\n    server: SERVER`,
  context = 'cluster: loopback\n    user: node',
  head = 'apiVersion: v1\nkind: Config\ncurrent-context: node@loopback',
  more = '',
  user = `token: ${TOKEN}`,
}: Parts = {}): string {
  return `${head}
clusters:
- name: loopback
  cluster:
    ${cluster}
contexts:
- name: node@loopback
  context:
    ${context}
users:
- name: node
  user:
    ${user}
${more}`
}

/** With more in the cluster that is there. */
export const withCluster = (lines: string): string =>
  yaml({cluster: `certificate-authority-data: ${CA_DATA}\n    server: SERVER\n    ${lines}`})
