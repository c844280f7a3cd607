// The smoke test: a short-lived pod on this node requests the API server by its name and by its Service, and a pod on another
// node. It is created with an identity that may, and deleted again, however the test ends.
import {wantedImages} from '../../components/images.js'
import {
  isSmokePod,
  SMOKE_NAMESPACE,
  SMOKE_POD_MS,
  smokePod,
  smokePodName,
  type SmokeTarget,
} from '../../components/smoke-pod.js'
import {SMOKE_CHECK_IDS, type SmokeCheckId} from '../../config/check-ids.js'
import type {Node} from '../../config/model.js'
import {optionOf} from '../../config/options/options.js'
import {pastedPath} from '../../errors/define.js'
import {serverLost, smokePodNotRun} from '../../errors/health.js'
import {K8sWinError} from '../../errors/k8s-win-error.js'
import type {Cluster} from '../../host/cluster/cluster.js'
import {userOf} from '../../host/cluster/credential-validity.js'
import type {EndpointSlice} from '../../host/cluster/endpoints.js'
import type {Kubeconfig} from '../../host/cluster/kubeconfig.js'
import type {PodReport} from '../../host/cluster/pod-runs.js'
import type {Host} from '../../host/host.js'
import {orLeft, waitFor} from '../../host/wait.js'
import {notThisMachine} from '../../pipeline/leave/leave-cluster.js'
import {isTransient} from '../../pipeline/desired/cluster/node-cluster.js'
import {kubernetesAddress} from '../../pipeline/desired/network/services-proof.js'
import type {CheckResult} from '../../pipeline/run/events.js'
import {unlessForbidden} from '../../preflight/facts.js'
import type {Session} from '../run.js'
import {
  isPeer,
  type NoPeer,
  type Peer,
  podState,
  type SmokeTargets,
  type SmokeVerdict,
  TITLES,
  verdictsOf,
} from './verdicts.js'

export interface SmokeTest extends Pick<Session, 'bus' | 'signal'> {
  readonly config: Node
  readonly host: Host
  /** Whose identity creates the pod. */
  readonly kubeconfig: Kubeconfig
}

export interface SmokeOutcome {
  readonly checks: readonly CheckResult[]
  /** A check could not be made; one that has nothing to check is not meant. */
  readonly lacksChecks: boolean
  readonly problems: readonly K8sWinError[]
  /** Why nothing was checked, and who can. */
  readonly whyNot?: string
}

const POLL_MS = 1000
/** For the deletion of the pod, also after Ctrl-C. */
const REMOVAL_MS = 20_000

/** With the base directory also where only a configuration file names it; the views add the rest. */
function whoCan({baseDir}: Node): string {
  const isDefault = baseDir.toLowerCase() === optionOf('base-dir').default?.toLowerCase()
  const place = isDefault ? '' : ` --base-dir ${pastedPath(baseDir)}`
  const quote = isDefault ? '"' : "'"
  return `an administrator of the cluster can: ${quote}k8s-win verify${place} --kubeconfig <file>${quote}`
}

const notAsNode = (config: Node): string => `the node's own identity may not create pods; ${whoCan(config)}`

/** Rejects where the cluster does not respond, and with the signal's reason. */
export async function smokeTest(test: SmokeTest): Promise<SmokeOutcome> {
  const {bus, host, signal} = test
  const outcome = await orLeft(host.clock, runTest(test), signal, REMOVAL_MS)
  for (const check of outcome.checks) bus.emit({check, type: 'check'})
  return outcome
}

async function runTest(test: SmokeTest): Promise<SmokeOutcome> {
  const {config, host, kubeconfig} = test
  const began = host.clock.elapsed()
  // A review would allow it, and admission refuses it: the plugin NodeRestriction lets a node create only mirror pods.
  if (userOf(kubeconfig)?.startsWith('system:node:')) return notRun(notAsNode(config))
  report(test, 'preparing the test pod')
  const image = await usableImage(test)
  if (image === undefined) return notRun(NO_IMAGE)
  const cluster = host.cluster(kubeconfig)
  const whyNot = await whyNotAllowed(cluster, config)
  if (whyNot !== undefined) return notRun(whyNot)
  await demandNode(test, cluster)
  const targets = await findTargets(test, cluster)
  const ended = await runPod(test, cluster, smokePod(config.nodeName, image, requestsOf(targets)))
  if (typeof ended === 'string') return notRun(ended)
  const verdicts = verdictsOf(targets, `${SMOKE_NAMESPACE}/${smokePodName(config.nodeName)}`, ended)
  return outcomeOf(config, verdicts, Math.round(host.clock.elapsed() - began))
}

const NO_IMAGE = 'no base image of setup is on this host; run "k8s-win setup --base-images nanoserver"'

/** The first base image that is there: nanoserver before servercore. */
async function usableImage({config, host}: SmokeTest): Promise<string | undefined> {
  for (const {reference} of wantedImages(config)) if (await host.runtime.image(reference)) return reference
  return undefined
}

