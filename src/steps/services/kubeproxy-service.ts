// kube-proxy as a Windows service, judged by its work: it stays Running without its network, and healthy without a rule.
import {kubeProxyService} from '../../components/kube-proxy.js'
import {DAEMON} from '../../config/daemons.js'
import {KUBE_PROXY, NETWORK_NAME} from '../../config/model.js'
import {
  loadBalancerMissing,
  serviceNotHealthy,
  servicesPending,
  servicesUnreadable,
  sourceVipMissing,
} from '../../errors/health.js'
import {backendsWrong, portOwnerUnknown, sourceVipUnreserved} from '../../errors/unhealthy-node.js'
import {
  applyService,
  concernsProcess,
  type DesiredService,
  inspectService,
} from '../../pipeline/desired/services/service.js'
import {findWrongBackends, SETTLED_MS, shownWrong} from '../../pipeline/desired/network/service-backends.js'
import {proveServices, type ServicesFault, type ServicesProof} from '../../pipeline/desired/network/services-proof.js'
import {restartService} from '../../pipeline/desired/services/stop-service.js'
import {readDaemonWords, withKnown} from '../../pipeline/run/known-failure.js'
import {drifted, inPlace, missing, type StepContext} from '../../pipeline/run/step.js'
import {RULE_EXISTS} from '../../signatures/hns-windows.js'
import {serviceStep} from './service-step.js'
import {ageOf} from '../../machine/clock.js'

const ID = 'kubeproxy-service'
/**
 * It works through the Services in no order, and HNS may need half a minute for each of them (kubernetes#109162, #109124):
 * "idle" is when nothing was made in three of its sync periods. Every start deletes what was made before.
 */
const IDLE_MS = 90_000
/** After a start: 10 s of sleep, the informers, and a round. */
const IDLE_AFTER_START_MS = 120_000
const BRISK_MS = 30_000
/** Less than the step has. */
const LONGEST_WAIT_MS = 8 * 60_000

const UNRESERVED = 'The step source-vip could not reserve one.'
const FORMER_VIP = 'kube-proxy still uses its former source VIP'

export const kubeproxyService = serviceStep(DAEMON.kubeproxy, {
  async apply(context) {
    const isConfused = await isConfusedByHns(context)
    const vip = await context.host.ipam.find(NETWORK_NAME)
    // Its own step has failed: without it kube-proxy ends at once, and one that runs continues with what it has.
    if (vip === undefined) throw sourceVipUnreserved({cause: UNRESERVED, seen: 'none', subnet: 'the pod network'})
    const {revivesOnly, ...config} = context.config
    const isOutdated = revivesOnly && (await hasFormerVip(context, vip))
    await applyService(isOutdated ? {...context, config} : context, ID, wanted(context, vip))
    if (isConfused && (await isConfusedByHns(context))) {
      await restartService(context, KUBE_PROXY)
      context.changed(`restart the service ${KUBE_PROXY}, ${RESTARTED}`)
    }
    await demandServices(context)
  },
  deadlineMs: 10 * 60_000,
  driftCause: `The service or the pod network was changed, and ${FORMER_VIP}.`,
  async inspect(context) {
    const vip = await context.host.ipam.find(NETWORK_NAME)
    if (vip === undefined) return missing('no address is reserved for kube-proxy')
    if (context.config.revivesOnly && (await hasFormerVip(context, vip))) return drifted(FORMER_VIP)
    const found = await inspectService(context, wanted(context, vip))
    if (found.state !== 'in-place') return found
    if (await isConfusedByHns(context)) return drifted(RESTARTED)
    const {error, fault, seen, silence} = await proveServices(context)
    if (error && portOwnerUnknown.is(error)) throw error
    return fault === undefined ? found : drifted(silence ? `${seen} (${silence.reason.replace(/\.$/, '')})` : seen)
  },
  async prove(context) {
    const wrong = (await isSettled(context)) ? await findWrongBackends(context) : []
    return wrong.length > 0
      ? drifted(shownWrong(wrong))
      : inPlace('HNS has the load balancers of the cluster IPs of all Services')
  },
  needs: ['source-vip', 'kubernetes-binaries', 'flanneld-service'],
  title: 'Start kube-proxy',
})

const RESTARTED = 'the Host Network Service was restarted after it, and refuses its load balancers since'

/**
 * Up to 1.36 it mistakes an HNS that is down for one without its load balancers, and cannot create them again when HNS has
 * restored them (kubernetes#139519). Only its own start deletes them.
 */
