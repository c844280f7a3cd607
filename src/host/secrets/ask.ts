// One request to a metadata service or a secret store, and why it has no answer. What they answer is not trusted: only JSON
// and short texts of the expected form are read, and what they say is cut.
import type {SecretSource} from '../../config/model.js'
import {isSecretHost} from '../../config/secret-hosts.js'
import {decodeText} from '../../config/yaml.js'
import {UnusableFileError} from '../../errors/k8s-win-error.js'
import type {Clock} from '../../machine/clock.js'
import {type Http, HttpError, type HttpRequest} from '../../machine/http.js'
import {isUnable, retryAfterMs} from '../../machine/retrying.js'
import {METADATA_SERVICE} from '../cloud.js'
import {whyNoConnection} from '../cluster/request.js'
import {parseJson, textAt} from '../document.js'
import {shortened} from '../../errors/shortened.js'

/** A token of Azure took up to seconds, not minutes. */
const METADATA_MS = 10_000
const STORE_MS = 30_000
/** The largest one, of AWS and Google Cloud. */
export const LARGEST_SECRET = 64 * 1024
/** JSON escapes it, or base64 makes it longer. */
const LARGEST = 8 * LARGEST_SECRET
const LONGEST_SAID = 300

export interface Asking {
  readonly clock: Clock
  readonly http: Http
  /** Of --trust-secret-endpoint. */
  readonly secretHosts: readonly string[]
  /** Called with every text that must be hidden from now on. */
  readonly register: (secret: string) => void
  readonly signal: AbortSignal
}

/** A store of secrets, and what a user must do for it. */
export interface SecretStore {
  /** Asks for credentials and the secret. Rejects with NoSecret, or with the signal's reason. */
  fetch(asking: Asking, source: SecretSource, endpoint: string | undefined): Promise<string>
  readonly identity: string
  readonly permission: string
}

/** `busy`: it cannot answer now. `unready`: the machine has no identity yet. `untrusted`: the message is the host. */
export type Lack = 'busy' | 'denied' | 'expired' | 'missing' | 'unready' | 'untrusted' | 'unusable'

/** The message is a sentence. */
export class NoSecret extends Error {
  override readonly name = 'NoSecret'

  constructor(
    readonly lack: Lack,
    message: string,
    readonly afterMs?: number | undefined,
  ) {
    super(message)
  }
}

export interface StoreAnswer {
  readonly document: unknown
  readonly status: number
  /** The status and the error of the answer, as a sentence. */
  readonly said: string
  readonly text: string
}

/**
 * Codes of the network, and of a proxy that cannot connect yet; a clock may not be set yet (docs/launchers.md). Others are of
 * TLS, or of an answer that was not read to its end.
 */
const MAY_PASS = /^(?:E(?!RR_|PROTO)|(?:TRUNCATED|PROXY_UNABLE|CERT_HAS_EXPIRED|CERT_NOT_YET_VALID)$)/

/** Rejects where there is no answer, or where the server cannot answer now. */
export async function ask(
  {clock, http, signal}: Asking,
  request: Pick<HttpRequest, 'body' | 'headers' | 'method' | 'url'>,
): Promise<StoreAnswer> {
  const isMetadata = request.url.startsWith(`${METADATA_SERVICE}/`)
  // It is asked again by fetch-secret.ts, which knows until when; a login page redirects, and these do not.
  const how = {effect: 'read', followRedirects: false, isProbe: true, maxBytes: LARGEST, signal} as const
  const limits = {deadlineMs: isMetadata ? METADATA_MS : STORE_MS, isDirect: isMetadata}
  const {body, headers, status} = await http.request({...request, ...how, ...limits}).catch((error: unknown) => {
    if (!(error instanceof HttpError)) throw error
    throw new NoSecret(MAY_PASS.test(error.code) ? 'busy' : 'unusable', whyNoConnection(error))
  })
  const text = body.toString('utf8')
  const document = parseJson(text)
  const error = status === 200 ? '' : errorIn(document)
  const said = `${new URL(request.url).host} returned ${status}${error}.`
  if (isUnable(status, 'read')) throw new NoSecret('busy', said, retryAfterMs(headers['retry-after'], clock.now()))
  return {document, said, status, text}
}

/** In parentheses, behind a space. The forms of AWS, Azure and Google Cloud, the metadata services included. */
export function errorIn(document: unknown): string {
  const codes = ['__type', 'Code'].map((name) => textAt(document, name))
  const nested = ['code', 'status', 'message'].map((name) => textAt(document, 'error', name))
  const messages = ['error', 'message', 'Message', 'error_description'].map((name) => textAt(document, name))
  const error = [...codes, ...nested, ...messages].filter((one) => one !== '').join(': ')
  return error && ` (${shortened(error, LONGEST_SAID)})`
}

/** Of the metadata service, which has no identity to give as long as it does not answer with 200. */
export async function askMetadata(
  asking: Asking,
  path: string,
  headers: Readonly<Record<string, string>>,
  method: 'GET' | 'PUT' = 'GET',
): Promise<StoreAnswer> {
  const answer = await ask(asking, {headers, method, url: `${METADATA_SERVICE}${path}`})
  if (answer.status === 200) return answer
  throw new NoSecret('unready', answer.said)
}

/** Before any credential is asked for. */
export function demandSecretHost({secretHosts}: Asking, {service}: SecretSource, url: string): void {
  if (!isSecretHost(service, url, secretHosts)) throw new NoSecret('untrusted', new URL(url).hostname)
}

const OF_STATUS: Readonly<Record<number, Lack>> = {401: 'expired', 403: 'denied', 404: 'missing'}

/** With the access token that the metadata service gave: the document of the store. */
export async function askWithToken(asking: Asking, issued: unknown, url: string): Promise<unknown> {
  const token = textAt(issued, 'access_token')
  if (token !== '') asking.register(token)
  // RFC 6750; anything else would be another header.
  if (!/^[\w.~+/-]+=*$/.test(token)) throw new NoSecret('unready', 'The metadata service returned no access token.')
  const answer = await ask(asking, {headers: {authorization: `Bearer ${token}`}, method: 'GET', url})
  if (answer.status !== 200) throw new NoSecret(OF_STATUS[answer.status] ?? 'unusable', answer.said)
  return answer.document
}

/** A secret that a store keeps as bytes: those of a file, which PowerShell may have written. */
export function decoded(base64: string): string {
  try {
    return decodeText(Buffer.from(base64, 'base64'))
  } catch (error) {
    if (!(error instanceof UnusableFileError)) throw error
    throw new NoSecret('unusable', 'It is neither UTF-8 nor UTF-16.')
  }
}

/** A text of an answer that becomes part of an address. */
export function nameIn(text: string, what: string): string {
  const name = text.trim()
  // The last condition: "1" and "xn--a" are no ends of a host's name.
  const isName = /^[a-z\d](?:[a-z\d.-]{0,100}[a-z\d])?$/.test(name) && URL.canParse(`https://a.${name}`)
  if (isName) return name
  throw new NoSecret('unusable', `The metadata service returned no ${what}.`)
}
