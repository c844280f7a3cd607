// Requests to the API server: credentials, and an error for every way in which it can fail to respond.
import {
  answerTooLarge,
  clusterAnswer,
  clusterBusy,
  clusterForbids,
  clusterRefused,
  serverCertificateLapsed,
  serverNameLegacy,
  serverUnreachable,
  serverUntrusted,
  webhookFailed,
} from '../../errors/cluster.js'
import type {K8sWinError} from '../../errors/k8s-win-error.js'
import {withoutCredentials} from '../../machine/credentials.js'
import {HttpError, type HttpResponse} from '../../machine/http.js'
import type {Machine} from '../../machine/machine.js'
import {isUnable, retryAfterMs} from '../../machine/retrying.js'
import type {EffectKind} from '../../machine/win32.js'
import {parseJson, textAt} from '../document.js'
import {shortened} from '../../errors/shortened.js'
import {whyLapsed, whyUnknown} from './credential-validity.js'
import {openExecPlugin} from './exec-plugin.js'
import type {Kubeconfig} from './kubeconfig.js'

type Method = 'DELETE' | 'GET' | 'PATCH' | 'POST'

export interface AskOptions {
  /** Further statuses that are an answer like any other: they are neither tried again nor an error. */
  readonly answers?: readonly number[]
  /** A POST is taken for a question, which makes nothing, unless it is said here. */
  readonly effect?: EffectKind
  /** Of a list: only the metadata of its items is wanted. */
  readonly isMetadata?: true
  /** A 403 is reported as "not checked", and ends no run. */
  readonly isOptional?: true
  /** It is not tried again: who asks has a back-off of its own. */
  readonly isProbe?: true
  /** Of the answer, if it is known to be small. */
  readonly maxBytes?: number
  /** A patch that merges lists by their keys, in place of one that replaces them. */
  readonly isStrategic?: true
}

/** Resolves with a 2xx or a 404; anything else rejects with an error of the catalogue. */
export type AskCluster = (method: Method, path: string, body?: object, options?: AskOptions) => Promise<HttpResponse>

/** Of 429 that no disruption budget gave: API Priority and Fairness. */
export const TOO_MANY_REQUESTS = 'the API server has too many requests: API Priority and Fairness limits this identity'
const DEADLINE_MS = 15_000
/** RBAC is loaded 50 to 160 ms after the start of 1.21 to 1.33 (measured). */
const FORBIDDEN_AGAIN_MS = 3000
/**
 * So long a 403 is final over a connection to an API server that has loaded its rules: a node may not ask for much, and would
 * often wait. Behind a load balancer another connection may lead to another API server.
 */
const BELIEVED_MS = 30_000
/** Allowed to everyone by RBAC itself (ClusterRoles system:public-info-viewer and system:basic-user). */
const BY_RBAC = /^\/(?:version|apis\/authorization\.k8s\.io\/v1\/selfsubject\w+)$/
const JSON_ONLY = 'application/json'
/** As client-go's metadata client asks (client-go metadata/metadata.go); every API server since 1.15 can. */
const METADATA = `application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,${JSON_ONLY}`
const MERGE_PATCH = 'application/merge-patch+json'
const STRATEGIC_PATCH = 'application/strategic-merge-patch+json'
const CHANGES: readonly Method[] = ['DELETE', 'PATCH']

