// Kubeconfigs, good and odd: read as kubectl reads them, told in a sentence where they cannot be used.
import {describe, expect, it} from 'vitest'
import {parse, stringify} from 'yaml'

import {isClusterAdministrator, readKubeconfig} from '../../src/host/kubeconfig.js'
import {ADMIN_CERTIFICATE, CLUSTER_CA, NODE_CERTIFICATE} from '../../src/simulator/cluster/certificates.js'

type Entry = Record<string, unknown>
const SERVER = 'https://10.0.0.1:6443'
const SECRET = 'ey-very-secret'
const base64 = (text: string): string => Buffer.from(text).toString('base64')
const CA = {'certificate-authority-data': base64(CLUSTER_CA)}
const NODE = {'client-certificate-data': base64(NODE_CERTIFICATE.cert), 'client-key-data': base64(NODE_CERTIFICATE.key)}

const document = (cluster: unknown = {...CA, server: SERVER}, user: unknown = NODE, more: Entry = {}): Entry => ({
  apiVersion: 'v1',
  clusters: [{cluster, name: 'c'}],
  contexts: [{context: {cluster: 'c', user: 'u'}, name: 'x'}],
  'current-context': 'x',
  kind: 'Config',
  users: [{name: 'u', user}],
  ...more,
})

function read(content: Buffer | string | Entry, beside: Record<string, string> = {}) {
  const bytes = typeof content === 'string' || Buffer.isBuffer(content) ? content : stringify(content)
  const readFile = async (path: string) => (path in beside ? Buffer.from(beside[path] ?? '') : undefined)
  return readKubeconfig(String.raw`D:\given\kubeconfig`, Buffer.from(bytes), readFile)
}

const withCertificate = {ca: CLUSTER_CA, cert: NODE_CERTIFICATE.cert, key: NODE_CERTIFICATE.key}

describe('a good kubeconfig', () => {
  it('has everything inside', async () => {
    const {whole: _, ...config} = await read(document())
    expect(config).toEqual({ca: CLUSTER_CA, certificate: NODE_CERTIFICATE.cert, server: SERVER, tls: withCertificate})
  })

  it('is JSON, or has a mark at its beginning, or Windows line ends', async () => {
    for (const text of [
      JSON.stringify(document()),
      `\uFEFF${stringify(document())}`,
      stringify(document()).replaceAll('\n', '\r\n'),
    ]) {
      expect((await read(text)).tls).toEqual(withCertificate)
    }
  })

  it('means its current context, not the first', async () => {
    const two = document(undefined, undefined, {
      clusters: [
        {cluster: {server: 'https://first'}, name: 'first'},
        {cluster: {server: 'https://second'}, name: 'second'},
      ],
      contexts: [
        {context: {cluster: 'first', user: 'u'}, name: 'a'},
        {context: {cluster: 'second', user: 'v'}, name: 'b'},
      ],
      'current-context': 'b',
      users: [
        {name: 'u', user: {token: 'of u'}},
        {name: 'v', user: {token: 'of v'}},
      ],
    })
    expect(await read(two)).toMatchObject({server: 'https://second', token: 'of v'})
  })

  it('names files beside it, or by their whole path', async () => {
    const cluster = {'certificate-authority': 'pki/ca.crt', server: SERVER}
    const user = {'client-certificate': String.raw`C:\pki\node.crt`, 'client-key': String.raw`..\node.key`}
    const config = await read(document(cluster, user), {
      [String.raw`C:\pki\node.crt`]: NODE_CERTIFICATE.cert,
      [String.raw`D:\given\pki\ca.crt`]: CLUSTER_CA,
      [String.raw`D:\node.key`]: NODE_CERTIFICATE.key,
    })
    expect(config.tls).toEqual(withCertificate)
  })

  it('has data that wins over a file of the same', async () => {
    expect((await read(document({...CA, 'certificate-authority': 'ca.crt', server: SERVER}))).ca).toBe(CLUSTER_CA)
  })

  it('has a token, or one in a file, which wins', async () => {
    expect((await read(document(undefined, {token: 'one'}))).token).toBe('one')
    const user = {token: 'one', tokenFile: 'token'}
    expect((await read(document(undefined, user), {[String.raw`D:\given\token`]: 'two\r\n'})).token).toBe('two')
  })

  it('has a plugin', async () => {
    const exec = {args: ['get-token'], command: String.raw`C:\bin\p.exe`, env: [{name: 'A', value: 'b'}]}
    expect((await read(document(undefined, {exec}))).exec).toEqual({...exec, env: {A: 'b'}})
    expect((await read(document(undefined, {exec: {command: 'p', env: null}}))).exec).toEqual({
      args: [],
      command: 'p',
      env: {},
    })
  })

  it('has no user, and a server with a path, another name, or a slash too many', async () => {
    const config = await read(document({server: `${SERVER}/k8s/clusters/c-1//`, 'tls-server-name': 'kubernetes'}, null))
    expect(config).toMatchObject({server: `${SERVER}/k8s/clusters/c-1`, tls: {serverName: 'kubernetes'}})
    expect(config).not.toHaveProperty('token')
  })

  it('gives the same when the whole of it is read again, elsewhere and with no file beside it', async () => {
    const cluster = {'certificate-authority': 'ca.crt', server: SERVER, 'tls-server-name': 'kubernetes'}
    const users = [
      {'client-certificate': 'node.crt', 'client-key': 'node.key'},
      {tokenFile: 'token'},
      {exec: {args: ['x'], command: 'p'}},
      NODE,
    ]
    for (const user of users) {
      const first = await read(document(cluster, user), {
        [String.raw`D:\given\ca.crt`]: CLUSTER_CA,
        [String.raw`D:\given\node.crt`]: NODE_CERTIFICATE.cert,
        [String.raw`D:\given\node.key`]: NODE_CERTIFICATE.key,
        [String.raw`D:\given\token`]: 'two',
      })
      expect(await read(first.whole)).toEqual(first)
      expect(parse(first.whole)).toMatchObject({apiVersion: 'v1', 'current-context': 'x', kind: 'Config'})
    }
  })
})

