// Kubeconfigs that cannot be used: reported in a sentence, and never with any of their content.
import {describe, expect, it} from 'vitest'
import {stringify} from 'yaml'

import {ADMIN_CERTIFICATE} from '../../../src/simulator/cluster/certificates.js'
import {base64, CA, document, type Entry, NODE, read, SECRET, SERVER} from './kubeconfig-documents.js'

const PLUGIN_API = 'client.authentication.k8s.io'
const PLUGIN = {command: 'p'}

describe('a kubeconfig that cannot be used', () => {
  const user = {token: SECRET}
  const bad: readonly [why: string, content: Buffer | string | Entry, told: string][] = [
    ['empty', '', 'it is not a kubeconfig'],
    ['a list', `- ${SECRET}`, 'it is not a kubeconfig'],
    ['a text', SECRET, 'it is not a kubeconfig'],
    ['not YAML', `apiVersion: v1\nusers:\n  - token: "${SECRET}\n`, 'it is not YAML: line'],
    ['not YAML on its third line', `a: 1\nb: 2\nc: ${SECRET}: x: [`, 'it is not YAML: line 3'],
    ['nested without end', `token: ${SECRET}\na: ${'['.repeat(50_000)}`, 'it is not YAML: it is nested too deeply'],
    ...[',', '"', ']', 'a: 1\n', '\n'].map((text): [string, string, string] => [
      `review S2-15: of 900 KB of ${JSON.stringify(text)}`,
      `token: ${SECRET}\na: [${text.repeat(900_000 / text.length)}`,
      'it has more than 20000 entries',
    ]),
    ['an alias of nothing', `token: *nobody\nother: ${SECRET}\n`, 'it is not YAML'],
    ['in the code page of Windows', Buffer.from(`# für ${SECRET}\n`, 'latin1'), 'neither UTF-8 nor UTF-16'],
    ['of another kind', document(undefined, user, {kind: 'Pod'}), 'its apiVersion and kind'],
    ['of another version', document(undefined, user, {apiVersion: 'v2'}), 'its apiVersion and kind'],
    ['with a token that is a number', document(undefined, {token: 7}), 'its token is not text'],
    ['with a token in two lines', document(undefined, {token: `${SECRET}\n`}), 'its token contains a line break'],
    ['with users that are no list', document(undefined, user, {users: user}), 'its users is not a list'],
    ['with a user that is no mapping', document(undefined, [SECRET]), 'its user is not a mapping'],
    [
      'with two users of one name',
      document(undefined, user, {users: [{name: 'u'}, {name: 'u', user}]}),
      'it has two users of the same name',
    ],
    ['with data that is no base64', document({...CA, server: SERVER}, {'client-key-data': `${SECRET}!`}), 'base64'],
    [
      'with an authority that is none',
      document({'certificate-authority-data': base64(SECRET), server: SERVER}, user),
      'its certificate authority is not a PEM certificate',
    ],
    [
      'with a certificate that is none',
      document(undefined, {...NODE, 'client-certificate-data': base64(SECRET)}),
      'its client certificate is not a PEM certificate',
    ],
    [
      'with a key that is none',
      document(undefined, {...NODE, 'client-key-data': base64(SECRET)}),
      'not a PEM private key',
    ],
    [
      'with the key of another',
      document(undefined, {...NODE, 'client-key-data': base64(ADMIN_CERTIFICATE.key)}),
      'do not match',
    ],
    [
      'with a file and data of the same',
      document({...CA, 'certificate-authority': 'ca.crt', server: SERVER}, user),
      'it has both certificate-authority and certificate-authority-data',
    ],
    ['whose user is not in it', document(undefined, user, {users: []}), 'names a user that is not in it'],
    ['whose user is somebody else', document(undefined, {...user, as: 'root'}), 'uses impersonation'],
    ['with a password', document(undefined, {password: SECRET, username: 'a'}), 'no longer supports since 1.19'],
    ['with an auth-provider', document(undefined, {'auth-provider': {name: 'gcp'}}), 'which only kubectl supports'],
    ...['v1', 'v1beta1'].map((version): [string, Entry, string] => [
      `review K5: with a plugin of ${version} that needs a console`,
      document(undefined, {exec: {...PLUGIN, apiVersion: `${PLUGIN_API}/${version}`, interactiveMode: 'Always'}}),
      'a service has no console',
    ]),
    [
      'review K5: with a plugin of v1 that does not say whether it needs a console',
      document(undefined, {exec: {...PLUGIN, apiVersion: `${PLUGIN_API}/v1`}}),
      'its exec has no interactiveMode',
    ],
    [
      'review K5: with a plugin of an odd interactiveMode',
      document(undefined, {exec: {...PLUGIN, apiVersion: `${PLUGIN_API}/v1`, interactiveMode: 'never'}}),
      'neither Never nor IfAvailable',
    ],
    ['with a plugin of no version', document(undefined, {exec: {command: 'p'}}), 'its exec has no apiVersion'],
    [
      'with a socks proxy',
      document({'proxy-url': `socks5://x:${SECRET}@proxy`, server: SERVER}, user),
      'its proxy-url is not that of an HTTP proxy',
    ],
    [
      'review S2-3: with a proxy without a scheme',
      document({'proxy-url': `x:${SECRET}@proxy:3128`, server: SERVER}, user),
      'its proxy-url is not that of an HTTP proxy',
    ],
    [
      'review S2-3: with a login that client-go cannot decode',
      document({'proxy-url': `http://x:50%o${SECRET}@proxy`, server: SERVER}, user),
      'its proxy-url is not that of an HTTP proxy',
    ],
    ['without current-context', document(undefined, user, {'current-context': ''}), 'it has no current-context'],
    ['with another current-context', document(undefined, user, {'current-context': 'y'}), 'not among its contexts'],
    ['without clusters', document(undefined, user, {clusters: undefined}), 'names no cluster that is in it'],
    ['with odd lists', document(undefined, user, {clusters: [null, 7, {name: 'c'}]}), 'its clusters are not a list of'],
    ['with an empty cluster', document(undefined, user, {clusters: [null, {name: 'c'}]}), 'it contains no server'],
    ['without a server', document({}, user), 'it contains no server'],
    ['with a server that is a number', document({server: 7}, user), 'its server is not text'],
    ['with an ftp server', document({server: 'ftp://10.0.0.1'}, user), 'its server is not an https address'],
    ['with a server of blanks', document({server: 'a b'}, user), 'its server is not an https address'],
    ['with a server without TLS', document({server: 'http://10.0.0.1'}, user), 'its server is not an https address'],
    ['with a host and port', document({server: 'kubernetes:6443'}, user), 'its server is not an https address'],
    [
      'that trusts anybody',
      document({'insecure-skip-tls-verify': true, server: SERVER}, user),
      'insecure-skip-tls-verify: the API server is not authenticated',
    ],
    [
      'that trusts anybody, in the words of YAML 1.1',
      stringify(document(undefined, user)).replace('server:', 'insecure-skip-tls-verify: yes\n      server:'),
      'insecure-skip-tls-verify: the API server is not authenticated',
    ],
    ['with a certificate only', document(undefined, {...NODE, ...user, 'client-key-data': ''}), 'without its key'],
    ['with a key only', document(undefined, {'client-key-data': base64(SECRET)}), 'a key without its certificate'],
    [
      'with an authority that is not there',
      document({'certificate-authority': 'ca.crt', server: SERVER}, user),
      'it names D:\\given\\ca.crt, which does not exist',
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
