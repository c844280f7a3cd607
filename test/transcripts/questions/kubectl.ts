// What kubectl is asked for recordings, and the kubeconfigs it is asked about.
import {CLUSTER_CA} from '../../../src/simulator/cluster/certificates.js'

/** In place of a name: a command that makes a kubeconfig; nothing of k8s-win reads what it prints. */
export const UNRECORDED = ''
const SERVER = '--server=https://10.0.0.10:6443'
/** Files beside the kubeconfigs. The certificate is the simulator's, made for everybody to see. */
export const KUBECTL_FILES = {
  empty: '',
  'bad-base64': config({ca: 'certificate-authority-data: "%%%"'}),
  'ca.crt': CLUSTER_CA,
  exec: config({
    user: 'exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: login.exe, args: [token], env: [{name: A, value: b}]}',
  }),
  made: config({}),
  'no-context': config({current: 'nowhere'}),
  'no-file': config({ca: 'certificate-authority: gone.crt'}),
  'no-yaml': 'apiVersion: v1\nkind: Config\n  clusters: [\n',
  'other-kind': 'apiVersion: v1\nkind: Pod\nmetadata: {name: x}\n',
  'unknown-field': `${config({})}nonsense: true\n`,
}

function config({
  ca = `certificate-authority-data: ${Buffer.from(CLUSTER_CA).toString('base64')}`,
  current = 'node@lab',
  user = 'token: not-a-token',
}): string {
  return `apiVersion: v1
kind: Config
current-context: ${current}
clusters: [{name: lab, cluster: {server: "https://10.0.0.10:6443", ${ca}}}]
contexts: [{name: node@lab, context: {cluster: lab, user: node}}]
users: [{name: node, user: {${user}}}]
`
}

/**
 * In this order: each works on what the one before it left. There is no `set-credentials` among them: Debian's build
 * ends in a panic there (an old reflect2 with Go 1.19).
 */
export const KUBECTL_COMMANDS: readonly (readonly [name: string, file: string, ...args: string[]])[] = [
  ['view-missing', 'missing', 'view'],
  ['view-empty', 'empty', 'view'],
  [UNRECORDED, 'made', 'set-cluster', 'lab', SERVER, '--certificate-authority=ca.crt', '--embed-certs=true'],
  [UNRECORDED, 'made', 'set-cluster', 'lab', SERVER, '--tls-server-name=kubernetes'],
  [UNRECORDED, 'made', 'set-cluster', 'other', SERVER, '--insecure-skip-tls-verify=true'],
  [UNRECORDED, 'made', 'set-context', 'new', '--cluster=lab', '--user=node', '--namespace=kube-system'],
  [UNRECORDED, 'made', 'use-context', 'new'],
  ['view', 'made', 'view'],
  ['view-raw', 'made', 'view', '--raw'],
  ['view-json', 'made', 'view', '-o', 'json'],
  ['view-flat', 'made', 'view', '--raw', '--flatten', '--minify', '-o', 'json'],
  ['view-exec', 'exec', 'view', '--raw'],
  ['view-bad-base64', 'bad-base64', 'view', '--raw'],
  ['view-no-context', 'no-context', 'view', '--minify'],
  ['view-no-such-file', 'no-file', 'view', '--flatten'],
  ['view-no-yaml', 'no-yaml', 'view'],
  ['view-other-kind', 'other-kind', 'view'],
  ['view-unknown-field', 'unknown-field', 'view', '--raw'],
]
