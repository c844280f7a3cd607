// One request and the beginning of its answer, redirects followed. The body is read by the caller.
import {createHash} from 'node:crypto'
import {Agent as HttpAgent, type AgentOptions, type ClientRequest} from 'node:http'
import {Agent as HttpsAgent} from 'node:https'
import {isIP, type Socket} from 'node:net'
import {Readable} from 'node:stream'
import {checkServerIdentity, type PeerCertificate} from 'node:tls'
import got from 'got'
import {type Agents, type Request, RequestError, type Response} from 'got'
import {HttpProxyAgent, HttpsProxyAgent} from 'hpagent'
import type {Clock, Deadline} from '../clock.js'
import {safeUrl, withoutCredentials} from '../credentials.js'
import type {Files} from '../files.js'
import {HttpError, type HttpRequest, type JudgePeer} from '../http.js'
import {isUnable} from '../retrying.js'
import packageDocument from '../../../package.json' with {type: 'json'}
import {proxyAt, proxyFor} from './http-proxy.js'
import {judgedAgent} from './judged-connection.js'
import {drop, type KeptConnections} from './kept-connections.js'

/** Servers keep what is before the slash as who changed an object last; got's own would be cut to nonsense there. */
const USER_AGENT = `k8s-win/${packageDocument.version}`
const MAX_REDIRECTS = 5
const REDIRECTS = new Set([301, 302, 303, 307, 308])
/** Headers that are for the host they were meant for and no other. */
const PRIVATE_HEADERS = new Set(['authorization', 'cookie', 'proxy-authorization'])

/** What the client needs of its machine. */
export interface HttpContext {
  readonly clock: Clock
  readonly environment: NodeJS.ProcessEnv
  readonly files: Files
}

export interface HttpExchange extends Omit<HttpRequest, 'deadlineMs' | 'effect'> {
  readonly deadline: Deadline
  /** Longest silence. Only downloads have one: Docker may build or wait without a word until the deadline. */
  readonly idleMs?: number
}

export interface HttpAnswer {
  /** Destroy it when its body is not read to the end. */
  readonly body: Request
  readonly connection: symbol
  readonly headers: Readonly<Record<string, string>>
  readonly status: number
}

export async function exchange(
  request: HttpExchange,
  environment: NodeJS.ProcessEnv,
  kept: KeptConnections = new Map(),
): Promise<HttpAnswer> {
  if (!URL.canParse(request.url)) {
    const url = safeUrl(request.url)
    throw new HttpError(url, 'ERR_INVALID_URL', `${url}: is not a URL`)
  }
  let current = request
  for (let redirects = 0; ; redirects++) {
    const answer = await send(current, environment, kept)
    const next = redirectOf(current, answer)
    if (next === undefined) return answer
    answer.body.destroy()
    if (redirects === MAX_REDIRECTS) {
      const url = safeUrl(request.url)
      throw new HttpError(url, 'TOO_MANY_REDIRECTS', `${url}: redirected more than ${MAX_REDIRECTS} times`)
    }
    current = next
  }
}

async function send(request: HttpExchange, environment: NodeJS.ProcessEnv, kept: KeptConnections): Promise<HttpAnswer> {
  request.signal?.throwIfAborted()
  let body: Request | undefined
  const judged = request.judgePeer && judgedOnce(request.judgePeer)
  try {
    const url = new URL(request.url)
    body = got.stream(url, {
      agent: judged ? {http: judgedAgent(judged.judge)} : agentsFor(url, request, environment, kept),
      decompress: false,
      followRedirect: false,
      headers: {'user-agent': USER_AGENT, ...(request.isKept && {'accept-encoding': 'gzip'}), ...request.headers},
      https: tlsOptions(request),
      method: request.method,
      retry: {limit: 0},
      signal: AbortSignal.any([request.deadline.signal, ...(request.signal ? [request.signal] : [])]),
      strictContentLength: true,
      throwHttpErrors: false,
      timeout: {
        connect: 30_000,
        // A pipe has no name to look up: a slow machine would be called a slow name server.
        ...(request.pipe === undefined ? {lookup: 20_000} : {}),
        secureConnect: 30_000,
        ...(request.idleMs === undefined ? {} : {response: request.idleMs, socket: request.idleMs}),
      },
      ...bodyOf(request),
    })
    const socket = socketOf(body)
    const response = await responseOf(body)
    return {body, connection: nameOf(await socket), headers: plainHeaders(response), status: response.statusCode}
  } catch (error) {
    body?.destroy()
    // The others may be as dead as this one.
    if (request.isKept && !request.signal?.aborted) drop(kept)
    throw judged?.refusal() ?? unlessJudged(judged, httpFailure(error, request))
  }
}

