// What is reported of kubeconfigs, and which secrets are known from them.
import {describe, expect, it} from 'vitest'
import {outlines, secretsOfNode} from '../../src/bundle/kubeconfigs.js'
import {NODE_CERTIFICATE} from '../../src/simulator/cluster/certificates.js'
import {memoryFiles} from '../fakes/memory-files.js'
import {HostFolder} from '../steps/host-folder.js'
import {rigOf} from './collector-rig.js'

const PATH = String.raw`C:\k\kubeconfig`

const kubeconfig = (user: object, cluster: object = {}): string =>
  JSON.stringify({
    apiVersion: 'v1',
    clusters: [{cluster: {server: 'https://bob:pass%20word@10.0.0.10:6443', ...cluster}, name: 'c'}],
    contexts: [{context: {cluster: 'c', user: 'u'}, name: 'x'}],
    'current-context': 'x',
    kind: 'Config',
    users: [{name: 'u', user}],
  })

async function outline(files: Record<string, string>): Promise<unknown> {
  const host = HostFolder.empty()
  const context = await rigOf(host)
  // What is in memory only cannot be judged on the drive.
  const trust = {...context.host.trust, problem: () => Promise.resolve(undefined), demand: () => Promise.resolve(true)}
  const found = await outlines({...context, host: {...context.host, files: memoryFiles(files), trust}})
  host.discard()
  return found[PATH]
}

describe('the outline of a kubeconfig', () => {
  it.each<[string, object, readonly string[]]>([
    ['a token', {token: 'secret-token'}, ['token']],
    ['a token in a file', {tokenFile: 'token'}, ['token file']],
    ['a plugin', {exec: {apiVersion: 'client.authentication.k8s.io/v1', command: 'aws'}}, ['exec plugin']],
    ['a name and password', {password: 'secret', username: 'bob'}, ['name and password']],
    ['nothing', {}, []],
  ])('names the kind of a user with %s', async (_, user, kinds) => {
    const told = await outline({[PATH]: kubeconfig(user)})
    expect(told).toMatchObject({cluster: {server: 'https://10.0.0.10:6443/'}, user: {kinds, name: 'u'}})
    expect(JSON.stringify(told)).not.toMatch(/secret|pass.{1,3}word/)
  })

  it('reports whose a certificate is, also one in a file beside it', async () => {
    const user = {'client-certificate': 'node.crt', 'client-key': 'node.key'}
    const told = await outline({[String.raw`C:\k\node.crt`]: NODE_CERTIFICATE.cert, [PATH]: kubeconfig(user)})
    expect(told).toMatchObject({user: {certificate: {subject: 'O=system:nodes, CN=system:node:win-1'}}})
  })

  it('reports what is wrong', async () => {
    expect(await outline({[PATH]: 'token: [x'})).toEqual({problem: 'it is not YAML: line 1'})
    const broken = await outline({[PATH]: kubeconfig({'client-certificate-data': 'aGVsbG8='})})
    expect(broken).toMatchObject({user: {certificate: {problem: 'it is not a PEM certificate'}}})
    const missing = await outline({[PATH]: kubeconfig({'client-certificate': 'none.crt'})})
    expect(missing).toMatchObject({user: {certificate: {problem: String.raw`C:\k\none.crt does not exist`}}})
    expect(await outline({})).toBeUndefined()
  })
})

describe('the secrets of a node', () => {
  it('are all that its kubeconfigs hold, or name', async () => {
    const user = {
      'auth-provider': {config: {'refresh-token': 'refresh-secret'}, name: 'oidc'},
      'client-key-data': Buffer.from(NODE_CERTIFICATE.key).toString('base64'),
      exec: {command: 'x', env: [{name: 'CLIENT', value: 'exec-secret'}]},
      password: 'plain-secret',
      tokenFile: 'token',
    }
    const files = memoryFiles({
      [String.raw`C:\k\token`]: 'file-secret\n',
      [String.raw`C:\k\flanneld.kubeconfig`]: kubeconfig({token: 'flannel-secret'}),
      [PATH]: kubeconfig(user, {'proxy-url': 'http://joe:proxy-secret@p:3128'}),
    })
    expect(await secretsOfNode(files, String.raw`C:\k`)).toEqual(
      expect.arrayContaining([
        'refresh-secret',
        'exec-secret',
        'plain-secret',
        'file-secret',
        'flannel-secret',
        'proxy-secret',
        'pass word',
        'pass%20word',
        NODE_CERTIFICATE.key.trim(),
        user['client-key-data'],
      ]),
    )
  })

  it('are none where there is nothing to read', async () => {
    expect(await secretsOfNode(memoryFiles({[PATH]: ': no'}), String.raw`C:\k`)).toEqual([])
  })
})