async function whyNotAllowed(cluster: Cluster, config: Node): Promise<string | undefined> {
  const verbs = ['create', 'get', 'delete']
  const allowed = await Promise.all(
    verbs.map((verb) => cluster.may({group: '', namespace: SMOKE_NAMESPACE, resource: 'pods', verb})),
  )
  const missing = verbs.filter((_, index) => !allowed[index])
  if (missing.length === 0) return undefined
  return `this identity may not ${missing.join(', ')} pods in the namespace ${SMOKE_NAMESPACE}; ${whoCan(config)}`
}

/** A kubeconfig may be that of another cluster; a pod for a node that does not exist never starts. */
async function demandNode({config, host}: SmokeTest, cluster: Cluster): Promise<void> {
  const {nodeName} = config
  const node = await unlessForbidden(cluster.node(nodeName).then((found) => ({found})))
  const other = node?.found && (await notThisMachine({config, host}, node.found))
  if (!node || (node.found && other === undefined)) return
  const pod = `${SMOKE_NAMESPACE}/${smokePodName(nodeName)}`
  const seen = node.found
    ? `the node ${nodeName} of ${cluster.server} is another machine: ${other}`
    : `${cluster.server} has no node ${nodeName}`
  throw smokePodNotRun({node: nodeName, pod, seen})
}

async function findTargets({config}: SmokeTest, cluster: Cluster): Promise<SmokeTargets> {
  const {clusterDNS, clusterDomain, nodeName: node} = config
  const [address, peer] = await Promise.all([
    unlessForbidden(cluster.serviceAddress('default', 'kubernetes')),
    findPeer(cluster, config),
  ])
  return {
    dnsName: `kubernetes.default.svc.${clusterDomain}`,
    dnsServer: clusterDNS,
    node,
    peer,
    serviceAddress: address ?? kubernetesAddress(config),
  }
}

/** A pod of the cluster DNS on another node, by the port of its metrics, which answers HTTP; or why there is none. */
async function findPeer(cluster: Cluster, {clusterDNS, nodeName}: Node): Promise<NoPeer | Peer> {
  const found = await unlessForbidden(
    Promise.all([cluster.services('kube-system'), cluster.endpointSlices('kube-system')]),
  )
  if (!found) return {isUnknown: true, why: 'this identity may not list Services and EndpointSlices'}
  const [services, slices] = found
  const dns = services.find(({clusterIP}) => clusterIP === clusterDNS)
  const peers = slices
    .filter(({service}) => service === dns?.name)
    .flatMap(({endpoints, ports}) =>
      endpoints
        .filter(({isReady, node}) => isReady && node !== '' && node !== nodeName)
        .map(({address, node}) => ({address, node, port: metricsPort(ports)})),
    )
  const peer = peers.find(({port}) => port !== undefined)
  if (peer?.port !== undefined) return {...peer, port: peer.port}
  const why =
    peers.length === 0
      ? 'the cluster DNS has no ready pod on another node'
      : 'the Service of the cluster DNS has no port "metrics", which could be requested'
  return {isUnknown: false, why}
}

const metricsPort = (ports: EndpointSlice['ports']): number | undefined =>
  ports.find(({name, port, protocol}) => name === 'metrics' && protocol === 'TCP' && port > 0)?.port

function requestsOf({dnsName, peer, serviceAddress}: SmokeTargets): SmokeTarget[] {
  return [
    {id: 'smoke-dns', url: `https://${dnsName}/livez`},
    {id: 'smoke-service', url: `https://${serviceAddress}/livez`},
    ...(isPeer(peer) ? [{id: 'smoke-pods', url: `http://${peer.address}:${peer.port}/metrics`} as const] : []),
  ]
}

/** How it ended; or, as a text, why it was not admitted. */
async function runPod(
  test: SmokeTest,
  cluster: Cluster,
  manifest: ReturnType<typeof smokePod>,
): Promise<PodReport | string> {
  const {name} = manifest.metadata
  const left = await cluster.pod(SMOKE_NAMESPACE, name)
  if (left && !isSmokePod(left)) return `a pod ${SMOKE_NAMESPACE}/${name} exists that was not created by k8s-win`
  // Of a run that was killed.
  if (left) await cluster.deletePod(SMOKE_NAMESPACE, name, left.uid)
  test.signal.throwIfAborted()
  let uid: string | undefined
  try {
    const created = await cluster.createPod(manifest)
    if ('refused' in created) return whyRefused(test.config, created.refused)
    ;({uid} = created)
    return await watchPod(test, cluster, name, uid)
  } finally {
    await removePod(test, cluster, name, uid)
  }
}

