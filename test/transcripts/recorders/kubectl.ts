// Debian's kubectl: the kubeconfigs it writes, how it shows them, and what it refuses.
import {mkdtemp, rm, writeFile} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import path from 'node:path'
import {candidateVersion} from '../../lab/debian-packages.js'
import {openKubectl} from '../../lab/kubeconfig/kubectl.js'
import {CLUSTER_CA} from '../../../src/simulator/cluster/certificates.js'
import {type Heard, saveGroup} from '../sink.js'

const SERVER = '--server=https://10.0.0.10:6443'
/** Files beside the kubeconfigs. The certificate is the simulator's, made for everybody to see. */
const FILES = {
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
const COMMANDS: readonly (readonly [name: string, file: string, ...args: string[]])[] = [
  ['view-missing', 'missing', 'view'],
  ['view-empty', 'empty', 'view'],
  ['set-cluster', 'made', 'set-cluster', 'lab', SERVER, '--certificate-authority=ca.crt', '--embed-certs=true'],
  ['set-cluster-again', 'made', 'set-cluster', 'lab', SERVER, '--tls-server-name=kubernetes'],
  ['set-cluster-other', 'made', 'set-cluster', 'other', SERVER, '--insecure-skip-tls-verify=true'],
  ['set-context', 'made', 'set-context', 'new', '--cluster=lab', '--user=node', '--namespace=kube-system'],
  ['use-context', 'made', 'use-context', 'new'],
  ['use-context-missing', 'made', 'use-context', 'nowhere'],
  ['current-context', 'made', 'current-context'],
  ['current-context-none', 'empty', 'current-context'],
  ['get-contexts', 'made', 'get-contexts'],
  ['get-clusters', 'made', 'get-clusters'],
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

export async function recordKubectl(): Promise<number> {
  const folder = await mkdtemp(path.join(tmpdir(), 'k8s-win-kubeconfig-'))
  const heard: Heard[] = []
  try {
    for (const [name, content] of Object.entries(FILES)) await writeFile(path.join(folder, name), content)
    const kubectl = await openKubectl(path.join(folder, 'home'))
    for (const [name, file, ...rest] of COMMANDS) {
      const args = rest.map((arg) => arg.replace('=ca.crt', `=${path.join(folder, 'ca.crt')}`))
      const full = ['config', ...args, '--kubeconfig', path.join(folder, file)]
      const {code, stderr, stdout} = await kubectl(full)
      heard.push({
        asked: ['kubectl', ...full].join(' '),
        exitCode: code,
        name,
        parts: {err: Buffer.from(stderr), out: Buffer.from(stdout)},
      })
    }
  } finally {
    await rm(folder, {force: true, recursive: true})
  }

  await saveGroup(
    {
      name: 'kubectl',
      program: 'kubectl 1.20.2',
      replacements: [
        {
          by: '/lab',
          pattern: new RegExp(folder.replaceAll('.', String.raw`\.`), 'g'),
          told: 'the folder of the kubeconfigs: /lab',
        },
      ],
      source: `Debian 12, package kubernetes-client ${await candidateVersion('kubernetes-client')}`,
    },
    heard,
  )
  return heard.length
}
