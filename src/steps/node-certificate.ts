// The certificate of a node that joins with a token: requested by the kubelet, approved and signed by the cluster. From
// then on it is the identity of the kubelet, which renews it, and of kube-proxy and flanneld.
import {openBootstrap, tokenRefused} from '../components/bootstrap-kubeconfig.js'
import {NODE_ACCESS_COMMAND} from '../components/node-access.js'
import {missingOf, NEEDS, permissionsText} from '../components/permissions.js'
import {DAEMON, logsOf} from '../config/daemons.js'
import {KUBELET_CERTIFICATE_FILES, layoutOf} from '../config/layout.js'
import type {Identity} from '../config/model.js'
import {partsOf} from '../config/options/parse-join.js'
import {clusterRefused, nodeAccessMissing} from '../errors/cluster.js'
import {csrDenied, csrPending} from '../errors/join.js'
import {K8sWinError, ProblemsError} from '../errors/k8s-win-error.js'
import {pasted} from '../errors/define.js'
import type {CertificateRequest} from '../host/cluster/certificate-requests.js'
import type {Access, Cluster} from '../host/cluster/cluster.js'
import {userOf} from '../host/cluster/credential-validity.js'
import {waitFor} from '../host/wait.js'
import {jittered, momentAgo} from '../machine/clock.js'
import {remembered} from '../machine/remembered.js'
import {TimeLimitError} from '../pipeline/run/to-user-error.js'
import {isBootstrapLeft, removeBootstrapFile} from '../pipeline/desired/cluster/bootstrap-file.js'
import {isJoined, nodeJoinState} from '../pipeline/desired/cluster/join-state.js'
import {nodeKubeconfig} from '../pipeline/desired/cluster/node-cluster.js'
import {drifted, inPlace, missing, type Step, type StepContext} from '../pipeline/run/step.js'

const ID = 'node-certificate'
/** Exit code: the node is not healthy in time. */
const HEALTH = 6
/** An approver of the cluster needs seconds; after this time a person is probably needed. */
const PENDING_MS = 60_000
/** A person may have to approve it. The run has a limit of its own, of a day at most. */
const WAITING_MS = 24 * 3_600_000
const [CURRENT] = KUBELET_CERTIFICATE_FILES

export const nodeCertificate: Step = {
  applies: ({join}) => join !== undefined,
  async apply(context) {
    if (!(await isJoined(context.host, context.config))) await waitForCertificate(context)
    context.host.http.disconnect()
    await removeBootstrapFile(context)
    await demandNodeAccess(context)
  },
  deadlineMs: WAITING_MS,
  id: ID,
  async inspect(context) {
    const {config, host} = context
    const state = await nodeJoinState(host, config)
    if (state.state === 'unjoined') return missing(state.why)
    if (await isBootstrapLeft(context))
      return drifted(`${layoutOf(config.baseDir).bootstrapKubeconfig} is not needed any more`)
    return inPlace(state.state === 'given' ? 'the kubeconfig that was given is used' : `${CURRENT} is valid`)
  },
  needs: ['kubelet-service'],
  title: 'Wait for node certificate',
}

async function waitForCertificate(context: StepContext): Promise<void> {
  const {changed, config, host, progress, signal} = context
  progress({text: 'waiting for the cluster to sign the certificate of this node'})
  const reported = new Set<string>()
  const find = openFinder(context)
  const options = {deadlineMs: WAITING_MS, everyMs: 1000, signal}
  let nextPoll = host.clock.elapsed() + jittered(host.clock, PENDING_MS)
  const wait = waitFor(host.clock, options, async () => {
    if (await isJoined(host, config)) return true
    if (host.clock.elapsed() < nextPoll) return undefined
    nextPoll = host.clock.elapsed() + jittered(host.clock, POLL_MS)
    const request = await find()
    if (request && isRefusal(request)) throw refused(request)
    report(context, request, reported)
    return undefined
  })
  await wait.catch((error: unknown) => {
    const name = [...reported].findLast((one) => one !== '')
    // The time of the run is over: the request stays with the cluster.
    if (name !== undefined && signal.reason instanceof TimeLimitError) throw csrPending({name})
    throw error
  })
  changed(`the cluster issued the certificate of system:node:${config.nodeName}`)
}

/** Each poll is a request to the API server. */
const POLL_MS = 5000
/** The kubelet makes another request, with another key, by then (certificate_manager.go, certificateWaitTimeout). */
const LIST_AGAIN_MS = 15 * 60_000

const isRefusal = ({state}: CertificateRequest): boolean => state === 'denied' || state === 'failed'

