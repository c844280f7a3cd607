// Discovery of a cluster with a bootstrap token, as kubeadm does it (kubernetes: cmd/kubeadm/app/discovery/token/token.go):
// cluster-info is read without verification, proves itself by the token's signature and the pinned CA, and is then read
// again over a connection that this CA verifies. The token is sent only over such a connection.
import type {Bootstrap, JoinOptions} from '../../config/model.js'
import {partsOf} from '../../config/options/parse-join.js'
import {
  joinCAMismatch,
  joinClusterInfoChanged,
  joinClusterInfoInvalid,
  joinNoClusterInfo,
  joinOtherServerUnreachable,
  joinServerUnreachable,
  joinServerUntrusted,
  joinTokenForbidden,
  joinTokenRefused,
  joinTokenUnsigned,
  joinTokenWrong,
} from '../../errors/join.js'
import {type K8sWinError, UnusableFileError} from '../../errors/k8s-win-error.js'
import {HttpError, type HttpRequest, type HttpResponse, type TlsOptions} from '../../machine/http.js'
import {jittered} from '../../machine/clock.js'
import type {Machine} from '../../machine/machine.js'
import {at, parseJson} from '../document.js'
import {shortened} from '../../errors/shortened.js'
import {REVIEW} from './cluster.js'
import {CLUSTER_INFO_PATH, type ClusterInfo, isSignedBy, readClusterInfo, readClusterOf} from './cluster-info.js'
import {pinnedKeysIn} from './public-key-pin.js'
import {elsewhere, lapseProblem, messageOf, trustProblem, whyNoConnection} from './request.js'

/** As kubeadm (constants.go, DiscoveryRetryInterval). */
const EVERY_MS = 5000
/** kubeadm waits five minutes, on a control plane that may still start. Here a user waits for the checks. */
const DISCOVERY_MS = 60_000
const REQUEST_MS = 15_000
/** A ConfigMap has at most 1 MiB, before JSON escapes it. */
const LARGEST_ANSWER = 4 * 1024 ** 2
const LONGEST_SAID = 300
const REVIEW_PATH = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'
/** Whatever comes over these connections, it is not an API server, and will not be one in a minute. */
const NOT_PASSING = /^(?:ERR_INVALID_URL|ERR_SSL_|EPROTO$|HPE_|INVALID_PROXY$|TOO_LARGE$)/

export type Joining = Pick<JoinOptions, 'caCertHashes' | 'isVerificationSkipped' | 'server'> & {readonly token: string}

/** Rejects with an error of joining, or with the signal's reason. */
export async function discoverCluster(
  machine: Pick<Machine, 'clock' | 'http'>,
  join: Joining,
  signal: AbortSignal,
): Promise<Bootstrap> {
  const {server, token} = join
  const requests = new Requests(machine, signal)
  const info = await signedInfo(requests, join)
  const {ca, server: named} = usable(() => readClusterOf(info), server)
  if (!join.isVerificationSkipped) {
    const pinned = usable(() => pinnedCA(ca, join), server)
    const again = await requests.until(async () => askInfo(requests, server, {ca: pinned.ca}, pinned.others))
    if (again.kubeconfig !== info.kubeconfig) throw joinClusterInfoChanged({server})
  }
  await demandTokenWorks(requests, {ca, server: named, token}, server)
  return {ca, server: named, token}
}

/** Of a try: the answer, or why there is none yet. A problem that will not pass is thrown. */
type Try<T> = {readonly problem: K8sWinError} | {readonly value: T}

class Requests {
  readonly #end: number

  constructor(
    private readonly machine: Pick<Machine, 'clock' | 'http'>,
    private readonly signal: AbortSignal,
  ) {
    this.#end = machine.clock.elapsed() + DISCOVERY_MS
  }

  now(): number {
    return this.machine.clock.now()
  }

