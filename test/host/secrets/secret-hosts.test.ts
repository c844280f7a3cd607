// Which hosts get the credentials of the machine: those of the stores, not everything below the domain of a cloud.
import {expect, it, test} from 'vitest'
import {isSecretHost} from '../../../src/config/secret-hosts.js'
import type {SecretService} from '../../../src/config/model.js'
import {askedLayers} from '../../../src/config/options/layers.js'
import {environmentVariable, OPTIONS, optionOf} from '../../../src/config/options/options.js'
import {resolveConfig} from '../../../src/config/options/resolve-setup.js'
import {problemsOf} from '../../config/problems-of.js'
import {fetchFrom, type Override, SOURCES} from './loopback-cloud.js'

it.each<[SecretService, string]>([
  ['aws-ssm', 'ssm.eu-central-1.amazonaws.com'],
  ['aws-ssm', 'ssm-fips.us-gov-west-1.amazonaws.com'],
  ['aws-sm', 'secretsmanager.us-east-1.api.aws'],
  ['aws-sm', 'secretsmanager.cn-north-1.amazonaws.com.cn'],
  ['aws-sm', 'secretsmanager.us-iso-east-1.c2s.ic.gov'],
  ['aws-ssm', 'ssm.eusc-de-east-1.amazonaws.eu'],
  ['aws-sm', 'vpce-0a1b-2c3d-eu-central-1a.secretsmanager.eu-central-1.vpce.amazonaws.com'],
  ['azure-kv', 'my-vault.vault.azure.net'],
  ['azure-kv', 'my-vault.vault.azure.cn'],
  ['azure-kv', 'my-vault.vault.usgovcloudapi.net'],
  ['azure-kv', 'my-vault.vault.sovcloud-api.fr'],
  ['gcp-sm', 'secretmanager.googleapis.com'],
  ['gcp-sm', 'secretmanager.europe-west3.rep.googleapis.com'],
  ['gcp-sm', 'secretmanager-k8s.p.googleapis.com'],
  ['gcp-sm', 'secretmanager.s3nsapis.fr'],
])('%s: %s', (service, host) => {
  expect(isSecretHost(service, `https://${host}`, [])).toBe(true)
})

test.each<[SecretService, string]>([
  ['aws-ssm', 'evil.example'],
  ['aws-ssm', 'ssm.eu-central-1.amazonaws.com.evil.example'],
  ['aws-ssm', 'secretsmanager.eu-central-1.amazonaws.com'],
  // A bucket, a load balancer, a gateway and an endpoint service of a customer.
  ['aws-ssm', 'ssm.s3.amazonaws.com'],
  ['aws-ssm', 'ssm.eu-central-1.elb.amazonaws.com'],
  ['aws-ssm', 'ssm.execute-api.eu-central-1.amazonaws.com'],
  ['aws-ssm', 'vpce-1.vpce-svc-2.eu-central-1.vpce.amazonaws.com'],
  ['azure-kv', 'my-vault.blob.core.windows.net'],
  ['azure-kv', 'a.b.vault.azure.net'],
  ['azure-kv', 'vault.azure.net'],
  ['gcp-sm', 'storage.googleapis.com'],
  ['gcp-sm', 'secretmanager.evil.example'],
])('review A3-6: %s: %s is no host of the store, unless it is trusted by name', (service, host) => {
  expect(isSecretHost(service, `https://${host}`, [])).toBe(false)
  expect(isSecretHost(service, `https://${host}`, [host])).toBe(true)
})

const domain: Override = (url, response) => {
  if (!/\/(?:services\/domain|universe-domain)$/.test(url.pathname)) return false
  response.end('evil.example')
  return true
}

test.each(SOURCES.filter(([cloud]) => cloud !== 'azure'))(
  'review A3-6: %s: the domain that the metadata service names gets no credentials: %s',
  async (_, source) => {
    const {error, requests, urls} = await fetchFrom({override: domain, source})
    expect([error?.id, urls]).toEqual(['SECRET_HOST_UNTRUSTED', []])
    // None was even asked for.
    expect(requests.filter(({url}) => /security-credentials|service-accounts/.test(url))).toEqual([])
  },
)

test('review A3-6: an endpoint of another host is refused, unless it is trusted on the command line', () => {
  const given = {
    'ca-cert-hash': `sha256:${'a'.repeat(64)}`,
    'secret-endpoint': 'https://vault.corp.example:8443',
    server: 'https://10.0.0.1:6443',
    'token-from': 'azure-kv:k8s-vault/join',
  }
  const idsOf = (more: object): string[] => problemsOf({...given, ...more}).problems.map(({id}) => id)
  expect(idsOf({})).toEqual(['BAD_VALUE'])
  expect(idsOf({'trust-secret-endpoint': ['other.example']})).toEqual(['BAD_VALUE'])
  expect(resolveConfig({given: {...given, 'trust-secret-endpoint': ['vault.corp.example']}}).secretHosts).toEqual([
    'vault.corp.example',
  ])
})

test('review A3-6: neither a variable nor a file trusts a host', () => {
  const environment = {[environmentVariable('trust-secret-endpoint')]: 'evil.example'}
  expect(askedLayers(OPTIONS, {}, environment).map(({given}) => given)).toEqual([{}, {}])
  expect(optionOf('trust-secret-endpoint').key).toBeUndefined()
})