/**
 * The newest request of this node. A list is of all nodes that wait, up to megabytes, so the request is followed by its
 * name. A token may do both (ClusterRole system:node-bootstrapper).
 */
function openFinder({config, host}: StepContext): () => Promise<CertificateRequest | undefined> {
  const {bootstrap, nodeName} = config
  if (!bootstrap) return () => Promise.resolve(undefined)
  const {clock} = host
  const began = clock.elapsed()
  const user = `system:bootstrap:${partsOf(bootstrap.token).id}`
  let [found, wasFound]: [CertificateRequest | undefined, boolean] = [undefined, false]
  let [nextList, pauseMs] = [-Infinity, PENDING_MS]
  const list = async (cluster: Cluster): Promise<CertificateRequest | undefined> => {
    const [all, {clockAheadMs = 0}] = await Promise.all([cluster.certificateRequests(nodeName, user), cluster.about()])
    // The kubelet makes another request when one is denied, and one that an earlier run has reported, which took this long,
    // says nothing.
    const from = momentAgo(clock, clock.elapsed() - began + clockAheadMs + PENDING_MS)
    const own =
      all.find((one) => isRefusal(one) && Date.parse(one.createdAt) >= from) ?? all.find((one) => !isRefusal(one))
    nextList = clock.elapsed() + jittered(clock, own ? LIST_AGAIN_MS : pauseMs)
    pauseMs = Math.min(2 * pauseMs, LIST_AGAIN_MS)
    return own
  }

  return async () => {
    try {
      const cluster = host.cluster(await openBootstrap(bootstrap))
      const isDue = clock.elapsed() >= nextList
      const same = found && !isDue ? await cluster.certificateRequest(found.name, nodeName, user) : undefined
      found = same ?? (found || isDue ? await list(cluster) : undefined)
      wasFound ||= found !== undefined
    } catch (error) {
      if (!(error instanceof K8sWinError)) throw error
      // A token that ends later does not end the wait: the request is with the cluster, and the kubelet watches it.
      if (clusterRefused.is(error) && !wasFound) throw tokenRefused(bootstrap, error)
    }

    return found
  }
}

function report({config, warn}: StepContext, request: CertificateRequest | undefined, reported: Set<string>): void {
  const name = request?.name ?? ''
  if (reported.has(name)) return
  reported.add(name)
  if (request?.state === 'approved') {
    warn(`${name} is approved but not signed yet: check kube-controller-manager (--cluster-signing-cert-file)`)
  } else if (request) {
    warn(
      `${name} is not approved yet. If the cluster does not approve it by itself, an administrator does: kubectl certificate approve ${pasted(name)}`,
    )
  } else {
    warn(
      `the cluster shows no certificate request of ${config.nodeName} yet. Check it with: kubectl get csr; kubelet log: ${logsOf(config, DAEMON.kubelet)}`,
    )
  }
}

/** The kubelet's log says nothing more: without a certificate it may do nothing. */
const refused = ({message, name}: CertificateRequest): Error =>
  csrDenied({name, reason: message === '' ? 'It gave no reason.' : `It said: ${message}.`})

/** Before flanneld and kube-proxy start with an identity that may not do their work. */
async function demandNodeAccess({config, host}: StepContext): Promise<void> {
  const kubeconfig = await nodeKubeconfig({config, host})
  const cluster = host.cluster(kubeconfig)
  const {nodeName: node, release} = config
  const problems: K8sWinError[] = []
  // Both daemons need some of the same. One after the other they share a connection.
  let last: Promise<unknown> = Promise.resolve()
  const may = remembered((access) => {
    const answer = last.then(() => cluster.may(JSON.parse(access) as Access))
    last = answer
    return answer
  })
  for (const [identity, who] of AS_NODE) {
    if (config.identityFiles[identity] !== undefined) continue
    const lacking = await missingOf(NEEDS[identity].required, {minor: release.minor, node}, (access) =>
      may(JSON.stringify(access)),
    )
    const user = userOf(kubeconfig) ?? "the kubeconfig's user"
    if (lacking.length > 0)
      problems.push(nodeAccessMissing({fix: NODE_ACCESS, missing: permissionsText(lacking), user, who}))
  }

  // What was set up stays: the next run continues here.
  if (problems.length > 0) throw new ProblemsError(problems, HEALTH)
}

const AS_NODE: readonly (readonly [Identity, string])[] = [
  ['kube-proxy', 'kube-proxy'],
  ['flanneld', 'flanneld'],
]
const NODE_ACCESS = `Grant them to all nodes, once per cluster, with an administrator's kubeconfig, and run the same command again:\n${NODE_ACCESS_COMMAND}`