describe('a kubeconfig that cannot be used', () => {
  const user = {token: SECRET}
  const bad: readonly [why: string, content: Buffer | string | Entry, told: string][] = [
    ['empty', '', 'it is not a kubeconfig'],
    ['a list', `- ${SECRET}`, 'it is not a kubeconfig'],
    ['a text', SECRET, 'it is not a kubeconfig'],
    ['not YAML', `apiVersion: v1\nusers:\n  - token: "${SECRET}\n`, 'it is not YAML: line'],
    ['not YAML on its third line', `a: 1\nb: 2\nc: ${SECRET}: x: [`, 'it is not YAML: line 3'],
    ['two documents', `token: ${SECRET}\n---\ntoken: ${SECRET}\n`, 'it is not YAML'],
    ['UTF-16', Buffer.from(`\uFEFF${stringify(document(undefined, user))}`, 'utf16le'), 'it is UTF-16'],
    ['UTF-16, the other way', Buffer.from(`\uFEFF${SECRET}`, 'utf16le').swap16(), 'it is UTF-16'],
    ['without current-context', document(undefined, user, {'current-context': ''}), 'it has no current-context'],
    ['with another current-context', document(undefined, user, {'current-context': 'y'}), 'not among its contexts'],
    ['without clusters', document(undefined, user, {clusters: undefined}), 'it names no server'],
    ['with odd lists', document(undefined, user, {clusters: [null, 7, {name: 'c'}]}), 'it names no server'],
    ['without a server', document({}, user), 'it names no server'],
    ['with a server that is a number', document({server: 7}, user), 'it names no server'],
    ['with an ftp server', document({server: 'ftp://10.0.0.1'}, user), 'its server is no http or https address'],
    ['with a server that is a name', document({server: '10.0.0.1:6443'}, user), 'its server is no http'],
    [
      'that trusts anybody',
      document({'insecure-skip-tls-verify': true, server: SERVER}, user),
      'insecure-skip-tls-verify',
    ],
    ['with a certificate only', document(undefined, {...NODE, ...user, 'client-key-data': ''}), 'without its key'],
    ['with a key only', document(undefined, {'client-key-data': base64(SECRET)}), 'a key without its certificate'],
    [
      'with an authority that is not there',
      document({'certificate-authority': 'ca.crt', server: SERVER}, user),
      'it names D:\\given\\ca.crt, which is not there',
    ],
    ['with a token file that is not there', document(undefined, {tokenFile: 'token'}), 'it names D:\\given\\token'],
  ]

  it.each(bad)('%s', async (_, content, told) => {
    const error = await read(content).then(
      () => new Error('it was read'),
      (reason: unknown) => reason as Error,
    )
    expect(error.message).toContain(told)
    expect(`${error.message} ${String(error.stack)}`).not.toContain(SECRET)
    expect(error.cause).toBeUndefined()
  })

  it('is not quoted by warnings either', async () => {
    const warnings: string[] = []
    const listen = (warning: Error): void => void warnings.push(warning.message)
    process.on('warning', listen)
    await read(stringify(document(undefined, {})).replace('user: {}', `user:\n      token: !odd ${SECRET}`))
    await new Promise((resolve) => void setImmediate(resolve))
    process.off('warning', listen)
    expect(warnings).toEqual([])
  })
})

it('a member of system:masters is told from a node', async () => {
  const of = async (cert: string, key: string) =>
    isClusterAdministrator(
      await read(document(undefined, {'client-certificate-data': base64(cert), 'client-key-data': base64(key)})),
    )
  expect(await of(ADMIN_CERTIFICATE.cert, ADMIN_CERTIFICATE.key)).toBe(true)
  expect(await of(NODE_CERTIFICATE.cert, NODE_CERTIFICATE.key)).toBe(false)
  expect(await of('no certificate', 'no key')).toBe(false)
  expect(isClusterAdministrator(await read(document(undefined, {token: 'x'})))).toBe(false)
})
