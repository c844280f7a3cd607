// Requests and certificates in DER, read back by OpenSSL, which Node's crypto is.
import {generateKeyPairSync, X509Certificate} from 'node:crypto'
import {expect, it} from 'vitest'

import {SIGNER} from '../../../src/simulator/cluster/certificates.js'
import {issueCertificate, makeRequest, parseRequest} from '../../../src/simulator/cluster/x509.js'

const SUBJECT = {commonName: 'system:node:win-1', organizations: ['system:nodes']}
const makeKey = (): string =>
  generateKeyPairSync('ec', {namedCurve: 'P-256'}).privateKey.export({format: 'pem', type: 'sec1'}) as string

function issue(key: string, notBefore: number, notAfter: number): X509Certificate {
  const request = parseRequest(makeRequest(key, SUBJECT))
  if (!request) throw new Error('not a request')
  const usages = ['digital signature', 'key encipherment', 'client auth']
  return new X509Certificate(issueCertificate({notAfter, notBefore, request, signer: SIGNER, usages}))
}

it('makes a request that its own reader accepts', () => {
  expect(parseRequest(makeRequest(makeKey(), SUBJECT))).toMatchObject({...SUBJECT, hasAlternativeNames: false})
})

it.each([
  ['nothing', ''],
  ['a certificate', SIGNER.cert],
  ['bytes that are not DER', '-----BEGIN CERTIFICATE REQUEST-----\nMIIBAA==\n-----END CERTIFICATE REQUEST-----\n'],
])('takes %s for no request', (_, pem) => {
  expect(parseRequest(pem)).toBeUndefined()
})

it('refuses a request whose signature does not match', () => {
  const [head, ...lines] = makeRequest(makeKey(), SUBJECT).trim().split('\n')
  const foot = lines.pop()
  const bytes = Buffer.from(lines.join(''), 'base64')
  const name = bytes.indexOf('win-1')
  bytes.write('win-2', name)
  const changed = [head, bytes.toString('base64'), foot].join('\n')
  expect(parseRequest(changed)).toBeUndefined()
})

it('issues a client certificate for the key of the request', () => {
  const key = makeKey()
  const [from, to] = [Date.UTC(2049, 11, 31, 23, 59, 59), Date.UTC(2050, 11, 31)]
  const certificate = issue(key, from, to)
  expect(certificate.subject).toBe('O=system:nodes\nCN=system:node:win-1')
  expect(certificate.issuer).toBe('CN=kubernetes')
  expect(certificate.ca).toBe(false)
  expect(certificate.keyUsage).toEqual(['1.3.6.1.5.5.7.3.2'])
  expect([Date.parse(certificate.validFrom), Date.parse(certificate.validTo)]).toEqual([from, to])
  const authority = new X509Certificate(SIGNER.cert)
  expect(certificate.checkIssued(authority)).toBe(true)
  expect(certificate.verify(authority.publicKey)).toBe(true)
})

it('gives every certificate another serial number', () => {
  const key = makeKey()
  const serials = [1, 2, 3].map(() => issue(key, 0, 1000).serialNumber)
  expect(new Set(serials).size).toBe(3)
})
