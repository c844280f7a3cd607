// Connections for one request: straight, through a proxy, or through a pipe. None is kept for the next request:
// the host's network is cut during setup, and a kept connection would fail the first request after it.
import {Agent as HttpAgent} from 'node:http'
import type {AgentOptions} from 'node:http'
import {Agent as HttpsAgent} from 'node:https'
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
