// Hashes of public keys: those of openssl, and the same bytes that OpenSSL finds, in any certificate.
import {createHash, X509Certificate} from 'node:crypto'
import {readdirSync} from 'node:fs'
import fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import {UnusableFileError} from '../../../src/errors/k8s-win-error.js'
import {pemBlocks} from '../../../src/host/cluster/key-material.js'
import {pinnedKeysIn, publicKeyInfo} from '../../../src/host/cluster/public-key-pin.js'
import {pem} from './loopback-cluster.js'
import {OTHER_PIN, PIN} from './loopback-control-plane.js'

const certificates = readdirSync(new URL('../certificates', import.meta.url)).filter((name) => name.endsWith('.pem'))
const derOf = (name: string): Buffer => pemBlocks(pem(name))[0]?.der ?? Buffer.alloc(0)

describe('the hash of a public key', () => {
  it('is that of openssl, of each certificate in a bundle', () => {
    const bundle = `${pem('ca.pem')}junk\n${pem('intermediate.pem')}`
    expect(pinnedKeysIn(bundle)).toEqual([
      {certificate: pem('ca.pem'), hash: PIN},
      {certificate: pem('intermediate.pem'), hash: OTHER_PIN},
    ])
    expect(pinnedKeysIn('')).toEqual([])
  })

  it.each(certificates)('is over the bytes in %s', (name) => {
    const der = derOf(name)
    const spki = new X509Certificate(der).publicKey.export({format: 'der', type: 'spki'})
    expect(publicKeyInfo(der).equals(spki)).toBe(true)
    expect(pinnedKeysIn(pem(name))[0]?.hash).toBe(`sha256:${createHash('sha256').update(spki).digest('hex')}`)
  })
})

describe('what is not a certificate', () => {
  const read = (der: Buffer): void => {
    try {
      expect(der.includes(publicKeyInfo(der))).toBe(true)
    } catch (error) {
      expect(error).toBeInstanceOf(UnusableFileError)
    }
  }

  it('is refused in a sentence, or read within its bounds', () => {
    fc.assert(fc.property(fc.uint8Array({maxLength: 300}), (bytes) => read(Buffer.from(bytes))))
  })

  it('also where it is one with a few other bytes, or cut', () => {
    const whole = derOf('ca.pem')
    fc.assert(
      fc.property(fc.nat(whole.length - 1), fc.nat(255), fc.nat(whole.length), (at, byte, length) => {
        const changed = Buffer.from(whole)
        changed[at] = byte
        read(changed.subarray(0, length))
      }),
    )
  })
})
