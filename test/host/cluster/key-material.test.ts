// Certificates and keys as Go reads them: encoding/pem, x509.AppendCertsFromPEM, tls.X509KeyPair, client-go's ParseCertsPEM.
import {createPrivateKey, generateKeyPairSync, X509Certificate} from 'node:crypto'
import {describe, expect, it} from 'vitest'

import {readAllAuthorities, readAuthorities, readKeyPair} from '../../../src/host/cluster/key-material.js'
import {pemBlocks} from '../../../src/host/cluster/key-material.js'
import {CLUSTER_CA, NODE_CERTIFICATE} from '../../../src/simulator/cluster/certificates.js'
import {base64, document, NODE, read, SERVER} from './kubeconfig-documents.js'
import {pem} from './loopback-cluster.js'

const {cert, key} = NODE_CERTIFICATE
const labelled = (text: string, label: string): string => text.replaceAll('CERTIFICATE-----', `${label}-----`)
const BROKEN = '-----BEGIN CERTIFICATE-----\nMAUCAQECAQI=\n-----END CERTIFICATE-----\n'
const NO_BASE64 = '-----BEGIN CERTIFICATE-----\nMA!!\n-----END CERTIFICATE-----\n'
const WITH_HEADER = CLUSTER_CA.replace('CERTIFICATE-----\n', 'CERTIFICATE-----\nComment: x\n\n')

describe('a certificate authority', () => {
  it.each([
    ['TRUSTED CERTIFICATE', labelled(CLUSTER_CA, 'TRUSTED CERTIFICATE')],
    ['X509 CERTIFICATE', labelled(CLUSTER_CA, 'X509 CERTIFICATE')],
    ['a certificate with headers', WITH_HEADER],
    ['nothing but a broken block', BROKEN],
    ['a block that does not begin its line', CLUSTER_CA.replace('-----BEGIN', ' -----BEGIN')],
    ['a block whose end has another label', CLUSTER_CA.replace('END CERTIFICATE', 'END CERTIFICATES')],
    ['a private key', key],
    ['nothing', ''],
  ])('review K5: as %s is refused', async (_, text) => {
    expect(() => readAuthorities(text)).toThrow('its certificate authority is not a PEM certificate')
    const cluster = {'certificate-authority-data': base64(text || ' '), server: SERVER}
    await expect(read(document(cluster))).rejects.toThrow('its certificate authority is not a PEM certificate')
  })

  it.each([
    ['a broken block', BROKEN],
    ['a block that is no base64', NO_BASE64],
    ['a TRUSTED CERTIFICATE', labelled(pem('ca.pem'), 'TRUSTED CERTIFICATE')],
    ['a block without an end', '-----BEGIN CERTIFICATE-----\nMAUC\n'],
    ['a text', 'subject=CN = kubernetes\n'],
  ])('review K5: after %s is used, and nothing but it', (_, before) => {
    expect(readAuthorities(before + CLUSTER_CA)).toBe(CLUSTER_CA)
    expect(readAuthorities(CLUSTER_CA + before + pem('ca.pem'))).toBe(CLUSTER_CA + pem('ca.pem'))
  })

  it('is read with the line ends of Windows, and with spaces at their ends', () => {
    expect(readAuthorities(CLUSTER_CA.replaceAll('\n', ' \t\r\n'))).toBe(CLUSTER_CA)
  })

  it('review K5: of the kubelet may have no broken block, as client-go reads that file', () => {
    expect(readAllAuthorities(`# ours\n${CLUSTER_CA}`)).toBe(CLUSTER_CA)
    expect(() => readAllAuthorities(CLUSTER_CA + BROKEN)).toThrow('cannot be read')
    expect(() => readAllAuthorities(labelled(CLUSTER_CA, 'X509 CERTIFICATE'))).toThrow('no certificate')
  })
})

describe('a client certificate and its key', () => {
  it.each([
    ['client-secp256k1', 'secp256k1'],
    ['client-rsa-pss', 'rsa-pss'],
  ])('review K5: %s is refused, and its kind is named', async (name, kind) => {
    const [certificate, itsKey] = [pem(`${name}.pem`), pem(`${name}.key`)]
    // Node itself would use it.
    expect(new X509Certificate(certificate).checkPrivateKey(createPrivateKey(itsKey))).toBe(true)
    const user = {'client-certificate-data': base64(certificate), 'client-key-data': base64(itsKey)}
    await expect(read(document(undefined, user))).rejects.toThrow(`programs reject (${kind})`)
  })

  it.each(['TRUSTED CERTIFICATE', 'X509 CERTIFICATE'])('review K5: a %s is refused', async (label) => {
    const user = {...NODE, 'client-certificate-data': base64(labelled(cert, label))}
    await expect(read(document(undefined, user))).rejects.toThrow('its client certificate is not a PEM certificate')
  })

  it('are read past other blocks, whatever the label of the key is', () => {
    const pair = readKeyPair(labelled(pem('ca.pem'), 'X509 CERTIFICATE') + cert, pem('ca.pem') + key)
    expect(pair).toEqual({cert, key})
    const odd = key.replaceAll('PRIVATE KEY', 'RSA PRIVATE KEY')
    expect(readKeyPair(cert, odd)).toEqual({cert, key})
    const sec1 = String(createPrivateKey(key).export({format: 'pem', type: 'sec1'}))
    expect(
      readKeyPair(cert, `-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n${sec1}`),
    ).toEqual({
      cert,
      key,
    })
  })

  it.each(['pkcs1', 'pkcs8'] as const)('with a password (%s) are refused', (type) => {
    const {privateKey} = generateKeyPairSync('rsa', {modulusLength: 1024})
    const locked = String(privateKey.export({cipher: 'aes-128-cbc', format: 'pem', passphrase: 'x', type}))
    expect(() => readKeyPair(cert, locked)).toThrow('or has a password')
  })
})

it('a hostile text costs no more than its length', () => {
  const time = (count: number): number => {
    const text = `${'-----BEGIN A-----\nx: y\n'.repeat(count)}-----END B-----\n${'-----BEGIN A-----\nAA==\n-----END A-----\n'.repeat(count)}`
    const started = performance.now()
    expect(pemBlocks(text)).toHaveLength(count)
    return performance.now() - started
  }
  time(1000)
  const short = Math.min(time(10_000), time(10_000), time(10_000))
  expect(Math.min(time(40_000), time(40_000), time(40_000))).toBeLessThan(Math.max(short, 5) * 10)
})
