// --token-from, --kubeconfig-from and --secret-endpoint: what each service documents as a name is read, anything else refused.
import fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import {resolveConfig} from '../../../src/config/options/resolve-setup.js'
import {SECRET_SERVICES} from '../../../src/config/model.js'
import {secretEndpoint, secretSource} from '../../../src/config/options/secret-source.js'
import {problemsOf} from '../problems-of.js'

const ARN = 'arn:aws-cn:ssm:cn-north-1:123456789012:parameter/k8s/token'
const SECRET_ARN = 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:k8s/token-a1B2c3'
const CLIENT = '12345678-90ab-cdef-1234-567890abcdef'

describe('a source', () => {
  it.each([
    ['aws-ssm:/k8s/join', {name: '/k8s/join', service: 'aws-ssm', text: 'aws-ssm:/k8s/join'}],
    ['aws-ssm:join:3', {name: 'join:3', service: 'aws-ssm', text: 'aws-ssm:join:3'}],
    [`aws-ssm:${ARN}`, {name: ARN, region: 'cn-north-1', service: 'aws-ssm', text: `aws-ssm:${ARN}`}],
    ['aws-sm:k8s/join#a.b', {key: 'a.b', name: 'k8s/join', service: 'aws-sm', text: 'aws-sm:k8s/join'}],
    [`aws-sm:${SECRET_ARN}`, {name: SECRET_ARN, region: 'eu-west-1', service: 'aws-sm', text: `aws-sm:${SECRET_ARN}`}],
    [
      'azure-kv:My-Vault/join--1',
      {name: 'join--1', place: 'My-Vault', service: 'azure-kv', text: 'azure-kv:My-Vault/join--1'},
    ],
    [
      `azure-kv:${CLIENT}@vault/join#token`,
      {
        identity: CLIENT,
        key: 'token',
        name: 'join',
        place: 'vault',
        service: 'azure-kv',
        text: `azure-kv:${CLIENT}@vault/join`,
      },
    ],
    [
      'gcp-sm:my-project/join_1',
      {name: 'join_1', place: 'my-project', service: 'gcp-sm', text: 'gcp-sm:my-project/join_1'},
    ],
    [
      'gcp-sm:123456789012/join',
      {name: 'join', place: '123456789012', service: 'gcp-sm', text: 'gcp-sm:123456789012/join'},
    ],
    [
      'gcp-sm:example.com:my-project/x',
      {name: 'x', place: 'example.com:my-project', service: 'gcp-sm', text: 'gcp-sm:example.com:my-project/x'},
    ],
    ['aws-ssm:/k8s#a#b', {key: 'a#b', name: '/k8s', service: 'aws-ssm', text: 'aws-ssm:/k8s'}],
  ])('%s', (text, value) => {
    expect(secretSource(text)).toEqual({value})
  })

  it.each([
    '',
    'abcdef.0123456789abcdef',
    String.raw`C:\token.txt`,
    'vault:secret/k8s',
    'AWS-SSM:/k8s',
    'aws-ssm:',
    'aws-ssm:/k8s join',
    'aws-ssm:/k8s/join#',
    'aws-ssm:/k8s/join#a\n',
    `aws-sm:${ARN}`,
    'aws-sm:k8s\r\nHost: x',
    'azure-kv:vault',
    'azure-kv:v/x',
    'azure-kv:a--b/x',
    'azure-kv:vault-/x',
    'azure-kv:vault.evil.example/x',
    'azure-kv:vault/a/b',
    'azure-kv:not-a-guid@vault/x',
    'gcp-sm:p/x',
    'gcp-sm:my-project/x/versions/1',
    'gcp-sm:my-project/../x',
  ])('%j is refused', (text) => {
    expect(secretSource(text)).toMatchObject({
      reason: expect.stringMatching(/\.$/) as string,
      wanted: expect.any(String) as string,
    })
  })

  it('of any text never has what would change the address of a request', () => {
    const rest = fc.string({unit: fc.constantFrom(...'aA1-_./:@#?%\\ \n{}"é')})
    fc.assert(
      fc.property(fc.constantFrom(...SECRET_SERVICES), rest, (service, name) => {
        const read = secretSource(`${service}:${name}`)
        if (!('value' in read)) return
        const {name: secret, place = ''} = read.value
        expect(`${secret}${place}`).not.toMatch(/[\s?#%\\{}"]/)
        if (!service.startsWith('aws')) expect(`${secret}`).not.toMatch(/[./]/)
        if (service === 'azure-kv') expect(place).toMatch(/^[a-z\d-]+$/i)
      }),
    )
  })
})

describe('an endpoint', () => {
  it.each([
    ['https://vpce-1.ssm.eu-central-1.vpce.amazonaws.com', 'https://vpce-1.ssm.eu-central-1.vpce.amazonaws.com'],
    ['https://VAULT.example:8443/', 'https://vault.example:8443'],
  ])('%s', (text, value) => {
    expect(secretEndpoint(text)).toEqual({value})
  })

  it.each([
    'http://127.0.0.1',
    'vault.example',
    'https://vault.example/x',
    'https://vault.example?x',
    'https://a:canary@b',
  ])('%s is refused, and no password is shown', (text) => {
    const refused = secretEndpoint(text)
    expect(refused).toHaveProperty('reason')
    expect(JSON.stringify({...refused, ...('shown' in refused ? {} : {text})})).not.toContain('canary')
  })
})

describe('with other options', () => {
  const from = {
    server: 'https://10.0.0.1:6443',
    'token-from': 'aws-ssm:/k8s/join',
    'unsafe-skip-ca-verification': 'true',
  }
  const idsOf = (given: Parameters<typeof problemsOf>[0]): string[] => problemsOf(given).problems.map(({id}) => id)

  it('names where the token is', () => {
    expect(resolveConfig({given: from}).join?.tokenFrom?.text).toBe('aws-ssm:/k8s/join')
  })

  it.each([
    ['a token', {...from, token: 'abcdef.0123456789abcdef'}],
    ['a token file', {...from, 'token-file': String.raw`C:\token`}],
    ['a kubeconfig', {...from, kubeconfig: String.raw`C:\kubeconfig`}],
    ['a fetched kubeconfig', {...from, 'kubeconfig-from': 'aws-ssm:/k8s/kubeconfig'}],
    ['two kubeconfigs', {kubeconfig: String.raw`C:\kubeconfig`, 'kubeconfig-from': 'aws-ssm:/k8s/kubeconfig'}],
  ])('is refused with %s', (_, given) => {
    expect(idsOf(given)).toContain('CONTRADICTING_FLAGS')
  })

  it('needs a server, and the hash of its CA', () => {
    expect(idsOf({'token-from': from['token-from']})).toEqual(['JOIN_SERVER_MISSING'])
    expect(idsOf({server: from.server, 'token-from': from['token-from']})).toEqual(['JOIN_CA_HASH_MISSING'])
  })
})
