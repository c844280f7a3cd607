// One HTTP client for downloads, the Docker Engine (over its pipe) and the Kubernetes API.
import {quoted} from '../errors/shortened.js'
import type {DigestAlgorithm} from './files.js'
import type {ConnectionEnds, EffectKind} from './win32.js'

export interface TlsOptions {
  /** PEM. In place of the system's authorities, as kubectl does. */
  readonly ca?: string
  readonly cert?: string
  /**
   * Any certificate of the server is accepted. Only for the first request of discovery, which has no credentials and
   * whose answer proves itself by its signature.
   */
  readonly isUnverified?: true
  readonly key?: string
  readonly serverName?: string
}

/** Called when a connection is open, before anything is sent; what it rejects with is the outcome. */
export type JudgePeer = (ends: ConnectionEnds) => Promise<void>

export interface HttpRequest {
  /** Whoever tries again calls it first, each time; what it rejects with is the outcome. */
  readonly beforeRetry?: () => Promise<void>
  readonly body?: AsyncIterable<Uint8Array> | string | Uint8Array
  /** From sending the request to the last byte of the answer. */
  readonly deadlineMs: number
  readonly effect: EffectKind
  /** False: a redirect is an answer like any other. Otherwise GET and HEAD follow up to five. */
  readonly followRedirects?: boolean
  readonly headers?: Readonly<Record<string, string>>
  /** Never through a proxy, whatever the environment says. */
  readonly isDirect?: boolean
  /** Its connection is used again by later ones with the same credentials, and its answer may be compressed. */
  readonly isKept?: boolean
  /** The answer is wanted as it is now, also a bad one: it is not asked for again. */
  readonly isProbe?: boolean
  /** A change that can be requested again after any failure, because its outcome is the same. */
  readonly isRepeatable?: boolean
  /** For a server on this machine: its connection is a new one, without a proxy, pipe or TLS. UNJUDGED where it was not asked. */
  readonly judgePeer?: JudgePeer
  /** A longer answer is not read to its end; TOO_LARGE. Without it LARGEST_ANSWER, and LARGEST_STREAM of a stream. */
  readonly maxBytes?: number
  readonly method: 'DELETE' | 'GET' | 'HEAD' | 'PATCH' | 'POST' | 'PUT'
  /** A named pipe or Unix socket to speak through; the host of `url` is then only a name. */
  readonly pipe?: string
  /** The HTTP proxy to go through, in place of the environment's. */
  readonly proxy?: string
  readonly signal?: AbortSignal
  readonly tls?: TlsOptions
  readonly url: string
}

export interface HttpResponse {
  /** On this host's clock, halfway between the request, the last where it was tried again, and the head of its answer. */
  readonly at?: number
  readonly body: Buffer
  /** The same for all answers over one connection, and so of one server, also behind a load balancer. */
  readonly connection?: symbol
  readonly headers: Readonly<Record<string, string>>
  readonly status: number
}

export interface HttpStream {
  readonly at?: number
  readonly connection?: symbol
  readonly chunks: AsyncIterable<Uint8Array>
  readonly headers: Readonly<Record<string, string>>
  readonly status: number
}

export interface DownloadRequest {
  readonly deadlineMs: number
  /** The digest of the bytes that come. Default: sha256. */
  readonly digest?: DigestAlgorithm
  /** Nothing is saved of what is larger; TOO_LARGE. Without it LARGEST_DOWNLOAD. */
  readonly maxBytes?: number
  readonly onProgress?: (bytes: number, total: number | undefined) => void
  readonly signal?: AbortSignal
  /** Windows path; written only when the whole body has come. */
  readonly to: string
  readonly url: string
}

export interface Download {
  readonly bytes: number
  /** Lower-case hex of the bytes that came; empty where nothing was saved. */
  readonly digest: string
  /** The header of an answer that saved nothing, where it has one. */
  readonly retryAfter?: string
  readonly status: number
}

/** Answers with any status are answers; only what prevents an answer rejects, with an HttpError. */
export interface Http {
  /** Ends the connections that are kept, those in use aside: after a change of the network or of an identity. */
  disconnect(): void
  /** Saves the body of a 200 and digests it on the way. Other statuses are returned and save nothing. */
  download(request: DownloadRequest): Promise<Download>
  request(request: HttpRequest): Promise<HttpResponse>
  stream(request: HttpRequest): Promise<HttpStream>
}

/**
 * `code`: Node's (ECONNREFUSED, ENOTFOUND, ENOENT for a missing pipe, CERT_HAS_EXPIRED, …), ETIMEDOUT for the deadline,
 * CERT_COMMON_NAME_ONLY, INSECURE_REDIRECT, TOO_LARGE, TOO_MANY_REDIRECTS, TRUNCATED, INVALID_PROXY, PROXY_REFUSED, PROXY_UNABLE (by a status that passes), UNJUDGED (whatever but ECONNREFUSED ended a connection before its peer was judged). An aborted signal rejects with its reason.
 */
export class HttpError extends Error {
  constructor(
    readonly url: string,
    readonly code: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super(quoted(message), options)
    this.name = 'HttpError'
  }
}