export function openRequests(
  machine: Pick<Machine, 'clock' | 'http' | 'run'>,
  kubeconfig: Kubeconfig,
  /** Called for a 403 that is asked again, and when it was none. */
  onDoubt: (doubt?: K8sWinError) => void = () => {},
): AskCluster {
  const server = withoutCredentials(kubeconfig.server)
  const plugin =
    kubeconfig.exec && kubeconfig.token === undefined ? openExecPlugin(machine, kubeconfig.exec, kubeconfig) : undefined

  const send: AskCluster = async (method, path, body, options = {}) => {
    const {answers = [], effect: given, isMetadata, isProbe, isStrategic, maxBytes} = options
    const patch = isStrategic ? STRATEGIC_PATCH : MERGE_PATCH
    const effect = given ?? (CHANGES.includes(method) ? 'change' : 'read')
    const {token = kubeconfig.token, ...pair} = (await plugin?.credentials()) ?? {}
    try {
      const type = body === undefined ? {} : {'content-type': method === 'PATCH' ? patch : JSON_ONLY}
      const bearer = token === undefined ? {} : {authorization: `Bearer ${token}`}
      return await machine.http.request({
        ...(body === undefined ? {} : {body: JSON.stringify(body)}),
        deadlineMs: DEADLINE_MS,
        effect,
        // An API server has no reason to; what does is a login page or a captive portal.
        followRedirects: false,
        headers: {accept: isMetadata ? METADATA : JSON_ONLY, ...type, ...bearer},
        isKept: true,
        ...(maxBytes !== undefined && {maxBytes}),
        ...((isProbe || answers.some((status) => isUnable(status, effect))) && {isProbe: true}),
        // All of them are merge patches: the second one changes nothing.
        ...(method === 'PATCH' && {isRepeatable: true}),
        method,
        ...(kubeconfig.proxy === undefined ? {} : {proxy: kubeconfig.proxy}),
        tls: {...kubeconfig.tls, ...pair},
        url: `${kubeconfig.server}${path}`,
      })
    } catch (error) {
      if (!(error instanceof HttpError)) throw error
      throw connectionProblem(error, server, kubeconfig, machine.clock.now())
    }
  }

  const believedUntil = new Map<symbol, number>()
  const believe = ({connection}: HttpResponse): void => {
    if (connection) believedUntil.set(connection, machine.clock.elapsed() + BELIEVED_MS)
  }
  const isBelieved = ({connection}: HttpResponse, isOptional = false): boolean =>
    [...believedUntil].some(
      ([believed, until]) => machine.clock.elapsed() < until && (isOptional || believed === connection),
    )
  /**
   * For a moment after its start an API server has no RBAC rules yet and forbids everything: a 403 counts where RBAC has just
   * allowed something else over the same connection, or where the request is forbidden again. What is optional is not asked
   * again where it has over any.
   */
  const sendUntilSure: AskCluster = async (method, path, body, options) => {
    const response = await send(method, path, body, options)
    if (response.status < 300 && BY_RBAC.test(path)) believe(response)
    if (response.status !== 403 || isAnonymous(response) || isBelieved(response, options?.isOptional)) return response
    onDoubt(forbidden(`${method} ${path}`, response))
    await machine.clock.sleep(FORBIDDEN_AGAIN_MS)
    // A probe: the first answer is remembered by a run that asks everything once.
    const again = await send(method, path, body, {...options, isProbe: true})
    if (again.status === 403) believe(again)
    else onDoubt()
    return again
  }

  return async (method, path, body, options) => {
    let response = await sendUntilSure(method, path, body, options)
    // A plugin's credentials may be taken back before their time; client-go asks for others too.
    if (response.status === 401 && plugin?.forget()) response = await sendUntilSure(method, path, body, options)
    const {status} = response
    const isAnswer = (status >= 200 && status < 300) || status === 404 || options?.answers?.includes(status)
    if (isAnswer) return response
    const what = `${method} ${path}`
    if (status === 401 || isAnonymous(response)) {
      const hint = whyUnknown(kubeconfig, machine.clock.now())
      const reason = `It returned ${status}: it rejects the credentials. ${hint}`
      throw clusterRefused({reason, server}, {cause: new Refusal(response, machine.clock.now())})
    }

    if (status === 403) throw forbidden(what, response)
    const message = messageOf(response)
    const outcome = `It returned ${status} for ${what}${message && `: ${message}`}`
    const cause = new Busy(response, machine.clock.now())
    if (status === 429) throw clusterBusy({reason: sentence(`${outcome} (${TOO_MANY_REQUESTS})`), server}, {cause})
    if (message.includes('failed calling webhook')) throw webhookFailed({request: what, said: message})
    if (status >= 500) throw clusterBusy({reason: sentence(outcome), server}, {cause})
    throw clusterAnswer({reason: sentence(`${outcome}${elsewhere(response)}`), server})
  }
}

/** A refusal, with the time of the API server: it rejects valid credentials where the two clocks differ. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  /** How far this host's clock is ahead; NaN if the server does not report its time. */
  readonly clockAheadMs: number

  constructor({headers, status}: HttpResponse, now: number) {
    super(`status ${status}`)
    this.clockAheadMs = now - Date.parse(headers['date'] ?? '')
  }
}

/** An answer of a server that cannot now, with the pause that it asks for. */
export class Busy extends Error {
  override readonly name = 'Busy'
  readonly retryAfterMs: number | undefined

  constructor({headers, status}: HttpResponse, now: number) {
    super(`status ${status}`)
    this.retryAfterMs = retryAfterMs(headers['retry-after'], now)
  }
}

const forbidden = (request: string, response: HttpResponse): K8sWinError => {
  const error = clusterForbids({request, said: messageOf(response) || 'nothing'})
  return isOfAuthorizer(response) ? error : error.with({fix: OF_A_POLICY})
}

/** Only an authorizer speaks of the user (apiserver pkg/endpoints/handlers/responsewriters/errors.go, forbiddenMessage). */
export const isOfAuthorizer = (response: HttpResponse): boolean =>
  response.status === 403 && /User "[^"]*" cannot /.test(messageOf(response))

