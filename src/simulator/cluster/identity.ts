// Who calls the simulated API server: the subject of a client certificate, or the owner of a bearer token.
import {X509Certificate} from 'node:crypto'

import type {TlsOptions} from '../../machine/http.js'
import {remembered} from '../../machine/remembered.js'
import type {ClusterState} from '../world.js'
import {tokenIdentity} from './bootstrap-tokens.js'
import {CLUSTER_CA, SIGNER} from './certificates.js'

const AUTHORITIES = [CLUSTER_CA, SIGNER.cert].map((pem) => new X509Certificate(pem).publicKey)

export interface Identity {
  readonly groups: readonly string[]
  readonly user: string
}

/** A request without credentials, unless --anonymous-auth=false. */
export const ANONYMOUS: Identity = {groups: ['system:unauthenticated'], user: 'system:anonymous'}

/** Node's error code if the client does not trust the server's authority. */
export function trustProblem(
  tls: TlsOptions | undefined,
  {serverAuthority = CLUSTER_CA}: Pick<ClusterState, 'serverAuthority'> = {},
): string | undefined {
  const trusted = (tls?.ca ?? '').match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g) ?? []
  const wanted = serverAuthority.trim()
  return trusted.some((pem) => pem === wanted || read(pem)?.fingerprint256 === read(wanted)?.fingerprint256)
    ? undefined
    : 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'
}

/** Undefined for invalid credentials, which the server answers with 401. */
export function identify(
  cluster: ClusterState,
  tls: TlsOptions | undefined,
  headers: Readonly<Record<string, string>>,
  now: number,
): Identity | undefined {
  const {clockAheadMs = 0, elsewhere, tokens} = cluster
  const serverTime = now + clockAheadMs
  if (elsewhere) return {groups: ['system:masters'], user: 'twin'}
  const certificate = tls?.cert === undefined ? undefined : read(tls.cert)
  if (certificate && isOurs(certificate, serverTime)) {
    const subject = certificate.subject.split('\n').map((line) => line.split(/=(.*)/s))
    const all = (key: string): string[] => subject.flatMap(([name, value]) => (name === key ? [value ?? ''] : []))
    return {groups: [...all('O'), 'system:authenticated'], user: all('CN')[0] ?? ''}
  }

  const authorization = Object.entries(headers).find(([name]) => name.toLowerCase() === 'authorization')?.[1]
  if (tls?.cert === undefined && authorization === undefined) return ANONYMOUS
  const token = /^Bearer (.+)$/i.exec(authorization ?? '')?.[1] ?? ''
  const user = tokens?.[token]
  if (user === undefined) return tokenIdentity(cluster, token, serverTime)
  return {groups: [...groupsOf(user), 'system:authenticated'], user}
}

/** The groups of bootstrap tokens, service accounts and nodes. */
function groupsOf(user: string): string[] {
  if (user.startsWith('system:node:')) return ['system:nodes']
  if (user.startsWith('system:bootstrap:')) return ['system:bootstrappers']
  return user.startsWith('system:serviceaccount:') ? ['system:serviceaccounts'] : []
}

function isOurs({isSigned, validFrom, validTo}: Certificate, now: number): boolean {
  return isSigned && validFrom <= now && now <= validTo
}

interface Certificate {
  readonly fingerprint256: string
  readonly isSigned: boolean
  readonly subject: string
  readonly validFrom: number
  readonly validTo: number
}

/** OpenSSL takes milliseconds to read a certificate. */
const read = remembered((pem): Certificate | undefined => {
  try {
    const certificate = new X509Certificate(pem)
    const {fingerprint256, subject, validFrom, validTo} = certificate
    const isSigned = AUTHORITIES.some((key) => certificate.verify(key))
    return {fingerprint256, isSigned, subject, validFrom: Date.parse(validFrom), validTo: Date.parse(validTo)}
  } catch {
    return undefined
  }
})
