// The certificate of a node that joins with a token: requested by the kubelet, approved and signed by the cluster. From
// then on it is the identity of the kubelet, which renews it, and of kube-proxy and flanneld.
import {openBootstrap} from '../components/bootstrap-kubeconfig.js'
import {kubeletLogs} from '../components/kubelet.js'
import {NODE_ACCESS_COMMAND} from '../components/node-access.js'
import {missingOf, NEEDS, permissionsText} from '../components/permissions.js'
import {KUBELET_CERTIFICATE_FILES, layoutOf} from '../config/layout.js'
import type {Identity} from '../config/model.js'
import {nodeAccessMissing} from '../errors/cluster.js'
import {csrDenied, csrPending} from '../errors/join.js'
import {K8sWinError, ProblemsError} from '../errors/k8s-win-error.js'
import {pasted} from '../errors/pasted.js'
import type {CertificateRequest} from '../host/cluster/certificate-requests.js'
import {userOf} from '../host/cluster/credential-validity.js'
import {waitFor} from '../host/wait.js'
import {TimeLimitError} from '../pipeline/run/to-user-error.js'
import {isBootstrapLeft, removeBootstrapFile} from '../pipeline/desired/bootstrap-file.js'
import {isJoined, nodeJoinState} from '../pipeline/desired/join-state.js'
import {nodeKubeconfig} from '../pipeline/desired/node-cluster.js'
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
  const since = host.clock.now()
  const reported = new Set<string>()
  const before = new Set((await requestsOf(context)).flatMap(({name, state}) => (isRefusal(state) ? [name] : [])))
  const options = {deadlineMs: WAITING_MS, everyMs: 1000, signal}
  let nextLook = since
  const wait = waitFor(host.clock, options, async () => {
    if (await isJoined(host, config)) return true
    if (host.clock.now() < nextLook) return undefined
    nextLook = host.clock.now() + LOOK_EVERY_MS
    const requests = await requestsOf(context)
    // The kubelet makes another request when one is denied, and one that was denied before this run says nothing.
    const denied = requests.find(({name, state}) => isRefusal(state) && !before.has(name))
    if (denied) throw refused(denied)
    if (host.clock.now() - since >= PENDING_MS)
      report(
        context,
        requests.find(({state}) => !isRefusal(state)),
        reported,
      )
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

/** Each look is a request to the API server. */
const LOOK_EVERY_MS = 5000

const isRefusal = (state: CertificateRequest['state']): boolean => state === 'denied' || state === 'failed'

/** A token may list them (ClusterRole system:node-bootstrapper). None where the cluster does not answer just now. */
async function requestsOf({config, host}: StepContext): Promise<readonly CertificateRequest[]> {
  if (!config.bootstrap) return []
  try {
    const cluster = host.cluster(await openBootstrap(config.bootstrap))
    const [id = ''] = config.bootstrap.token.split('.')
    return await cluster.certificateRequests(config.nodeName, `system:bootstrap:${id}`)
  } catch (error) {
    // A token that expires meanwhile, or that may not list them, must not end the wait: the request is with the cluster.
    if (error instanceof K8sWinError) return []
    throw error
  }
}

/** The kubelet makes another request, with another key, after 15 minutes (certificate_manager.go, certificateWaitTimeout). */
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
      `the cluster shows no certificate request of ${config.nodeName} yet. Check it with: kubectl get csr; kubelet log: ${kubeletLogs(config)}`,
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
  for (const [identity, who] of AS_NODE) {
    if (config.identityFiles[identity] !== undefined) continue
    const lacking = await missingOf(NEEDS[identity].required, {minor: release.minor, node}, (access) =>
      cluster.may(access),
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
