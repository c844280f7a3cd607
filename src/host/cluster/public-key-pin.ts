// The hash of a certificate's public key, as kubeadm pins an authority (cmd/kubeadm/app/util/pubkeypin/pubkeypin.go): over
// the bytes of SubjectPublicKeyInfo as they are in the certificate. OpenSSL would write some keys in another form.
import {createHash} from 'node:crypto'
import {UnusableFileError} from '../../errors/k8s-win-error.js'
import {pemBlocks, type PemBlock, pemText} from './key-material.js'

export interface PinnedKey {
  /** PEM. */
  readonly certificate: string
  /** sha256:<hex>, lower case. */
  readonly hash: string
}

/** Of every certificate in a PEM whose certificates were judged before (readAllAuthorities). */
export function pinnedKeysIn(pem: string): PinnedKey[] {
  return pemBlocks(pem)
    .filter(({label}) => label === 'CERTIFICATE')
    .map((block) => ({certificate: pemText(block), hash: hashOf(block)}))
}

const hashOf = ({der}: PemBlock): string => `sha256:${createHash('sha256').update(publicKeyInfo(der)).digest('hex')}`

/** RFC 5280, section 4.1: TBSCertificate; its version has the explicit tag 0 and is absent in version 1. */
const BEFORE_KEY = ['serialNumber', 'signature', 'issuer', 'validity', 'subject'].length
const SEQUENCE = 0x30
const VERSION = 0xa0

/** Throws an UnusableFileError where it is not a certificate. */
export function publicKeyInfo(certificate: Buffer): Buffer {
  const whole = elementAt(certificate, 0, certificate.length)
  const signed = elementAt(certificate, whole.content, whole.end)
  let element = elementAt(certificate, signed.content, signed.end)
  if (element.tag === VERSION) element = elementAt(certificate, element.end, signed.end)
  for (let left = BEFORE_KEY; left > 0; left--) element = elementAt(certificate, element.end, signed.end)
  if (whole.tag !== SEQUENCE || signed.tag !== SEQUENCE || element.tag !== SEQUENCE) throw notDer()
  return certificate.subarray(element.start, element.end)
}

interface Element {
  readonly content: number
  readonly end: number
  readonly start: number
  readonly tag: number
}

/** X.690, 8.1: one octet of tag, then the length: up to 127 in one octet, else in as many as the first one says. */
function elementAt(bytes: Buffer, start: number, limit: number): Element {
  const [tag, first] = [bytes[start], bytes[start + 1]]
  if (tag === undefined || first === undefined || start + 2 > limit) throw notDer()
  const octets = first < 0x80 ? 0 : first - 0x80
  const content = start + 2 + octets
  // Indefinite lengths are not DER, and four octets are more than any file that is read here has.
  if (first === 0x80 || octets > 4 || content > limit) throw notDer()
  const end = content + (octets === 0 ? first : bytes.readUIntBE(start + 2, octets))
  if (end > limit) throw notDer()
  return {content, end, start, tag}
}

const notDer = (): UnusableFileError => new UnusableFileError('it contains a certificate that cannot be read')
