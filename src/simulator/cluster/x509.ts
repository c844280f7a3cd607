// Certificates and certificate requests in DER: Node's crypto reads certificates, but cannot make them.
// ITU-T X.690 for the encoding, RFC 2986 for requests (PKCS #10), RFC 5280 for certificates.
import {createHash, createPrivateKey, createPublicKey, type KeyObject, randomBytes, sign, verify} from 'node:crypto'

const TAG = {
  bits: 0x03,
  boolean: 0x01,
  bytes: 0x04,
  generalizedTime: 0x18,
  integer: 0x02,
  oid: 0x06,
  printable: 0x13,
  sequence: 0x30,
  set: 0x31,
  utcTime: 0x17,
  utf8: 0x0c,
} as const
const OID = {
  authorityKey: '551d23',
  basicConstraints: '551d13',
  commonName: '550403',
  ecdsaWithSha256: '2a8648ce3d040302',
  extendedUsage: '551d25',
  keyUsage: '551d0f',
  organization: '55040a',
  subjectAltName: '551d11',
} as const
/** Bits of KeyUsage and object identifiers of ExtKeyUsage, by the names of the Kubernetes API (certificates.k8s.io/v1, KeyUsage). */
const KEY_USAGES: Readonly<Record<string, number>> = {'digital signature': 0x80, 'key encipherment': 0x20}
const EXTENDED_USAGES: Readonly<Record<string, string>> = {
  'client auth': '2b06010505070302',
  'server auth': '2b06010505070301',
}

export interface Subject {
  readonly commonName: string
  readonly organizations: readonly string[]
}

export interface ParsedRequest extends Subject {
  readonly hasAlternativeNames: boolean
  readonly publicKey: KeyObject
}

export interface Issue {
  readonly notAfter: number
  readonly notBefore: number
  readonly request: ParsedRequest
  readonly signer: {readonly cert: string; readonly key: string}
  readonly usages: readonly string[]
}

/** A request with the public half of the key (PEM), as PEM. */
export function makeRequest(key: string, subject: Subject): string {
  const spki = createPublicKey(key).export({format: 'der', type: 'spki'})
  const info = der(TAG.sequence, integer(Buffer.of(0)), name(subject), spki, der(0xa0))
  return toPem('CERTIFICATE REQUEST', signed(info, createPrivateKey(key)))
}

/** Undefined where it is not a request, or not signed with its own key. */
export function parseRequest(pem: string): ParsedRequest | undefined {
  try {
    const body = /-----BEGIN CERTIFICATE REQUEST-----([\s\S]+?)-----END CERTIFICATE REQUEST-----/.exec(pem)?.[1]
    if (body === undefined) return undefined
    const [info, , signature] = children(Buffer.from(body, 'base64'))
    const [, subject, spki, attributes] = children(info?.whole)
    if (!info || !signature || !subject || !spki) return undefined
    const publicKey = createPublicKey({format: 'der', key: spki.whole, type: 'spki'})
    // The first byte of a bit string is the number of unused bits.
    if (!verify('sha256', info.whole, publicKey, signature.value.subarray(1))) return undefined
    const fields = children(subject.whole).flatMap(({whole}) => children(whole).map((one) => children(one.whole)))
    const all = (oid: string): string[] =>
      fields.flatMap(([type, value]) => (type?.value.toString('hex') === oid && value ? [value.value.toString()] : []))
    return {
      commonName: all(OID.commonName)[0] ?? '',
      hasAlternativeNames: attributes?.value.includes(object(OID.subjectAltName)) ?? false,
      organizations: all(OID.organization),
      publicKey,
    }
  } catch {
    return undefined
  }
}

