// The overlay network: made by flanneld, as the cluster gave it, with the host's own network restored.
import {foreignTraits, hasNoVtepMac, otherVni, overlayDifferences, podCIDROf} from '../components/overlay.js'
import {DAEMON} from '../config/daemons.js'
import {SUBNET_ENV} from '../config/layout.js'
import {FLANNELD, KUBE_PROXY, NETWORK_NAME, VXLAN_ID} from '../config/model.js'
import {overlayMissing, overlayWrong, vtepMacMissing} from '../errors/health.js'
import type {Hns} from '../host/hns/hns.js'
import type {ClusterNode} from '../host/cluster/objects.js'
import type {HnsNetwork} from '../host/hns/objects.js'
import {readSubnetEnv} from '../host/ipam.js'
import {waitFor} from '../host/wait.js'
import {recordNetworkId} from '../pipeline/desired/network/hns-network.js'
import {
  awaitNetwork,
  demandNetworkBack,
  lostSince,
  recordCompleteNetwork,
  restoreNetwork,
} from '../pipeline/desired/network/network-guard.js'
import {isRecordOpen} from '../pipeline/desired/network/network-records.js'
import {networksNamed} from '../pipeline/desired/network/own-network.js'
import {demandBalancersMakeable} from '../pipeline/desired/network/proven-balancers.js'
import {demandMakeable} from '../pipeline/desired/network/proven-makeable.js'
import {askNode, waitForNode} from '../pipeline/desired/cluster/node-cluster.js'
import {restartService} from '../pipeline/desired/services/stop-service.js'
import {readDaemonWords, withKnown} from '../pipeline/run/known-failure.js'
import {drifted, type Finding, inPlace, missing, type Step, type StepContext} from '../pipeline/run/step.js'
import {PARAMETER_INCORRECT} from '../signatures/hns-windows.js'

const ID = 'overlay-network'
const FIRST_WAIT_MS = 60_000
const SECOND_WAIT_MS = 120_000
/** It publishes its lease within seconds of finding its network. */
const PUBLISHED_WITHIN_MS = 30_000

export const overlayNetwork: Step = {
  async apply(context) {
    if (!isRecordOpen(context)) {
      // Nothing is restarted for a route.
      await restoreNetwork(context)
      if ((await inspect(context)).state === 'in-place') return
      await startAnew(context)
    }

    if (!(await appears(context, FIRST_WAIT_MS))) await startOnceMore(context)
    await demandNetworkBack(context)
    if ((await wrongOf(context)).length > 0) await replaceStale(context)
    await recordNetworkId(context, ID, NETWORK_NAME)
    await demandLease(context)
    context.changed(`flanneld brought up the overlay network ${NETWORK_NAME}`)
  },
  deadlineMs: 14 * 60_000,
  id: ID,
  inspect,
  needs: ['flanneld-service'],
  removal: 'Remove the overlay network',
  title: 'Wait for overlay network',
}

async function inspect(context: StepContext): Promise<Finding> {
  const network = await context.host.hns.network(NETWORK_NAME)
  if (!network) return missing(`the HNS network ${NETWORK_NAME} does not exist`)
  const evidence = (await lostSince(context)).map((thing) => `the host lost ${thing}`)
  if (evidence.length === 0 && isRecordOpen(context)) evidence.push("the host's network was not compared yet")
  if (readSubnetEnv(await context.host.files.read(SUBNET_ENV)) === undefined) {
    evidence.push(`${SUBNET_ENV} is missing or contains no subnet`)
  }
  // The cluster can be asked only when the host has its network back.
  const node = evidence.length === 0 ? await askNode(context) : undefined
  if (evidence.length === 0) {
    evidence.push(...(await differences(context, network, podCIDROf(node))), ...wrongLease(node))
  }

  if (evidence.length > 0) return drifted(...evidence)
  const isCompared = podCIDROf(node) !== undefined
  return inPlace(`${NETWORK_NAME} is up${isCompared ? '' : '; the cluster reports no pod network to compare it with'}`)
}

async function appears(context: StepContext, deadlineMs: number): Promise<boolean> {
  context.progress({text: `waiting for ${NETWORK_NAME}`})
  const {clock, files, hns} = context.host
  const found = await waitFor(clock, {deadlineMs, everyMs: 1000, signal: context.signal}, async () =>
    (await hns.network(NETWORK_NAME)) && readSubnetEnv(await files.read(SUBNET_ENV)) !== undefined ? true : undefined,
  )
  return found ?? false
}

/**
 * What flanneld published that other nodes cannot use. Without a pod network flanneld publishes nothing, and one that is
 * restarted ends: what it made before still works.
 */
function wrongLease(node: ClusterNode | undefined): string[] {
  if (!node || podCIDROf(node) === undefined) return []
  const vni = otherVni(node)
  return [
    ...(hasNoVtepMac(node) ? [`flanneld published no VtepMAC for the node ${node.name}`] : []),
    ...(vni === undefined ? [] : [`flanneld published VNI ${vni} for the node ${node.name}`]),
  ]
}

async function demandLease(context: StepContext): Promise<void> {
  let last: ClusterNode | undefined
  const isPublished = (deadlineMs: number): Promise<boolean | undefined> =>
    waitForNode(context, deadlineMs, (node) => {
      last = node
      return wrongLease(node).length > 0 ? undefined : true
    })
  if (await isPublished(PUBLISHED_WITHIN_MS)) return
  await demandMakeable(context)
  context.warn(`${wrongLease(last).join(', ') || 'flanneld published nothing'}; restarting it`)
  await restartService(context, FLANNELD)
  if (await isPublished(FIRST_WAIT_MS)) return
  if (last && !hasNoVtepMac(last)) throw overlayUnfit(wrongLease(last))
  const {known, logs, tail} = await readDaemonWords(context, DAEMON.flanneld)
  throw withKnown(vtepMacMissing({logs, node: context.config.nodeName, tail}), known)
}

