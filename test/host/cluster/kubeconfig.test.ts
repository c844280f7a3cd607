// Kubeconfigs, good and odd, read as kubectl reads them.
import {describe, expect, it} from 'vitest'
import {parse, stringify} from 'yaml'

import {CLUSTER_CA, NODE_CERTIFICATE} from '../../../src/simulator/cluster/certificates.js'
import {CA, document, NODE, read, SECRET, SERVER} from './kubeconfig-documents.js'

const withCertificate = {ca: CLUSTER_CA, cert: NODE_CERTIFICATE.cert, key: NODE_CERTIFICATE.key}

describe('a good kubeconfig', () => {
  it('has everything inside', async () => {
    const {key: _key, secrets, write: _write, ...config} = await read(document())
    expect(secrets).toContain(NODE_CERTIFICATE.key.trim())
    expect(config).toEqual({ca: CLUSTER_CA, certificate: NODE_CERTIFICATE.cert, server: SERVER, tls: withCertificate})
  })

  it.each([
    ['JSON', JSON.stringify(document())],
    ['UTF-8 with a mark', `\uFEFF${stringify(document())}`],
    ['with Windows line ends', stringify(document()).replaceAll('\n', '\r\n')],
    ["UTF-16, as PowerShell's Out-File writes", Buffer.from(`\uFEFF${stringify(document())}`, 'utf16le')],
    ['UTF-16, the other way', Buffer.from(`\uFEFF${stringify(document())}`, 'utf16le').swap16()],
    ['the first of two documents', `---\n${stringify(document())}---\n${SECRET}: [\n`],
    ['with a key twice, of which the last counts', `current-context: other\n${stringify(document())}`],
    ['without kind and version', stringify(document(undefined, undefined, {apiVersion: null, kind: undefined}))],
  ])('is %s', async (_, content) => {
    expect((await read(content)).tls).toEqual(withCertificate)
  })

  it('has what it merges, as Go does', async () => {
    const merging = stringify(document(undefined, {})).replace('user: {}', 'user: {<<: {token: merged}}')
    expect((await read(merging)).token).toBe('merged')
  })

  it.each(['2020-01-01', '12:34:56'])('has a token that looks like a time: %s', async (token) => {
    expect((await read(stringify(document(undefined, {})).replace('user: {}', `user: {token: ${token}}`))).token).toBe(
      token,
    )
  })

  it('review S2-9: names all its secrets, whatever they are called', async () => {
    const env = [{name: 'CLIENT_CODE', value: 'exec-secret'}]
    const exec = {
      apiVersion: 'client.authentication.k8s.io/v1',
      args: ['--client-secret', 'arg-secret'],
      command: 'p',
      env,
    }
    const cluster = {'proxy-url': 'http://joe:proxy-secret@p:3128', server: SERVER}
    const {secrets} = await read(document(cluster, {exec: {...exec, interactiveMode: 'Never'}}))
    expect(secrets).toEqual(['arg-secret', 'exec-secret', 'joe:proxy-secret', 'proxy-secret'])
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
    const secrets = ['of u', 'of v']
    expect(await read(two)).toMatchObject({secrets, server: 'https://second', token: 'of v'})
  })

  it.each([
    [String.raw`\var\token`, String.raw`D:\given\var\token`],
    ['/var/token', String.raw`D:\given\var\token`],
    [String.raw`E:\token`, String.raw`E:\token`],
    ['e:/token', 'e:/token'],
  ])('review K5: names %s as Go does: a path without a drive is beside it', async (tokenFile, path) => {
    expect((await read(document(undefined, {tokenFile}), {[path]: 'one'})).token).toBe('one')
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

  it('has a token, or one in a file, which wins where it is there', async () => {
    expect((await read(document(undefined, {token: 'one'}))).token).toBe('one')
    const user = {token: 'one', tokenFile: 'token'}
    expect((await read(document(undefined, user), {[String.raw`D:\given\token`]: 'two\r\n'})).token).toBe('two')
    expect((await read(document(undefined, user))).token).toBe('one')
  })

  it('keeps to itself what is not of its current context', async () => {
    const more = {
      users: [
        {name: 'u', user: NODE},
        {name: 'admin', user: {token: SECRET}},
      ],
    }
    expect((await read(document(undefined, undefined, more))).write()).not.toContain(SECRET)
  })

  it.each(['no', 'on', 'y', '0x1f', '1_000', '~', 'a: b', '#c'])(
    'is written so that Go reads %s as text',
    async (token) => {
      const whole = (await read(document(undefined, {token}))).write()
      expect(parse(whole, {version: '1.1'})).toMatchObject({users: [{user: {token}}]})
      expect((await read(whole)).token).toBe(token)
    },
  )

  it('has a plugin', async () => {
    const apiVersion = 'client.authentication.k8s.io/v1beta1'
    const exec = {apiVersion, args: ['get-token'], command: String.raw`C:\bin\p.exe`, env: [{name: 'A', value: 'b'}]}
    expect((await read(document(undefined, {exec}))).exec).toEqual({
      ...exec,
      env: {A: 'b'},
      provideClusterInfo: false,
    })
    const beside = {apiVersion, args: null, command: 'bin/p.exe', env: null, provideClusterInfo: true}
    expect((await read(document(undefined, {exec: beside}))).exec).toEqual({
      apiVersion,
      args: [],
      command: String.raw`D:\given\bin\p.exe`,
      env: {},
      provideClusterInfo: true,
    })
  })

  it('has a proxy', async () => {
    const proxied = {...CA, 'proxy-url': 'http://proxy:3128', server: SERVER}
    expect((await read(document(proxied))).proxy).toBe('http://proxy:3128')
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
      {
        exec: {
          apiVersion: 'client.authentication.k8s.io/v1',
          args: ['x'],
          command: './p.exe',
          interactiveMode: 'Never',
        },
      },
      NODE,
    ]
    for (const user of users) {
      const first = await read(document(cluster, user), {
        [String.raw`D:\given\ca.crt`]: CLUSTER_CA,
        [String.raw`D:\given\node.crt`]: NODE_CERTIFICATE.cert,
        [String.raw`D:\given\node.key`]: NODE_CERTIFICATE.key,
        [String.raw`D:\given\token`]: 'two',
      })
      expect(await read(first.write())).toEqual({
        ...first,
        secrets: expect.arrayContaining([...first.secrets]) as unknown,
        write: expect.any(Function) as unknown,
      })
      expect(parse(first.write())).toMatchObject({apiVersion: 'v1', 'current-context': 'x', kind: 'Config'})
    }
  })
})
