// The ConfigMap kube-public/cluster-info: a kubeconfig without credentials, which everybody may read, and for each
// bootstrap token a signature of it. It is how a node that knows only a token learns the cluster's CA.
import {createHmac} from 'node:crypto'
import {partsOf} from '../../config/options/parse-join.js'
import {UnusableFileError} from '../../errors/k8s-win-error.js'
import {at, parseJson, textAt} from '../document.js'
import {readAllAuthorities} from './key-material.js'
import {clusterIn, textIn} from './kubeconfig-document.js'

export const CLUSTER_INFO_PATH = '/api/v1/namespaces/kube-public/configmaps/cluster-info'
/** A few certificates. Parsing YAML takes far longer than hashing it. */
const LARGEST = 256 * 1024

export interface ClusterInfo {
  /** '' where there is none. */
  readonly kubeconfig: string
  /** '' where the token has not signed it, or not yet. */
  signatureOf(token: string): string
}

/** Undefined where the answer is no such object: a login page, or the answer of another program. */
export function readClusterInfo(body: Buffer): ClusterInfo | undefined {
  const answer = parseJson(body.toString('utf8'))
  if (typeof answer !== 'object' || answer === null || at(answer, 'metadata') === undefined) return undefined
  return {
    kubeconfig: textAt(answer, 'data', 'kubeconfig'),
    signatureOf: (token) => textAt(answer, 'data', `jws-kubeconfig-${partsOf(token).id}`),
  }
}

/**
 * JWS with detached content (RFC 7515, appendix F), compared as a whole text, as kubeadm does it (kubernetes:
 * staging/src/k8s.io/cluster-bootstrap/token/jws/jws.go). Padding the secret with zeros, as it does, changes no HMAC.
 */
export function detachedSignature(
  content: string,
  {id, secret}: {readonly id: string; readonly secret: string},
): string {
  // go-jose sorts the names of the header.
  const header = base64url(JSON.stringify({alg: 'HS256', kid: id}))
  const mac = createHmac('sha256', secret)
    .update(`${header}.${base64url(content)}`)
    .digest('base64url')
  return `${header}..${mac}`
}

const base64url = (text: string): string => Buffer.from(text, 'utf8').toString('base64url')

export const isSignedBy = (token: string, {kubeconfig, signatureOf}: ClusterInfo): boolean =>
  signatureOf(token) === detachedSignature(kubeconfig, partsOf(token))

/** Throws an UnusableFileError that says in a sentence what is wrong with it. */
export function readClusterOf({kubeconfig}: Pick<ClusterInfo, 'kubeconfig'>): {
  readonly ca: string
  readonly server: string
} {
  if (kubeconfig.length > LARGEST) throw new UnusableFileError(`it has more than ${LARGEST / 1024} KiB`)
  const cluster = clusterIn(Buffer.from(kubeconfig, 'utf8'))
  if (cluster['insecure-skip-tls-verify'] === true)
    throw new UnusableFileError('it has insecure-skip-tls-verify: the API server is not authenticated')
  const authority = textIn(cluster, 'certificate-authority-data')
  if (authority === undefined) throw new UnusableFileError('it contains no certificate authority')
  return {ca: readCA(authority), server: readServer(textIn(cluster, 'server'))}
}

/** Undefined where it is none of these: no kubeconfig, or one without its authority in it. */
export function clusterOf(kubeconfig: string): ReturnType<typeof readClusterOf> | undefined {
  try {
    return readClusterOf({kubeconfig})
  } catch (error) {
    if (error instanceof UnusableFileError) return undefined
    throw error
  }
}

function readCA(base64: string): string {
  try {
    return readAllAuthorities(Buffer.from(base64, 'base64').toString('utf8'))
  } catch (error) {
    if (error instanceof UnusableFileError) throw new UnusableFileError(`its certificate authority ${error.message}`)
    throw error
  }
}

/** As the URL parser writes it: the text itself may contain line breaks, which it skips. */
function readServer(text: string | undefined): string {
  if (text === undefined) throw new UnusableFileError('it contains no server')
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol !== 'https:') throw new UnusableFileError('its server is not an https address')
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw new UnusableFileError('its server has a user, a query or a fragment')
  return url.href.replace(/(?<!\/)\/+$/, '')
}
