// Why an API server may not know the kubeconfig's identity, as far as it can be seen from here. Holds no secret.
import {X509Certificate} from 'node:crypto'
import type {Kubeconfig} from './kubeconfig.js'

export function whyUnknown(kubeconfig: Kubeconfig, now: number): string {
  const lapsed = whyLapsed(kubeconfig, now)
  if (lapsed !== undefined) return lapsed
  if (kubeconfig.certificate !== undefined) return 'The client certificate may be of another cluster.'
  if (kubeconfig.token !== undefined) return 'The token may be of another cluster, or was deleted there.'
  if (kubeconfig.exec) return `The plugin ${kubeconfig.exec.command} gave the credentials.`
  return "The kubeconfig's user has neither a certificate nor a token."
}

/** Undefined where its time is not over, or nobody can tell. */
export function whyLapsed({certificate, token}: Kubeconfig, now: number): string | undefined {
  if (certificate !== undefined) {
    const {validFrom, validTo} = new X509Certificate(certificate)
    if (Date.parse(validTo) < now) return `The client certificate expired on ${day(Date.parse(validTo))}.`
    if (Date.parse(validFrom) > now) return `The client certificate is valid only from ${day(Date.parse(validFrom))}.`
    return undefined
  }

  const expires = token === undefined ? undefined : expiryOf(token)
  return expires !== undefined && expires < now ? `The token expired on ${day(expires)}.` : undefined
}

/** Of a service account's token, which is a JWT. */
function expiryOf(token: string): number | undefined {
  try {
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8')) as {exp?: unknown}
    return typeof claims.exp === 'number' && claims.exp > 0 ? claims.exp * 1000 : undefined
  } catch {
    return undefined
  }
}

const day = (ms: number): string => new Date(ms).toISOString().slice(0, 10)
