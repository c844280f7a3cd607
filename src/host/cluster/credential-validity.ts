// Why an API server may not know the kubeconfig's identity, as far as it can be seen from here. Holds no secret.
import {at, parseJson, textAt} from '../document.js'
import {certificateIn} from './key-material.js'
import type {Kubeconfig} from './kubeconfig.js'

/** The last second a date can have. */
const LATEST_S = 8_640_000_000_000

export function whyUnknown(kubeconfig: Kubeconfig, now: number): string {
  const lapsed = whyLapsed(kubeconfig, now)
  if (lapsed !== undefined) return lapsed
  if (kubeconfig.certificate !== undefined) return 'The client certificate may be of another cluster.'
  if (kubeconfig.token !== undefined) return 'The token may be of another cluster, or was deleted there.'
  if (kubeconfig.exec) return `The plugin ${kubeconfig.exec.command} gave the credentials.`
  return "The kubeconfig's user has neither a certificate nor a token."
}

/** Undefined if it has not expired, or if that is unknown. */
export function whyLapsed({certificate, token}: Kubeconfig, now: number): string | undefined {
  if (certificate !== undefined) {
    const {validFrom, validTo} = certificateIn(certificate)
    if (Date.parse(validTo) < now) return `The client certificate expired on ${day(Date.parse(validTo))}.`
    if (Date.parse(validFrom) > now) return `The client certificate is valid only from ${day(Date.parse(validFrom))}.`
    return undefined
  }

  const expires = token === undefined ? undefined : expiryOf(token)
  return expires !== undefined && expires < now ? `The token expired on ${day(expires)}.` : undefined
}

/** When it expires; undefined if that is unknown, as for the credentials of a plugin. */
export function validUntil({certificate, token}: Kubeconfig): number | undefined {
  if (certificate !== undefined) return Date.parse(certificateIn(certificate).validTo)
  return token === undefined ? undefined : expiryOf(token)
}

/** What the cluster calls it: the certificate's common name, or a service account's; undefined where only the cluster knows. */
export function userOf({certificate, token}: Kubeconfig): string | undefined {
  if (certificate !== undefined) return inSubject(certificate, 'CN')[0]
  const subject = token === undefined ? '' : textAt(claimsOf(token), 'sub')
  return subject.startsWith('system:serviceaccount:') ? subject : undefined
}

/** The groups of its certificate's subject; those of a token only the cluster knows. */
export function groupsOf({certificate}: Pick<Kubeconfig, 'certificate'>): string[] {
  return certificate === undefined ? [] : inSubject(certificate, 'O')
}

/** Go writes several groups as one name of several parts (crypto/x509/pkix, appendRDNs), which OpenSSL shows on one line. */
const inSubject = (certificate: string, attribute: 'CN' | 'O'): string[] =>
  certificateIn(certificate)
    .subject.split(/\n| \+ /)
    .flatMap((part) => (part.startsWith(`${attribute}=`) ? [part.slice(attribute.length + 1)] : []))

/** That of the API server, and that of kubeadm's admin.conf from 1.29 on (constants.go, ClusterAdminsGroupAndClusterRoleBinding). */
const ADMINISTRATORS = ['system:masters', 'kubeadm:cluster-admins']

/** The group of the client certificate that may do everything; undefined where it has none. */
export const administratorsOf = (kubeconfig: Pick<Kubeconfig, 'certificate'>): string | undefined =>
  groupsOf(kubeconfig).find((group) => ADMINISTRATORS.includes(group))

/** "abcdef.0123456789abcdef" (cluster-bootstrap/token/api, BootstrapTokenPattern). */
export const isBootstrapToken = ({certificate, token = ''}: Kubeconfig): boolean =>
  certificate === undefined && /^[a-z0-9]{6}\.[a-z0-9]{16}$/.test(token)

function expiryOf(token: string): number | undefined {
  const expires = at(claimsOf(token), 'exp')
  const isTime = typeof expires === 'number' && expires > 0 && expires <= LATEST_S
  return isTime ? expires * 1000 : undefined
}

/** Of a service account's token, which is a JWT. */
const claimsOf = (token: string): unknown =>
  parseJson(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'))

export const day = (ms: number): string => new Date(ms).toISOString().slice(0, 10)