async function startOnceMore(context: StepContext): Promise<void> {
  const {hns} = context.host
  if (await hns.network(NETWORK_NAME)) {
    // Without its address flanneld cannot continue, and no restart helps: then the lost address is reported.
    await demandNetworkBack(context)
    // Nor does one help against a network that flanneld cannot remove.
    if ((await wrongOf(context)).length > 0) return
  } else {
    // The same, and the record stays open for the switch that is still to be made.
    await awaitNetwork(context)
  }

  // Without an answer of the cluster flanneld creates nothing, however often it is started.
  await askNode(context)
  // Its first start often fails because the new switch resets the adapter under it (flannel#1066): once more.
  context.warn(`flanneld created no network within ${FIRST_WAIT_MS / 1000} s; restarting it`)
  await restartService(context, FLANNELD)
  if (!(await appears(context, SECOND_WAIT_MS))) throw await overlayAbsent(context)
}

/** flanneld looks for its network only when it starts. */
async function startAnew(context: StepContext): Promise<void> {
  const {hns} = context.host
  await demandMakeable(context)
  await recordCompleteNetwork(context, ID)
  if (!(await hns.network(NETWORK_NAME))) await context.journal.record(ID, {kind: 'network', name: NETWORK_NAME})
  await restartService(context, FLANNELD)
}

/** One of another pod network, which flanneld cannot remove while something is on it, or of another address of the host. */
async function replaceStale(context: StepContext): Promise<void> {
  const {hns, services} = context.host
  const {candidates, others, own: stale} = await networksNamed(context, ID, NETWORK_NAME)
  const isNoted = context.journal.entries(ID, 'network').length > 0
  // What watch does not start again it does not stop either.
  const isOnDemand = context.config.revivesOnly && (await services.startType(KUBE_PROXY)) !== 'automatic'
  const isKept = isOnDemand && (await services.status(KUBE_PROXY))?.state === 'running'
  // flanneld takes the first of this name, and would replace one that is not its own.
  if (candidates.length > 1 || others.length > 0) throw overlayUnfit(await wrongOf(context))
  if (stale && (!isNoted || isKept || foreignTraits(stale).length > 0)) throw overlayUnfit(await wrongOf(context))
  // Without it nothing makes another network; its own step may have failed.
  if ((await services.startType(FLANNELD)) !== 'automatic') throw overlayUnfit(await wrongOf(context))
  await demandMakeable(context)
  await demandBalancersMakeable(context, KUBE_PROXY)
  await recordCompleteNetwork(context, ID)
  // It has its rules on the network, and would make them again while they are removed. Its own step starts it.
  await services.stop(KUBE_PROXY, context.signal)
  await services.stop(FLANNELD, context.signal)
  if (stale) await hns.removeNetwork(stale.ID)
  context.changed(`remove the HNS network ${NETWORK_NAME}, which belongs to a previous pod network or address`)
  await demandNetworkBack(context)
  await startAnew(context)
  if (!(await appears(context, SECOND_WAIT_MS))) throw await overlayAbsent(context)
  await demandNetworkBack(context)
  const wrong = await wrongOf(context)
  if (wrong.length > 0) throw overlayUnfit(wrong)
}

const overlayUnfit = (wrong: readonly string[]): Error =>
  overlayWrong({
    network: NETWORK_NAME,
    seen: wrong.join(', '),
    wanted: `an overlay with VSID ${VXLAN_ID} on the node's pod network`,
  })

async function wrongOf(context: StepContext): Promise<string[]> {
  const network = await context.host.hns.network(NETWORK_NAME)
  return network ? differences(context, network, podCIDROf(await askNode(context))) : ['nothing']
}

/**
 * A flanneld that finds the network on its subnet takes it as it is (device_windows.go, ensureNetwork), also where the host
 * has another address since (assumption management-address). HNS may use another address of the host than the daemons.
 */
async function differences(
  {config, host}: StepContext,
  network: HnsNetwork,
  podCIDR: string | undefined,
): Promise<string[]> {
  const own = (await host.network.adapters()).flatMap(({addresses}) => addresses.map(({address}) => address))
  const {ManagementIP: used = config.nodeIP} = network
  const isFormer = !own.includes(used) && own.includes(config.nodeIP)
  return [...overlayDifferences(network, podCIDR), ...(isFormer ? [`management address ${used}`] : [])]
}

export async function overlayAbsent(context: StepContext): Promise<Error> {
  const {config, host} = context
  const {known, logs, tail} = await readDaemonWords(context, DAEMON.flanneld)
  const error = withKnown(overlayMissing({logs, network: NETWORK_NAME, tail}), known)
  if (known?.id !== PARAMETER_INCORRECT) return error
  return error.with({cause: `${error.reason} ${await whatIsThere(host.hns, config.adapterName)}`})
}

/** What can conflict with flanneld's network on the adapter. */
async function whatIsThere(hns: Hns, adapter: string): Promise<string> {
  const networks = (await hns.networks().catch(() => [])).map(
    ({ID, Name, NetworkAdapterName: on = 'no adapter', Type}) => `${Name} (${Type} on ${on}, ${ID})`,
  )
  return `The adapter is "${adapter}"; HNS has ${networks.length === 0 ? 'no networks' : networks.join(', ')}.`
}
