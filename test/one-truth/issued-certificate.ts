// A certificate that the cluster issued, with its key, without what is random in both: everything else is compared.
import {createPrivateKey, X509Certificate} from 'node:crypto'
import {SIGNER} from '../../src/simulator/cluster/certificates.js'

const DAY_MS = 24 * 3_600_000
const AUTHORITY = new X509Certificate(SIGNER.cert).publicKey
/** A certificate and a key, and nothing else. */
const PAIR =
  /^(-----BEGIN CERTIFICATE-----\n[\w+/=\n]+-----END CERTIFICATE-----\n)(-----BEGIN EC PRIVATE KEY-----\n[\w+/=\n]+-----END EC PRIVATE KEY-----\n)$/

/** Undefined for every other text, which is compared as it is: the random parts are those of SIGNER's certificates only. */
export function describeIssued(text: string): string | undefined {
  const [, certificate = '', key = ''] = PAIR.exec(text) ?? []
  if (certificate === '') return undefined
  const issued = new X509Certificate(certificate)
  if (!issued.verify(AUTHORITY)) return undefined
  const {asymmetricKeyDetails, asymmetricKeyType} = issued.publicKey
  return [
    `issued by ${issued.issuer} to ${issued.subject.replaceAll('\n', ', ')}`,
    `for ${String(issued.keyUsage)}${issued.ca ? ' and to sign others' : ''}`,
    `with the names ${issued.subjectAltName ?? 'none'}`,
    `over ${(Date.parse(issued.validTo) - Date.parse(issued.validFrom)) / DAY_MS} days`,
    `${asymmetricKeyType} ${asymmetricKeyDetails?.namedCurve}`,
    `${issued.checkPrivateKey(createPrivateKey(key)) ? 'with its key' : 'with the key of another'}`,
  ].join('; ')
}
