// The twin's HTTP client: reads go to the host and the real cluster, unless the twin has changed the answer.
import type {DownloadRequest, Http, HttpRequest, HttpResponse, HttpStream} from '../../machine/http.js'
import type {SimulatedClock} from '../clock.js'
import {ANSWER_MS} from '../cluster/api-server.js'
import type {AskCluster} from './seed-cluster.js'
import {connect, isLoopback, portOf} from '../routes.js'
import type {Stage} from '../model.js'
import type {ClusterNode, World} from '../world.js'

const PIPE = String.raw`\\.\pipe\docker_engine`
const HEAD_MS = 60_000
const REFUSED = [401, 403]

interface TwinHttpParts {
  /** A GET of the real cluster, with the identity that the host has there. */
  readonly askCluster: AskCluster
  readonly clock: SimulatedClock
  readonly host: Http
  readonly model: Http
  readonly stage: Stage
}

export function createTwinHttp({askCluster, clock, host, model, stage}: TwinHttpParts): Http {
  const {world} = stage
  const known = new Map(world.cluster.nodes.map((node) => [node.name, fingerprint(node)]))
  /** Pods are only in the real cluster: of those that are evicted here, it is known that they have gone. */
  const evicted = new Set<string>()
  const isTouched = (node: ClusterNode): boolean => known.get(node.name) !== fingerprint(node)

  const target = (request: HttpRequest): Http => {
    const url = new URL(request.url)
    if (request.effect === 'change') return model
    if (request.pipe !== undefined) return isOfContainers(url.pathname) ? model : host
    if (isLoopback(url.hostname)) return listens(world, portOf(url)) ? model : host
    if (request.tls === undefined) return host
    const name = /^\/api\/v1\/nodes\/([^/]+)$/.exec(url.pathname)?.[1]
    const node = world.cluster.nodes.find((one) => one.name === name)
    return node && isTouched(node) ? model : host
  }

  /**
   * With a certificate that the twin has signed, which the real cluster does not know: what the host may read there is read
   * as the host, and the twin answers what only the new node may.
   */
  const askAsNode = async (request: HttpRequest): Promise<HttpResponse> => {
    if (request.method !== 'GET' || target(request) === model) return model.request(request)
    const {pathname, search} = new URL(request.url)
    const real = await clock.whileBusy(async () => {
      await stage.elapse(ANSWER_MS)
      // It rejects where the host may not read that.
      return askCluster(`${pathname}${search}`).catch(() => undefined)
    })
    return real === undefined || REFUSED.includes(real.status) ? model.request(request) : real
  }

  const ask = async <T>(request: HttpRequest, call: (http: Http, request: HttpRequest) => Promise<T>): Promise<T> => {
    const http = target(request)
    if (http === model) return call(model, request.pipe === undefined ? request : {...request, pipe: PIPE})
    const url = new URL(request.url)
    return clock.whileBusy(async () => {
      const isLocal = request.pipe !== undefined || isLoopback(url.hostname)
      if (!isLocal && world.os.offlineUntil > stage.now()) await connect(stage, url)
      // Time stands still during the real request, and then passes as on a simulated host.
      if (request.tls !== undefined) await stage.elapse(ANSWER_MS)
      return call(host, request)
    })
  }

  return {
    disconnect() {
      host.disconnect()
      model.disconnect()
    },
    async download(request) {
      const head = {deadlineMs: HEAD_MS, effect: 'read', method: 'HEAD', url: request.url} as const
      const {headers, status} = await clock.whileBusy(() =>
        host.request({...head, ...(request.signal && {signal: request.signal})}),
      )
      // Other failures of a HEAD say nothing about a GET.
      if (status === 404 || status === 410) return {bytes: 0, digest: '', status}
      return model.download(withSize(request, Number(headers['content-length'] ?? Number.NaN)))
    },
    async request(request) {
      const {pathname} = new URL(request.url)
      const [, namespace = '', name = ''] = request.effect === 'change' ? (EVICTION.exec(pathname) ?? []) : []
      if (name !== '') {
        evicted.add(`${namespace}/${name}`)
        return {body: Buffer.from('{}'), headers: {}, status: 201}
      }

      const isNew = isSignedHere(world, request.tls?.cert)
      const response = isNew ? await askAsNode(request) : await ask(request, (http, asked) => http.request(asked))
      if (response.status === 200) learnDigest(world, request.url, response.body.toString('latin1'))
      return pathname === '/api/v1/pods' && evicted.size > 0 ? withoutPods(response, evicted) : response
    },
    stream: (request) => ask<HttpStream>(request, (http, asked) => http.stream(asked)),
  }
}

const EVICTION = /^\/api\/v1\/namespaces\/([^/]+)\/pods\/([^/]+)\/eviction$/

interface PodList {
  readonly items?: readonly {readonly metadata?: {readonly name?: string; readonly namespace?: string}}[]
}

function withoutPods(response: HttpResponse, gone: ReadonlySet<string>): HttpResponse {
  if (response.status !== 200) return response
  const list = JSON.parse(response.body.toString('utf8')) as PodList
  const items = list.items?.filter(({metadata}) => !gone.has(`${metadata?.namespace}/${metadata?.name}`))
  return {...response, body: Buffer.from(JSON.stringify({...list, items}))}
}

/** Progress with the real size, not the stand-in's. */
function withSize(request: DownloadRequest, size: number): DownloadRequest {
  const {onProgress} = request
  if (!onProgress || !Number.isFinite(size)) return request
  return {...request, onProgress: (bytes, total) => onProgress(Math.round((bytes * size) / (total ?? size)), size)}
}

/** The stand-in of a file answers with its published digest. */
function learnDigest({downloads}: World, url: string, text: string): void {
  const [, of = '', algorithm = ''] = /^(.*)\.(sha256|sha512)$/.exec(url) ?? []
  const hex = /^[\da-f]+/i.exec(text.trim())?.[0]
  if (of && hex) downloads[of] = {...downloads[of], [algorithm]: hex.toLowerCase()}
}

const isOfContainers = (path: string): boolean => /^(?:\/v[\d.]+)?\/(?:images|containers|networks)\//.test(path)

const listens = ({services}: World, port: number): boolean =>
  Object.values(services).some(({listening, state}) => state !== 'stopped' && listening?.includes(`tcp/${port}`))

const isSignedHere = ({cluster}: World, cert: string | undefined): boolean =>
  cert !== undefined &&
  (cluster.certificateSigningRequests ?? []).some(({certificate}) => certificate && cert.includes(certificate.trim()))

const fingerprint = (node: ClusterNode): string => JSON.stringify(node)
