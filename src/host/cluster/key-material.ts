// Certificates and keys, judged before they are used, and as the daemons will judge them: by the rules of Go's
// crypto/x509 and crypto/tls, not by OpenSSL's. TLS would report them too late, and in riddles.
import {createPrivateKey, type KeyObject, X509Certificate} from 'node:crypto'
import {UnusableFileError} from '../../errors/k8s-win-error.js'
import {remembered} from '../../machine/remembered.js'

export interface KeyPair {
  /** PEM: the certificate, and those that stand above it. */
  readonly cert: string
  readonly key: string
}

const CERTIFICATE = 'CERTIFICATE'
/** One command reads the same few many times, and OpenSSL takes milliseconds for each. */
const MOST_KNOWN = 16
/** crypto/x509: namedCurveFromOID. secp256k1 and curves with explicit parameters are unknown to it. */
const CURVES = ['secp224r1', 'prime256v1', 'secp384r1', 'secp521r1']
/** crypto/x509: ParsePKCS8PrivateKey; crypto/tls takes these three only. RSA-PSS, DSA and Ed448 keys are refused. */
const KEY_TYPES = ['rsa', 'ec', 'ed25519']

/**
 * The authorities in it, as PEM: those that AppendCertsFromPEM would put into the pool, which skips every block it cannot
 * read. Throws an Error that says in a sentence what is wrong, as the others here do; never with any of the content.
 */
export const readAuthorities: (pem: string) => string = remembered((pem) => {
  const found = pemBlocks(pem).filter((block) => isCertificate(block) && readCertificate(block.der))
  if (found.length === 0) throw new UnusableFileError('its certificate authority is not a PEM certificate')
  return found.map((block) => pemText(block)).join('')
}, MOST_KNOWN)

/** The same for a file of which no certificate may be broken: ParseCertsPEM of client-go, with which the kubelet reads it. */
export function readAllAuthorities(pem: string): string {
  const found = pemBlocks(pem).filter((block) => isCertificate(block))
  if (found.length === 0) throw new UnusableFileError('holds no certificate')
  if (!found.every(({der}) => readCertificate(der)))
    throw new UnusableFileError('holds a certificate that cannot be read')
  return found.map((block) => pemText(block)).join('')
}

/** As tls.X509KeyPair reads the two. Undefined where there is neither. */
export function readKeyPair(certificate: string | undefined, key: string | undefined): KeyPair | undefined {
  if (certificate === undefined && key === undefined) return undefined
  if (certificate === undefined || key === undefined) {
    throw new UnusableFileError('its user has a client certificate without its key, or a key without its certificate')
  }

  return parsePair(JSON.stringify([certificate, key]))
}

const parsePair = remembered((both): KeyPair => {
  const [certificate, key] = JSON.parse(both) as [string, string]
  const chain = pemBlocks(certificate).filter(({label}) => label === CERTIFICATE)
  const [leaf] = chain
  const readableCertificate = leaf && readCertificate(leaf.der)
  if (!readableCertificate) throw new UnusableFileError('its client certificate is not a PEM certificate')
  const block = pemBlocks(key).find(({label}) => label === 'PRIVATE KEY' || label.endsWith(' PRIVATE KEY'))
  const readableKey = block && readKey(block)
  if (!readableKey) throw new UnusableFileError('its client key is not a PEM private key, or has a password')
  demandKnownKind(readableKey)
  if (!readableCertificate.checkPrivateKey(readableKey)) {
    throw new UnusableFileError('its client certificate and key do not match')
  }

  // Rewritten: OpenSSL goes by the label.
  const plain = String(readableKey.export({format: 'pem', type: 'pkcs8'}))
  return {cert: chain.map((one) => pemText(one)).join(''), key: plain}
}, MOST_KNOWN)

/** Of a PEM; throws where it is none. */
export const certificateIn: (pem: string) => X509Certificate = remembered((pem) => new X509Certificate(pem), MOST_KNOWN)

/** Whether one of these authorities is above the certificate, or above one that comes with it. */
export function isIssuedBy(certificates: string, authorities: string): boolean {
  const [chain = [], above = []] = [certificates, authorities].map((pem) =>
    pemBlocks(pem).flatMap((block) => (isCertificate(block) ? (readCertificate(block.der) ?? []) : [])),
  )
  return chain.some((one) => above.some((other) => one.checkIssued(other) && one.verify(other.publicKey)))
}