async function isConfusedByHns(context: StepContext): Promise<boolean> {
  const {services} = context.host
  const [own, hns] = await Promise.all(
    [KUBE_PROXY, 'hns'].map(async (name) => {
      const status = await services.status(name)
      return status && status.processId !== 0 ? services.startedAt(status.processId) : undefined
    }),
  )
  // At boot HNS may only be late, which it waits for.
  if (own === undefined || hns === undefined || hns <= own) return false
  const {known} = await readDaemonWords(context, DAEMON.kubeproxy)
  return known?.id === RULE_EXISTS
}

const wanted = ({config}: StepContext, vip: string): DesiredService => ({
  daemon: DAEMON.kubeproxy,
  spec: kubeProxyService(config, vip),
})

/** The address was reserved anew, and the rest of the command is unchanged. A killed run may have left the service at rest. */
async function hasFormerVip(context: StepContext, vip: string): Promise<boolean> {
  const {services} = context.host
  const [, used] = /--source-vip=([\d.]+)/.exec((await services.imagePath(KUBE_PROXY)) ?? '') ?? []
  if (used === undefined || used === vip) return false
  const differences = await services.compare(wanted(context, used).spec)
  return differences !== 'absent' && !differences.some(concernsProcess)
}

/** Rules that something else removed it never makes again by itself (policyApplied): a restart does. */
async function demandServices(context: StepContext): Promise<void> {
  const {clock} = context.host
  const judge = (await isSettled(context)) ? proveBackends : proveServices
  if ((await judge(context)).fault === undefined) return
  const end = clock.elapsed() + LONGEST_WAIT_MS
  context.progress({text: 'waiting for the load balancers of Services'})
  const first = await awaitServices(context, judge, IDLE_MS, end)
  if (first.fault === undefined) return
  if (first.error) throw first.error
  // Another start lets it list no more than before, and costs the Services that work.
  if (first.silence || first.isBusy) throw await servicesAbsent(context, first)

  await restartService(context, KUBE_PROXY)
  context.warn(`kube-proxy created no load balancers within ${IDLE_MS / 1000} s, so it was restarted`)
  context.changed(`restart the service ${KUBE_PROXY}, whose load balancers are missing`)
  const second = await awaitServices(context, judge, IDLE_AFTER_START_MS, end)
  if (second.fault !== undefined) throw await servicesAbsent(context, second)
}

interface BackendsProof extends Omit<ServicesProof, 'fault'> {
  readonly fault?: ServicesFault | 'backends'
}

/** One that started lately is still creating the load balancers of a large cluster. */
async function isSettled({host: {clock, services}}: StepContext): Promise<boolean> {
  const since = await services.startedAt((await services.status(KUBE_PROXY))?.processId ?? 0)
  return since !== undefined && ageOf(clock, since) >= SETTLED_MS
}

/** Also of the Services that not every cluster has. */
async function proveBackends(context: StepContext): Promise<BackendsProof> {
  const proof = await proveServices(context)
  if (proof.fault !== undefined) return proof
  const wrong = await findWrongBackends(context)
  return wrong.length > 0 ? {...proof, fault: 'backends', seen: shownWrong(wrong)} : proof
}

interface WaitedFor extends BackendsProof {
  /** The time is over, and it was still making some. */
  readonly isBusy: boolean
}

/** Until they work, or kube-proxy has made nothing for so long, or the end. */
async function awaitServices(
  context: StepContext,
  judge: (context: StepContext) => Promise<BackendsProof>,
  idleMs: number,
  end: number,
): Promise<WaitedFor> {
  const {clock} = context.host
  const begin = clock.elapsed()
  let proof = await judge(context)
  for (let since = begin; proof.fault !== undefined;) {
    const now = clock.elapsed()
    if (now - since >= idleMs) return {...proof, isBusy: false}
    if (now >= end) return {...proof, isBusy: true}
    // An HNS with so much to do answers slowly: it is not asked every second.
    await clock.sleep(now - begin < BRISK_MS ? 1000 : 5000, context.signal)
    const next = await judge(context)
    if (next.made > proof.made) since = clock.elapsed()
    proof = next
  }

  return {...proof, isBusy: false}
}

async function servicesAbsent(context: StepContext, proof: WaitedFor): Promise<Error> {
  const {error, fault, isBusy, seen, silence} = proof
  if (isBusy) return servicesPending({seen})
  const {known, logs, tail} = await readDaemonWords(context, DAEMON.kubeproxy)
  if (error) return error
  if (fault === 'health') {
    return withKnown(serviceNotHealthy({logs, seen: `${seen}.`, service: KUBE_PROXY, tail}), known)
  }
  if (fault === 'backends') return withKnown(backendsWrong({seen}).with({exitCode: 6}), known)
  if (silence) return servicesUnreadable({fix: silence.fix, reason: silence.reason, seen}, {cause: silence})
  const details = {logs, seen, tail}
  return withKnown(fault === 'source-vip' ? sourceVipMissing(details) : loadBalancerMissing(details), known)
}
