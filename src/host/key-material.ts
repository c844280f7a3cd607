// Certificates and keys, looked at before they are used: TLS would tell of them too late, and in riddles.
import {createPrivateKey, type KeyObject, X509Certificate} from 'node:crypto'

/** Each throws an Error that says in a sentence what is wrong; never with any of the content. */
export function demandAuthority(pem: string | undefined): void {
  if (pem !== undefined && !readCertificate(pem)) throw new Error('its certificate authority is no certificate (PEM)')
}

export function demandKeyPair(certificate: string | undefined, key: string | undefined): void {
  if (certificate === undefined && key === undefined) return
  if (certificate === undefined || key === undefined) {
    throw new Error('its user has a client certificate without its key, or a key without its certificate')
  }

  const [readableCertificate, readableKey] = [readCertificate(certificate), readKey(key)]
  if (!readableCertificate) throw new Error('its client certificate is no certificate (PEM)')
  if (!readableKey) throw new Error('its client key is no private key (PEM), or has a password')
  if (!readableCertificate.checkPrivateKey(readableKey)) {
    throw new Error('its client certificate and key do not belong together')
  }
}

/** What may stand in a header as it is. */
export const isBearerToken = (token: string): boolean => /^[\x20-\x7E]+$/.test(token)

function readCertificate(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem)
  } catch {
    return undefined
  }
}

function readKey(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey(pem)
  } catch {
    return undefined
  }
}