interface Judged {
  isDone(): boolean
  judge: JudgePeer
  /** What the peer was refused with. */
  refusal(): unknown
}

function judgedOnce(judgePeer: JudgePeer): Judged {
  let isDone = false
  let refusal: unknown
  return {
    isDone: () => isDone,
    async judge(ends) {
      try {
        await judgePeer(ends)
        isDone = true
      } catch (error) {
        refusal = error
        throw error
      }
    },
    refusal: () => refusal,
  }
}

/** Before its peer was judged, nothing but a refusal says something about the server that was meant. */
function unlessJudged(judged: Judged | undefined, error: unknown): unknown {
  if (!judged || judged.isDone() || !(error instanceof HttpError) || error.code === 'ECONNREFUSED') return error
  return new HttpError(error.url, 'UNJUDGED', error.message, {cause: error})
}

/** got waits for ever for the end of a stream's body that was not given, so one without a body says so. */
function bodyOf({body, method}: HttpExchange): {body?: Readable | string | Uint8Array} {
  if (body === undefined) return method === 'GET' || method === 'HEAD' ? {} : {body: ''}
  return {body: typeof body === 'string' || body instanceof Uint8Array ? body : Readable.from(body)}
}

function tlsOptions({tls = {}}: HttpExchange) {
  const {serverName} = tls
  // An address is not a name to be sent (RFC 6066): as Go does, nothing is, and the certificate is held against it.
  const isAddress = serverName !== undefined && isIP(serverName) !== 0
  return {
    checkServerIdentity: isAddress
      ? (_: string, certificate: PeerCertificate) => serverIdentityProblem(serverName, certificate)
      : serverIdentityProblem,
    ...(tls.ca === undefined ? {} : {certificateAuthority: tls.ca}),
    ...(tls.cert === undefined ? {} : {certificate: tls.cert}),
    ...(tls.isUnverified && {rejectUnauthorized: false}),
    ...(tls.key === undefined ? {} : {key: tls.key}),
    ...(serverName === undefined ? {} : {serverName: isAddress ? '' : serverName}),
  }
}

function responseOf(stream: Request): Promise<Response> {
  return new Promise((resolve, reject) => {
    stream.once('response', resolve)
    // Stays for the stream's life: an error without a reader must not end the program.
    stream.on('error', reject)
  })
}

/** The answer itself has none any more where it has no body. */
const socketOf = (stream: Request): Promise<Socket> =>
  new Promise((resolve) => {
    stream.once('request', (request: ClientRequest) => {
      // Of a connection that is kept there may be one already.
      if (request.socket) resolve(request.socket)
      else request.once('socket', resolve)
    })
  })

const names = new WeakMap<Socket, symbol>()

function nameOf(socket: Socket): symbol {
  const name = names.get(socket) ?? Symbol('connection')
  names.set(socket, name)
  return name
}

function plainHeaders(response: Response): Record<string, string> {
  return Object.fromEntries(
    Object.entries(response.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : (value ?? ''),
    ]),
  )
}

function redirectOf(request: HttpExchange, {headers, status}: HttpAnswer): HttpExchange | undefined {
  const {location} = headers
  const {body, followRedirects = true, method, pipe} = request
  const followed = followRedirects && body === undefined && pipe === undefined && /^(?:GET|HEAD)$/u.test(method)
  if (!followed || !location || !REDIRECTS.has(status) || !URL.canParse(location, request.url)) return undefined
  const [from, to] = [new URL(request.url), new URL(location, request.url)]
  if (to.protocol !== 'https:' && !(to.protocol === 'http:' && from.protocol === 'http:')) {
    const url = safeUrl(request.url)
    throw new HttpError(url, 'INSECURE_REDIRECT', `${url}: redirects to ${safeUrl(to.href)}, which is not secure`)
  }
  if (to.origin === from.origin) return {...request, url: to.href}
  const {tls = {}, ...rest} = request
  const kept = Object.entries(request.headers ?? {}).filter(([name]) => !PRIVATE_HEADERS.has(name.toLowerCase()))
  return {
    ...rest,
    headers: Object.fromEntries(kept),
    url: to.href,
    ...(tls.ca === undefined ? {} : {tls: {ca: tls.ca}}),
  }
}

/** For the answer of a proxy to CONNECT, which got's own limits do not see. */
const PROXY_TIMEOUT_MS = 30_000

/**
 * As Go does: every certificate of the certificate authority of the kubeconfig is trusted as it is, also one that is not self-signed, an
 * authority that stands under a company's, or the server's own certificate. OpenSSL alone would want the root above it.
 */
const TRUST = {allowPartialTrustChain: true}

