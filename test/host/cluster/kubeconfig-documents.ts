// Kubeconfigs to change one thing of, and our reading of them.
import {readKubeconfig} from '../../../src/host/cluster/kubeconfig.js'
import {CLUSTER_CA, NODE_CERTIFICATE} from '../../../src/simulator/cluster/certificates.js'

export type Entry = Record<string, unknown>
export const SERVER = 'https://10.0.0.1:6443'
export const SECRET = 'ey-very-secret'
export const base64 = (text: string): string => Buffer.from(text).toString('base64')
export const CA = {'certificate-authority-data': base64(CLUSTER_CA)}
export const NODE = {
  'client-certificate-data': base64(NODE_CERTIFICATE.cert),
  'client-key-data': base64(NODE_CERTIFICATE.key),
}

export const document = (
  cluster: unknown = {...CA, server: SERVER},
  user: unknown = NODE,
  more: Entry = {},
): Entry => ({
  apiVersion: 'v1',
  clusters: [{cluster, name: 'c'}],
  contexts: [{context: {cluster: 'c', user: 'u'}, name: 'x'}],
  'current-context': 'x',
  kind: 'Config',
  users: [{name: 'u', user}],
  ...more,
})

export function read(content: Buffer | string | Entry, beside: Record<string, string> = {}) {
  const bytes = typeof content === 'string' || Buffer.isBuffer(content) ? content : JSON.stringify(content)
  const readFile = async (path: string) => (path in beside ? Buffer.from(beside[path] ?? '') : undefined)
  return readKubeconfig(String.raw`D:\given\kubeconfig`, Buffer.from(bytes), readFile)
}