const OF_A_POLICY =
  'The permissions suffice: an admission plugin, a policy or a webhook of the cluster denied the request. Ask an administrator of the cluster to allow it, then run the same command again.'

/** Requests without credentials have this user by default, which is allowed nothing. */
const isAnonymous = (response: HttpResponse): boolean =>
  response.status === 403 && messageOf(response).includes('User "system:anonymous"')

/** Where a redirect points, without the path and query, in which a login page has its secrets. */
export function elsewhere({headers: {location}}: HttpResponse): string {
  return location !== undefined && URL.canParse(location) ? ` and points to ${new URL(location).origin}` : ''
}

const sentence = (text: string): string => (text.endsWith('.') ? text : `${text}.`)

export const messageOf = ({body}: HttpResponse): string =>
  shortened(textAt(parseJson(body.toString('utf8')), 'message'))

/** OpenSSL's verdicts on a chain, as Node names them. */
const OF_ANOTHER_AUTHORITY =
  /^(?:UNABLE_TO_(?:GET_ISSUER_CERT|GET_ISSUER_CERT_LOCALLY|VERIFY_LEAF_SIGNATURE)|(?:DEPTH_ZERO_SELF_SIGNED|SELF_SIGNED)_CERT(?:_IN_CHAIN)?|CERT_(?:SIGNATURE_FAILURE|UNTRUSTED|REJECTED)|INVALID_CA|INVALID_PURPOSE)$/

/** How far a connection came that was not made. */
const NO_CONNECTION: Readonly<Record<string, string>> = {
  EAI_AGAIN: 'No DNS server of this host returned an address for the name.',
  ECONNREFUSED: 'The machine responds, but nothing is listening on the port, or a firewall rejects the connection.',
  EHOSTUNREACH: 'The address is unreachable.',
  ENETUNREACH: 'This host has no route to the address.',
  ENOTFOUND: 'No DNS server of this host knows the name.',
}

export function connectionProblem(error: HttpError, server: string, kubeconfig: Kubeconfig, now: number): K8sWinError {
  const {code} = error
  const options = {cause: error}
  if (code === 'TOO_LARGE') return answerTooLarge({reason: error.message, server}, options)
  if (code === 'CERT_COMMON_NAME_ONLY') return serverNameLegacy({server}, options)
  const lapsed = lapseProblem(error, server, now)
  if (lapsed) return lapsed
  const untrusted = trustProblem(error, unsignedBy(kubeconfig))
  if (untrusted !== undefined) return serverUntrusted({reason: untrusted, server}, options)
  // The server rejected the client certificate.
  if (/^ERR_SSL_.*_ALERT_/.test(code)) {
    const reason = `It ended the TLS handshake (${code}). ${whyUnknown(kubeconfig, now)}`
    return clusterRefused({reason, server}, options)
  }

  if (/^(?:ERR_SSL_|HPE_|EPROTO$)/.test(code)) {
    return clusterAnswer({reason: `It does not respond like an API server (${code}).`, server}, options)
  }

  // Some servers close the connection if they reject the client certificate.
  const hint = code === 'ECONNRESET' ? whyLapsed(kubeconfig, now) : undefined
  return serverUnreachable({reason: whyNoConnection(error, hint), server}, options)
}

export function whyNoConnection({code, message}: HttpError, hint = NO_CONNECTION[code]): string {
  return [`${message} (${code}).`, ...(hint === undefined ? [] : [hint])].join(' ')
}

/** The dates of a certificate of the server's chain, in OpenSSL's verdict. */
const LAPSES: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'has expired',
  CERT_NOT_YET_VALID: 'is not valid yet',
}

/** Undefined where something else failed. */
export function lapseProblem(error: HttpError, server: string, now: number): K8sWinError | undefined {
  const lapse = LAPSES[error.code]
  if (lapse === undefined) return undefined
  const reason = `Its certificate ${lapse}. This host's clock says ${new Date(now).toISOString()}.`
  return serverCertificateLapsed({reason, server}, {cause: error})
}

/** Why the server's certificate is not trusted; undefined where something else failed. `unsigned`: of another authority. */
export function trustProblem({code, message}: HttpError, unsigned: string): string | undefined {
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `Its certificate is for another name: ${message.replace(/: $/, '')}.`
  return OF_ANOTHER_AUTHORITY.test(code) ? `${unsigned} (${code}).` : undefined
}

const unsignedBy = ({ca}: Kubeconfig): string =>
  ca === undefined
    ? 'The kubeconfig contains no certificate authority, and its certificate is not signed by one that this host trusts'
    : "Its certificate is not signed by the kubeconfig's certificate authority"