  #left(): number {
    return this.#end - this.machine.clock.elapsed()
  }

  send(request: Pick<HttpRequest, 'body' | 'headers' | 'method' | 'tls' | 'url'>): Promise<HttpResponse> {
    return this.machine.http.request({
      ...request,
      deadlineMs: Math.max(1000, Math.min(REQUEST_MS, this.#left())),
      effect: 'read',
      // Only the given server is asked: an API server does not redirect, a login page does.
      followRedirects: false,
      isKept: request.tls?.isUnverified !== true,
      // It is asked again here, which knows until when.
      isProbe: true,
      maxBytes: LARGEST_ANSWER,
      signal: this.signal,
    })
  }

  /** Tries every few seconds until there is a value, or throws the last problem when the time is over. */
  async until<T>(attempt: () => Promise<Try<T>>): Promise<T> {
    for (;;) {
      this.signal.throwIfAborted()
      const outcome = await attempt()
      if ('value' in outcome) return outcome.value
      const pauseMs = jittered(this.machine.clock, EVERY_MS)
      if (pauseMs > this.#left()) throw outcome.problem
      await this.machine.clock.sleep(pauseMs, this.signal)
    }
  }
}

/** The signature of a new token comes a moment after the token itself. */
async function signedInfo(requests: Requests, {server, token}: Joining): Promise<ClusterInfo> {
  const {id} = partsOf(token)
  const waited = `${DISCOVERY_MS / 1000} s`
  let refusals = 0
  const info = await requests.until<ClusterInfo>(async () => {
    const outcome = await askInfo(requests, server, {isUnverified: true})
    if ('problem' in outcome) {
      // An API server that has just started has no roles yet, and forbids everything: only the second time counts.
      if (joinNoClusterInfo.is(outcome.problem) && ++refusals > 1) throw outcome.problem
      return outcome
    }
    if (outcome.value.kubeconfig === '') throw joinClusterInfoInvalid({reason: 'It contains no kubeconfig.', server})
    return outcome.value.signatureOf(token) === '' ? {problem: joinTokenUnsigned({id, server, waited})} : outcome
  })
  if (!isSignedBy(token, info)) throw joinTokenWrong({id, server})
  return info
}

async function askInfo(
  requests: Requests,
  server: string,
  tls: TlsOptions,
  otherPins: readonly string[] = [],
): Promise<Try<ClusterInfo>> {
  const url = `${server}${CLUSTER_INFO_PATH}`
  const answer = await answerOf(
    requests,
    {otherPins, server, tls},
    {headers: {accept: 'application/json'}, method: 'GET', tls, url},
  )
  if ('problem' in answer) return answer
  const {body, status} = answer.value
  const info = status === 200 ? readClusterInfo(body) : undefined
  if (info) return {value: info}
  const said = messageOf(answer.value)
  const what =
    status === 200
      ? 'It returned no JSON object of Kubernetes'
      : `It returned ${status}${elsewhere(answer.value)}${said && `: ${shortened(said, LONGEST_SAID)}`}`
  return {problem: joinNoClusterInfo({reason: `${what.replace(/\.$/, '')}.`, server})}
}

interface Peer {
  /** Of the user, where `server` is another: that of the cluster-info. */
  readonly given?: string
  /** Hashes of the authorities in cluster-info that the user did not name. */
  readonly otherPins?: readonly string[]
  readonly server: string
  readonly tls: TlsOptions
}

/** Any answer of an API server that is able to give one. */
async function answerOf(
  requests: Requests,
  {given, otherPins = [], server, tls}: Peer,
  request: Parameters<Requests['send']>[0],
): Promise<Try<HttpResponse>> {
  const unreachable = (reason: string): K8sWinError =>
    given === undefined ? joinServerUnreachable({reason, server}) : joinOtherServerUnreachable({given, reason, server})
  try {
    const response = await requests.send(request)
    const {status} = response
    if (status < 500 && status !== 429) return {value: response}
    return {problem: unreachable(`It returned ${status}.`)}
  } catch (error) {
    if (!(error instanceof HttpError)) throw error
    const lapsed = tls.isUnverified ? undefined : lapseProblem(error, server, requests.now())
    if (lapsed) throw lapsed
    const untrusted = tls.isUnverified ? undefined : whyUntrusted(error, otherPins)
    if (untrusted !== undefined) throw joinServerUntrusted({reason: untrusted, server}, {cause: error})
    const hint = NOT_PASSING.test(error.code) ? 'It does not respond like an API server.' : undefined
    const problem = unreachable(whyNoConnection(error, hint))
    if (hint !== undefined) throw problem
    return {problem}
  }
}

function whyUntrusted(error: HttpError, otherPins: readonly string[]): string | undefined {
  if (error.code === 'CERT_COMMON_NAME_ONLY')
    return 'Its certificate has the address only as its common name (CN), without a subjectAltName, which Kubernetes clients reject.'
  const unsigned =
    otherPins.length > 0
      ? `Its certificate is not signed by a CA that --ca-cert-hash names. The cluster also has the CA ${otherPins.join(', ')}: if your control plane confirms that hash, pass it too`
      : "Its certificate is not signed by the cluster's CA: something between this host and the cluster answers in its place"
  return trustProblem(error, unsigned)
}

/**
 * The authorities that the user named. Only they verify the second connection: kubeadm lets one hash vouch for the whole
 * bundle, and who knows the token could add an authority of his own to it. kubeadm prints the hash of every authority.
 */
function pinnedCA(ca: string, {caCertHashes, server}: Joining): {ca: string; others: readonly string[]} {
  const keys = pinnedKeysIn(ca)
  const pinned = keys.filter(({hash}) => caCertHashes.includes(hash))
  if (pinned.length === 0) throw joinCAMismatch({found: keys.map(({hash}) => hash).join(', '), server})
  const others = keys.map(({hash}) => hash).filter((hash) => !caCertHashes.includes(hash))
  return {ca: pinned.map(({certificate}) => certificate).join(''), others}
}

/** Whether the API server accepts the token, and lets it request a certificate, for which a kubelet would wait in vain. */
async function demandTokenWorks(requests: Requests, {ca, server, token}: Bootstrap, given: string): Promise<void> {
  const {id} = partsOf(token)
  const tls = {ca}
  const resourceAttributes = {group: 'certificates.k8s.io', resource: 'certificatesigningrequests', verb: 'create'}
  const request = {
    body: JSON.stringify({...REVIEW, spec: {resourceAttributes}}),
    headers: {accept: 'application/json', authorization: `Bearer ${token}`, 'content-type': 'application/json'},
    method: 'POST',
    tls,
    url: `${server}${REVIEW_PATH}`,
  } as const
  let refusals = 0
  await requests.until<true>(async () => {
    const answer = await answerOf(requests, {server, tls, ...(server !== given && {given})}, request)
    if ('problem' in answer) return answer
    const {body, status} = answer.value
    if (status === 401) throw joinTokenRefused({id, server})
    if (at(parseJson(body.toString('utf8')), 'status', 'allowed') === true) return {value: true}
    const problem = joinTokenForbidden({id, server})
    if (++refusals > 1) throw problem
    return {problem}
  })
}

function usable<T>(read: () => T, server: string): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof UnusableFileError)) throw error
    throw joinClusterInfoInvalid({reason: `Invalid kubeconfig: ${error.message}.`, server}, {cause: error})
  }
}
