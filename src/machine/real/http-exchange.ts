// One request and the beginning of its answer, redirects followed. The body is read by the caller.
import {isIP} from 'node:net'
import {Readable} from 'node:stream'
import type {PeerCertificate} from 'node:tls'
import got from 'got'
import type {Request, Response} from 'got'
import type {Deadline} from '../clock.js'
import {safeUrl} from '../credentials.js'
import type {HttpRequest} from '../http.js'
import {HttpError} from '../http.js'
import {agentsFor} from './http-agents.js'
import {httpFailure} from './http-failure.js'
import {serverIdentityProblem} from './http-agents.js'

/** Servers keep it as who changed an object last; got's own would be cut to nonsense there. */
const USER_AGENT = 'k8s-win'
const MAX_REDIRECTS = 5
const REDIRECTS = new Set([301, 302, 303, 307, 308])
/** Headers that are for the host they were meant for and no other. */
const PRIVATE_HEADERS = new Set(['authorization', 'cookie', 'proxy-authorization'])

export interface HttpExchange extends Omit<HttpRequest, 'deadlineMs' | 'effect'> {
  readonly deadline: Deadline
  /** Longest silence. Only downloads have one: Docker may build or wait without a word until the deadline. */
  readonly idleMs?: number
}

export interface HttpAnswer {
  /** Destroy it when its body is not read to the end. */
  readonly body: Request
  readonly headers: Readonly<Record<string, string>>
  readonly status: number
}

export async function exchange(request: HttpExchange, environment: NodeJS.ProcessEnv): Promise<HttpAnswer> {
  if (!URL.canParse(request.url)) {
    const url = safeUrl(request.url)
    throw new HttpError(url, 'ERR_INVALID_URL', `${url}: is not a URL`)
  }
  let current = request
  for (let redirects = 0; ; redirects++) {
    const answer = await send(current, environment)
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

async function send(request: HttpExchange, environment: NodeJS.ProcessEnv): Promise<HttpAnswer> {
  request.signal?.throwIfAborted()
  let body: Request | undefined
  try {
    const url = new URL(request.url)
    body = got.stream(url, {
      agent: agentsFor(url, request, environment),
      decompress: false,
      followRedirect: false,
      headers: {'user-agent': USER_AGENT, ...request.headers},
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
    const response = await responseOf(body)
    return {body, headers: plainHeaders(response), status: response.statusCode}
  } catch (error) {
    body?.destroy()
    throw httpFailure(error, request)
  }
}

/** got waits for ever for the end of a stream's body that was not given, so one without a body says so. */
function bodyOf({body, method}: HttpExchange): {body?: Readable | string | Uint8Array} {
  if (body === undefined) return method === 'GET' || method === 'HEAD' ? {} : {body: ''}
  return {body: typeof body === 'string' || body instanceof Uint8Array ? body : Readable.from(body)}
}

function tlsOptions({tls = {}}: HttpExchange) {
  const {serverName} = tls
  // An address is no name to be sent (RFC 6066): as Go does, nothing is, and the certificate is held against it.
  const isAddress = serverName !== undefined && isIP(serverName) !== 0
  return {
    checkServerIdentity: isAddress
      ? (_: string, certificate: PeerCertificate) => serverIdentityProblem(serverName, certificate)
      : serverIdentityProblem,
    ...(tls.ca === undefined ? {} : {certificateAuthority: tls.ca}),
    ...(tls.cert === undefined ? {} : {certificate: tls.cert}),
    ...(tls.key === undefined ? {} : {key: tls.key}),
    ...(serverName === undefined ? {} : {serverName: isAddress ? '' : serverName}),
  }
}

function responseOf(stream: Request): Promise<Response> {
  return new Promise((resolve, reject) => {
    stream.once('response', resolve)
    // Stays for the stream's life: an error while nobody reads must not end the program.
    stream.on('error', reject)
  })
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