/**
 * A few per identity, each until nothing was asked for this long: kube-apiserver ends it after 90 s, load balancers forget it
 * after minutes. Node lets the process end while they are open (http.Agent, keepSocketAlive). Sessions are not
 * resumed, because Node does not compare the server's name again then.
 */
const KEPT = {keepAlive: true, maxCachedSessions: 0, maxSockets: 4, timeout: 30_000}

function agentsFor(url: URL, request: HttpExchange, environment: NodeJS.ProcessEnv, kept: KeptConnections): Agents {
  const {isDirect, isKept, pipe, proxy: given, tls} = request
  // Agent hands its options to net.connect, which knows socketPath as `path`; the declared type leaves it out.
  if (pipe !== undefined) return {http: new HttpAgent({socketPath: pipe} as AgentOptions)}
  const ofEnvironment = isDirect ? undefined : proxyFor(url, environment)
  const proxy = given === undefined ? ofEnvironment : proxyAt(given, url, 'proxy-url')
  if (!isKept) return openAgents(proxy, {})
  const parts = JSON.stringify([url.origin, proxy?.href, tls])
  const key = createHash('sha256').update(parts).digest('hex')
  const agents = kept.get(key) ?? openAgents(proxy, KEPT)
  kept.set(key, agents)
  return agents
}

function openAgents(proxy: URL | undefined, keeping: AgentOptions): Agents {
  const options = {...TRUST, ...keeping}
  if (!proxy) return {http: new HttpAgent(keeping), https: new HttpsAgent(options)}
  const through = {timeout: PROXY_TIMEOUT_MS, ...options, proxy}
  return {http: new HttpProxyAgent(through), https: new HttpsProxyAgent(through)}
}

/**
 * Only the names and addresses of the subjectAltName extension count. Node still takes the common name where that
 * extension has no DNS name; Go stopped doing so in 1.15 (crypto/x509, VerifyHostname).
 */
function serverIdentityProblem(host: string, certificate: PeerCertificate): Error | undefined {
  const {subject} = certificate
  const nameless = {...certificate, subject: {...subject, CN: ''}}
  const problem = checkServerIdentity(host, nameless)
  if (problem === undefined || checkServerIdentity(host, certificate) !== undefined) return problem
  const message = `the server's certificate names ${host} only as its common name`
  return Object.assign(new Error(message), {code: 'CERT_COMMON_NAME_ONLY'})
}

/** A connection that ends before the announced length, or in the middle of a chunk. */
const CUT_SHORT = new Set(['ECONNRESET', 'ERR_HTTP_CONTENT_LENGTH_MISMATCH', 'ERR_STREAM_PREMATURE_CLOSE', 'EPIPE'])

const INCOMPLETE = 'the response is incomplete'

interface FailedExchange {
  readonly deadline: Deadline
  readonly signal?: AbortSignal
  readonly url: string
}

/** What a failed exchange rejects with. An abort by the caller has the caller's own reason. */
export function httpFailure(error: unknown, exchange: FailedExchange): unknown {
  if (exchange.signal?.aborted) return exchange.signal.reason
  const url = safeUrl(exchange.url)
  if (exchange.deadline.signal.aborted) {
    const reason = exchange.deadline.signal.reason as Error
    return new HttpError(url, 'ETIMEDOUT', `${url}: ${reason.message}`, {cause: reason})
  }
  // Of zlib: a compressed answer that is cut short, or is none.
  if (/^Z_/.test((error as {code?: string}).code ?? '')) return new HttpError(url, 'TRUNCATED', `${url}: ${INCOMPLETE}`)
  if (!(error instanceof RequestError)) return error
  const code = codeOf(error)
  // The error of got is not passed on as cause: it holds the request's headers.
  return new HttpError(url, code, `${url}: ${code === 'TRUNCATED' ? INCOMPLETE : textOf(error)}`)
}

function codeOf(error: RequestError): string {
  if (error.response && CUT_SHORT.has(error.code)) return 'TRUNCATED'
  // hpagent gives its errors no code.
  const refusal = proxyRefusal(error)
  if (refusal !== undefined) return isUnable(Number(refusal), 'read') ? 'PROXY_UNABLE' : 'PROXY_REFUSED'
  if (error.message === 'Proxy timeout') return 'ETIMEDOUT'
  return error.code
}

/** The status with which a proxy has refused to connect. */
const proxyRefusal = ({message}: RequestError): string | undefined => /^Bad response: (\d+)$/u.exec(message)?.[1]

function textOf(error: RequestError): string {
  const status = proxyRefusal(error)
  return status === undefined ? withoutCredentials(error.message) : `the proxy refused the connection with ${status}`
}
