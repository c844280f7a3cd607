// Who answers a request of the simulated host: Docker, the cluster, a daemon on loopback, the mirror, or nothing.
import {safeUrl} from '../machine/credentials.js'
import {HttpError, type HttpRequest} from '../machine/http.js'
import {answerCluster} from './cluster/api-server.js'
import {identify, trustProblem} from './cluster/identity.js'
import {pipeOwner} from './containerd/lifetime.js'
import {answerLocalPort} from './daemons/index.js'
import {answerDocker, isDockerRunning} from './docker/engine.js'
import type {DeclaredDigests} from './mirror/digests.js'
import {answerMetadata, METADATA_HOST} from './metadata.js'
import {fetchFromMirror, MIRROR_HOSTS, type MirrorFile} from './mirror/mirror.js'
import type {ModelRequest, ModelResponse, Stage} from './model.js'
import {answerSecretStore, isSecretStore} from './secret-stores.js'

/** How long Windows tries to connect to a host that refuses, and to one that does not answer. */
const REFUSED_MS = 2000
const SILENT_MS = 21_000
const ADDRESS = /^(?:[\d.]+|\[.*\])$/

export interface Answer {
  /** Of the mirror. */
  readonly file?: MirrorFile
  /** Whether the server still runs: it may end before its answer does. */
  readonly isAlive?: () => boolean
  readonly isLocal: boolean
  readonly response: ModelResponse
}

export interface RouteRequest extends Pick<HttpRequest, 'headers' | 'isDirect' | 'method' | 'pipe' | 'proxy' | 'tls'> {
  readonly body: Buffer
  readonly url: URL
}

/** Rejects with an HttpError if there is no answer. */
export async function routeRequest(stage: Stage, request: RouteRequest, declared: DeclaredDigests): Promise<Answer> {
  const {pipe, proxy, tls, url} = request
  const {cluster, downloads} = stage.world
  const asked = modelRequest(request)
  if (pipe !== undefined) {
    const isDocker = /^\\\\\.\\pipe\\docker_engine$|[\\/]docker_engine$/i.test(pipe)
    const isAlive = (): boolean => isDockerRunning(stage.world)
    if (!isDocker || !isAlive()) {
      // containerd's gRPC server writes first, and what it writes is not HTTP/1.1.
      if (pipeOwner(stage.world, pipe)) throw failed(url, 'HPE_INVALID_CONSTANT', 'Parse Error: Expected HTTP/')
      throw failed(url, 'ENOENT', `connect ENOENT ${pipe}`)
    }
    const response = await answerDocker(stage, asked)
    if (!isAlive()) throw failed(url, 'ECONNRESET', 'socket hang up')
    return {isAlive, isLocal: true, response}
  }

  if (isLoopback(url.hostname)) {
    const answer = await answerLocalPort(stage, portOf(url), url.pathname)
    if (!answer) throw refused(url)
    return {isLocal: true, response: answer}
  }

  await connect(stage, url, proxy)
  if (url.origin === new URL(cluster.serverURL).origin) {
    const problem = cluster.elsewhere || tls?.isUnverified ? undefined : trustProblem(tls, cluster)
    if (problem) throw failed(url, problem, 'unable to verify the first certificate')
    const identity = identify(cluster, tls, asked.headers, stage.now())
    const response = await answerCluster(stage, asked, identity)
    // Every answer of Go's server has a date.
    const date = new Date(stage.now() + (cluster.clockAheadMs ?? 0)).toUTCString()
    return {isLocal: false, response: {...response, headers: {...response.headers, date}}}
  }

  if (url.hostname === METADATA_HOST) return {isLocal: false, response: await answerMetadata(stage, request)}

  if (isSecretStore(stage.world, url.hostname))
    return {isLocal: false, response: await answerSecretStore(stage, request)}

  const file = fetchFromMirror(url.href, {declared, downloads})
  if (!file) throw refused(url)
  // A HEAD returns the real size, a GET the stand-in's.
  const headers = {'content-length': String(request.method === 'HEAD' ? file.size : file.bytes.length)}
  return {file, isLocal: false, response: {body: piecesOf(file, url.href), headers, status: file.status}}
}

async function* piecesOf({bytes, isTruncated}: MirrorFile, url: string): AsyncGenerator<Uint8Array> {
  yield isTruncated ? bytes.subarray(0, bytes.length / 2) : bytes
  if (isTruncated) throw incomplete(url)
}

/** Rejects if no connection is possible, after the time that Windows takes. */
export async function connect(stage: Stage, url: URL, proxy?: string): Promise<void> {
  const {cluster, downloads, os, routes} = stage.world
  const hasRoute = !os.metadata?.needsRoute || routes.some((one) => one.destination === `${METADATA_HOST}/32`)
  const isSilent = url.hostname === METADATA_HOST && !(os.metadata && hasRoute)
  if (isSilent || os.offlineUntil > stage.now()) {
    await stage.elapse(SILENT_MS)
    throw failed(url, 'ETIMEDOUT', `connect ETIMEDOUT ${url.host}`)
  }

  const isCluster = url.origin === new URL(cluster.serverURL).origin
  const isCut = cluster.proxy !== undefined && (proxy && new URL(proxy).host) !== new URL(cluster.proxy).host
  if (isCluster && (isCut || !cluster.reachable)) {
    await stage.elapse(REFUSED_MS)
    throw refused(url)
  }

  const isKnown =
    url.href in downloads ||
    [METADATA_HOST, ...MIRROR_HOSTS].includes(url.hostname) ||
    isSecretStore(stage.world, url.hostname)
  if (!isCluster && !isKnown) {
    // Nobody asks DNS for an address; one that nothing has answers nobody.
    if (ADDRESS.test(url.hostname)) {
      await stage.elapse(SILENT_MS)
      throw failed(url, 'ETIMEDOUT', `connect ETIMEDOUT ${url.hostname}:${portOf(url)}`)
    }
    throw failed(url, 'ENOTFOUND', `getaddrinfo ENOTFOUND ${url.hostname}`)
  }
}

export const isLoopback = (host: string): boolean => host === 'localhost' || /^127\./.test(host) || host === '[::1]'
export const portOf = ({port, protocol}: URL): number => Number(port || (protocol === 'https:' ? 443 : 80))
const refused = (url: URL): HttpError =>
  failed(url, 'ECONNREFUSED', `connect ECONNREFUSED ${url.hostname}:${portOf(url)}`)
/** A response that ends early, in the words of the real client. */
export const incomplete = (url: string): HttpError =>
  new HttpError(url, 'TRUNCATED', `${url}: the response is incomplete`)
const failed = (url: URL, code: string, text: string): HttpError =>
  new HttpError(safeUrl(url.href), code, `${safeUrl(url.href)}: ${text}`)

const modelRequest = ({body, headers, method, tls, url}: RouteRequest): ModelRequest => ({
  body,
  headers: headers ?? {},
  isUnverified: tls?.isUnverified ?? false,
  method,
  path: url.pathname,
  query: url.searchParams,
})