/** What may stand in a header as it is. */
export const isBearerToken = (token: string): boolean => /^[\x20-\x7E]+$/.test(token)

const isCertificate = ({hasHeaders, label}: PemBlock): boolean => label === CERTIFICATE && !hasHeaders

function demandKnownKind({asymmetricKeyDetails, asymmetricKeyType}: KeyObject): void {
  const curve = asymmetricKeyDetails?.namedCurve
  const kind = asymmetricKeyType === 'ec' ? (curve ?? 'an elliptic curve without a name') : asymmetricKeyType
  const isKnown =
    KEY_TYPES.includes(asymmetricKeyType ?? '') && (asymmetricKeyType !== 'ec' || CURVES.includes(kind ?? ''))
  if (isKnown) return
  throw new UnusableFileError(
    `its client key is of a kind that Kubernetes programs reject (${kind}): use RSA, P-256 or Ed25519`,
  )
}

function readCertificate(der: Buffer): X509Certificate | undefined {
  try {
    return new X509Certificate(der)
  } catch {
    return undefined
  }
}

/** parsePrivateKey of crypto/tls tries each form and ignores the label. Of an encrypted key none succeeds. */
function readKey({der}: PemBlock): KeyObject | undefined {
  for (const type of ['pkcs1', 'pkcs8', 'sec1'] as const) {
    try {
      return createPrivateKey({format: 'der', key: der, type})
    } catch {
      // The next form.
    }
  }

  return undefined
}

export interface PemBlock {
  readonly der: Buffer
  /** Go's callers skip a certificate that has any. */
  readonly hasHeaders: boolean
  readonly label: string
}

const BEGIN = '-----BEGIN '
const END = '-----END '
const DASHES = '-----'
// Spaces and line breaks may stand anywhere in it. Anchored, so that a text that is none fails at its first such letter.
const BASE64 = /^[\d+/a-z\s]*(?:={1,2}\s*)?$/i

/** Every block that is whole, in order. What is not is skipped, together with nothing but its first line. */
export function pemBlocks(text: string): PemBlock[] {
  const lines = text.split('\n').map((line) => line.replace(/\r$/, '').trimEnd())
  const blocks: PemBlock[] = []
  // The first END line at or after a line, found once for all BEGIN lines before it: a hostile text costs no more.
  let end = -1
  for (let at = 0; at < lines.length; at++) {
    const label = labelOf(lines[at] ?? '', BEGIN)
    if (label === undefined) continue
    let body = at + 1
    while (lines[body]?.includes(':')) body++
    if (end < body) for (end = body; end < lines.length && !lines[end]?.startsWith(END);) end++
    if (end === lines.length) break
    if (labelOf(lines[end] ?? '', END) !== label) continue
    const der = fromBase64(lines, body, end)
    if (der === undefined) continue
    blocks.push({der, hasHeaders: body > at + 1, label})
    at = end
  }

  return blocks
}

export function pemText({der, label}: PemBlock): string {
  const body = der.toString('base64').match(/.{1,64}/g) ?? []
  return [`${BEGIN}${label}${DASHES}`, ...body, `${END}${label}${DASHES}`, ''].join('\n')
}

/** Every block that a Go program reads, and nothing else; a text without one stays as it is. */
export function rewrittenPem(text: string): string {
  const blocks = pemBlocks(text).filter((block) => block.label !== CERTIFICATE || isCertificate(block))
  return blocks.map((block) => pemText(block)).join('') || text
}

function labelOf(line: string, start: string): string | undefined {
  if (!line.startsWith(start) || !line.endsWith(DASHES)) return undefined
  return line.length < start.length + DASHES.length ? undefined : line.slice(start.length, -DASHES.length)
}

function fromBase64(lines: readonly string[], from: number, to: number): Buffer | undefined {
  // Checked line by line first: joining a long text for every BEGIN line of a hostile one would be quadratic.
  for (let at = from; at < to; at++) if (lines[at]?.startsWith(DASHES)) return undefined
  const text = lines.slice(from, to).join('\n')
  if (!BASE64.test(text)) return undefined
  const letters = text.replaceAll(/\s/g, '')
  return letters.length % 4 === 0 ? Buffer.from(letters, 'base64') : undefined
}