/** The certificate that was requested, as PEM. */
export function issueCertificate({notAfter, notBefore, request, signer, usages}: Issue): string {
  const spki = request.publicKey.export({format: 'der', type: 'spki'})
  const authority = createPublicKey(signer.cert).export({format: 'der', type: 'spki'})
  const keyUsage = usages.reduce((bits, usage) => bits | (KEY_USAGES[usage] ?? 0), 0)
  const extended = usages.flatMap((usage) => EXTENDED_USAGES[usage] ?? []).map((oid) => object(oid))
  const unused = keyUsage === 0 ? 0 : Math.log2(keyUsage & -keyUsage)
  const tbs = der(
    TAG.sequence,
    der(0xa0, integer(Buffer.of(2))),
    // A positive number: the first bit is the sign.
    integer(Buffer.concat([Buffer.of(0x01), randomBytes(15)])),
    ALGORITHM,
    name({commonName: 'kubernetes', organizations: []}),
    der(TAG.sequence, time(notBefore), time(notAfter)),
    name(request),
    spki,
    der(
      0xa3,
      der(
        TAG.sequence,
        extension(OID.keyUsage, der(TAG.bits, Buffer.of(unused, keyUsage)), true),
        extension(OID.extendedUsage, der(TAG.sequence, ...extended)),
        extension(OID.basicConstraints, der(TAG.sequence), true),
        extension(OID.authorityKey, der(TAG.sequence, der(0x80, keyIdentifier(authority)))),
      ),
    ),
  )
  return toPem('CERTIFICATE', signed(tbs, createPrivateKey(signer.key)))
}

function der(tag: number, ...content: readonly Uint8Array[]): Buffer {
  const value = Buffer.concat(content)
  const {length} = value
  const size = length < 0x80 ? [length] : length < 0x1_00 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.of(tag, ...size), value])
}

interface Element {
  readonly value: Buffer
  readonly whole: Buffer
}

/** The elements within one. */
function children(element: Buffer | undefined): Element[] {
  const found: Element[] = []
  let rest = element ? valueOf(element).value : Buffer.alloc(0)
  while (rest.length > 0) {
    const next = valueOf(rest)
    found.push(next)
    rest = rest.subarray(next.whole.length)
  }

  return found
}

function valueOf(bytes: Buffer): Element {
  const first = bytes[1] ?? 0
  const extra = first < 0x80 ? 0 : first & 0x7f
  if (bytes.length < 2 + extra || extra > 4) throw new RangeError('DER: the length is incomplete')
  const length = extra === 0 ? first : bytes.readUIntBE(2, extra)
  const end = 2 + extra + length
  if (end > bytes.length) throw new RangeError('DER: the element is incomplete')
  return {value: bytes.subarray(2 + extra, end), whole: bytes.subarray(0, end)}
}

const object = (oid: string): Buffer => der(TAG.oid, Buffer.from(oid, 'hex'))
const integer = (value: Buffer): Buffer => der(TAG.integer, value)
const ALGORITHM = der(TAG.sequence, object(OID.ecdsaWithSha256))

const signed = (content: Buffer, key: KeyObject): Buffer =>
  der(TAG.sequence, content, ALGORITHM, der(TAG.bits, Buffer.of(0), sign('sha256', content, key)))

/** As Go orders them (crypto/x509/pkix, ToRDNSequence); a text is a PrintableString where that can hold it. */
function name({commonName, organizations}: Subject): Buffer {
  const field = (oid: string, text: string): Buffer => {
    const tag = /^[\w '()+,./:=?-]*$/.test(text) && !text.includes('_') ? TAG.printable : TAG.utf8
    return der(TAG.sequence, object(oid), der(tag, Buffer.from(text)))
  }

  const parts = organizations.map((one) => field(OID.organization, one))
  const rdns = [...(parts.length > 0 ? [der(TAG.set, ...parts)] : []), der(TAG.set, field(OID.commonName, commonName))]
  return der(TAG.sequence, ...rdns)
}

/** RFC 5280, 4.1.2.5: two digits of the year until 2049. */
function time(moment: number): Buffer {
  const [text = ''] = new Date(moment).toISOString().replaceAll(/[-:T]/g, '').split('.')
  const isShort = Number(text.slice(0, 4)) < 2050
  return der(isShort ? TAG.utcTime : TAG.generalizedTime, Buffer.from(`${isShort ? text.slice(2) : text}Z`))
}

const extension = (oid: string, value: Buffer, isCritical = false): Buffer =>
  der(TAG.sequence, object(oid), ...(isCritical ? [der(TAG.boolean, Buffer.of(0xff))] : []), der(TAG.bytes, value))

/** RFC 5280, 4.2.1.2, method 1: SHA-1 of the key's bits. */
function keyIdentifier(spki: Buffer): Buffer {
  const bits = children(spki)[1]?.value.subarray(1) ?? Buffer.alloc(0)
  return createHash('sha1').update(bits).digest()
}

function toPem(label: string, bytes: Buffer): string {
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? []
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`
}
