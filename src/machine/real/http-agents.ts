// Connections for one request: straight, through a proxy, or through a pipe. None is kept for the next request:
// the host's network is cut during setup, and a kept connection would fail the first request after it.
import {Agent as HttpAgent, type AgentOptions} from 'node:http'
import {Agent as HttpsAgent} from 'node:https'
import {checkServerIdentity, type PeerCertificate} from 'node:tls'
import type {Agents} from 'got'
import {HttpProxyAgent, HttpsProxyAgent} from 'hpagent'
import type {HttpRequest} from '../http.js'
import {proxyFor} from './http-proxy.js'

/** For the answer of a proxy to CONNECT, which got's own limits do not see. */
const PROXY_TIMEOUT_MS = 30_000

/**
 * As Go does: every certificate of the certificate authority of the kubeconfig is trusted as it is, also one that is not self-signed, an
 * authority that stands under a company's, or the server's own certificate. OpenSSL alone would want the root above it.
 */
const TRUST = {allowPartialTrustChain: true}

type Way = Pick<HttpRequest, 'pipe' | 'proxy'>

export function agentsFor(url: URL, {pipe, proxy: given}: Way, environment: NodeJS.ProcessEnv): Agents {
  // Agent hands its options to net.connect, which knows socketPath as `path`; the declared type leaves it out.
  if (pipe !== undefined) return {http: new HttpAgent({socketPath: pipe} as AgentOptions)}
  const proxy = given === undefined ? proxyFor(url, environment) : new URL(given)
  if (!proxy) return {http: new HttpAgent(), https: new HttpsAgent(TRUST)}
  const options = {...TRUST, proxy, timeout: PROXY_TIMEOUT_MS}
  return {http: new HttpProxyAgent(options), https: new HttpsProxyAgent(options)}
}

/**
 * Only the names and addresses of the subjectAltName extension count. Node still takes the common name where that
 * extension has no DNS name; Go stopped doing so in 1.15 (crypto/x509, VerifyHostname).
 */
export function serverIdentityProblem(host: string, certificate: PeerCertificate): Error | undefined {
  const {subject} = certificate
  const nameless = {...certificate, subject: {...subject, CN: ''}}
  const problem = checkServerIdentity(host, nameless)
  if (problem === undefined || checkServerIdentity(host, certificate) !== undefined) return problem
  const message = `the server's certificate names ${host} only as its common name`
  return Object.assign(new Error(message), {code: 'CERT_COMMON_NAME_ONLY'})
}