/** Of an exec plugin only the API server knows that it is a node's identity (plugin/pkg/admission/noderestriction). */
const whyRefused = (config: Node, refused: string): string =>
  refused.includes('can only create mirror pods')
    ? notAsNode(config)
    : `the API server refused a pod in the namespace ${SMOKE_NAMESPACE}: ${refused}`

/** What is waited for, while no step runs. */
const report = ({bus}: SmokeTest, text: string): void => bus.emit({id: 'smoke-test', text, type: 'progress'})

async function watchPod(test: SmokeTest, cluster: Cluster, name: string, uid: string): Promise<PodReport> {
  const {bus, config, host, signal} = test
  let shown = ''
  const show = (state: string): void => {
    if (state !== shown) report(test, `waiting for the pod ${SMOKE_NAMESPACE}/${name}: ${state}`)
    shown = state
  }
  let last: PodReport | undefined
  let silence: K8sWinError | undefined
  const options = {deadlineMs: SMOKE_POD_MS, everyMs: POLL_MS, signal}
  const ended = await waitFor(host.clock, options, async () => {
    try {
      const pod = await cluster.pod(SMOKE_NAMESPACE, name)
      // Another pod of the same name says nothing about this one.
      if (pod?.uid !== uid) {
        const seen = pod ? 'something deleted it and created another of the same name' : 'something deleted it'
        throw smokePodNotRun({node: config.nodeName, pod: `${SMOKE_NAMESPACE}/${name}`, seen})
      }
      if (silence) bus.info(`${cluster.server} responds again`)
      ;[last, silence] = [pod, undefined]
      show(podState(pod))
      return isOver(pod) ? pod : undefined
    } catch (error) {
      if (!isTransient(error)) throw error
      silence = error
      show(`${cluster.server} does not respond`)
      return undefined
    }
  })
  if (ended) return ended
  if (silence || !last) {
    const limit = String(SMOKE_POD_MS / 1000)
    throw serverLost({limit, reason: silence?.reason ?? '', server: cluster.server}, {cause: silence})
  }

  return last
}

/** Nothing more happens: every container ended, or one never starts. */
const isOver = ({containers, phase}: PodReport): boolean =>
  phase === 'Failed' || phase === 'Succeeded' || containers.some(({reason}) => reason === 'ErrImageNeverPull')

/**
 * Only k8s-win's own; without `uid`, by its labels: a request without an answer may have created it. Its failure does not
 * change the verdict.
 */
async function removePod(test: SmokeTest, cluster: Cluster, name: string, uid?: string): Promise<void> {
  const {bus, host} = test
  report(test, 'deleting the test pod')
  let silence: K8sWinError | undefined
  const remove = async (): Promise<true | undefined> => {
    try {
      const pod = await cluster.pod(SMOKE_NAMESPACE, name)
      if (pod && (uid === undefined ? isSmokePod(pod) : pod.uid === uid))
        await cluster.deletePod(SMOKE_NAMESPACE, name, pod.uid)
      silence = undefined
      return true
    } catch (error) {
      if (!(error instanceof K8sWinError)) throw error
      silence = error
      return isTransient(error) ? undefined : true
    }
  }
  const options = {deadlineMs: REMOVAL_MS / 2, everyMs: POLL_MS}
  await waitFor(host.clock, options, remove)
  if (!silence) return
  const command = `kubectl delete pod -n ${SMOKE_NAMESPACE} ${name}`
  const next = `the next "k8s-win verify --kubeconfig <file>" removes it, or an administrator: ${command}`
  bus.warn(`the pod ${SMOKE_NAMESPACE}/${name} may remain in the cluster (${silence.message}); ${next}`)
}

export function notRun(whyNot: string): SmokeOutcome {
  const checks = SMOKE_CHECK_IDS.map((id): CheckResult => ({
    durationMs: 0,
    id,
    message: whyNot,
    result: 'not-checked',
    title: TITLES[id],
  }))
  return {checks, lacksChecks: true, problems: [], whyNot}
}

/** --ignore-check turns a failure into a warning. */
function outcomeOf(
  {ignoreChecks}: Node,
  verdicts: Readonly<Record<SmokeCheckId, SmokeVerdict>>,
  durationMs: number,
): SmokeOutcome {
  const problems: K8sWinError[] = []
  const checks = SMOKE_CHECK_IDS.map((id): CheckResult => {
    const verdict = verdicts[id]
    const row = {durationMs, id, title: TITLES[id]}
    if (!(verdict instanceof K8sWinError)) return {...row, ...verdict}
    const {fix, message, reason} = verdict
    const said = `${message}. ${reason}`
    if (ignoreChecks.includes(id))
      return {...row, fix, message: `${said} (ignored: --ignore-check ${id})`, result: 'warn'}
    problems.push(verdict)
    return {...row, fix, message: said, result: 'fail'}
  })
  const lacksChecks = checks.some(({nothingToCheck, result}) => result === 'not-checked' && nothingToCheck !== true)
  return {checks, lacksChecks, problems}
}
