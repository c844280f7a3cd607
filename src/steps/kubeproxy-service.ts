// kube-proxy as a Windows service, judged by its work: it stays Running without its network, and healthy without a rule.
import {KUBE_PROXY, KUBE_PROXY_HEALTH, kubeProxyLogs, kubeProxyService} from '../components/kube-proxy.js'
import {formerOf} from '../components/predecessors.js'
import {NETWORK_NAME} from '../config/model.js'
import {loadBalancerMissing, serviceNotHealthy, servicesUnreadable, sourceVipMissing} from '../errors/health.js'
import {waitFor} from '../host/wait.js'
import {removeFiles} from '../pipeline/desired-file.js'
import {applyService, type DesiredService, inspectService, removeService} from '../pipeline/desired-service.js'
import {readDaemonWords, withKnown} from '../pipeline/known-failure.js'
import {restService, startService} from '../pipeline/service-attempt.js'
import {proveServices, type ServicesProof} from '../pipeline/services-proof.js'
import {drifted, missing, type Step, type StepContext} from '../pipeline/step.js'

const ID = 'kubeproxy-service'
/** It syncs every 30 s what it finds missing by itself. */
const FIRST_WAIT_MS = 60_000
/** After a start: 10 s of sleep, the informers, and a round. */
const SECOND_WAIT_MS = 120_000

export const kubeproxyService: Step = {
  async apply(context) {
    await applyService(context, ID, wanted(context, (await context.host.ipam.find(NETWORK_NAME)) ?? ''))
    await demandServices(context)
  },
  deadlineMs: 10 * 60_000,
  id: ID,
  async inspect(context) {
    const vip = await context.host.ipam.find(NETWORK_NAME)
    if (vip === undefined) return missing('no address is reserved for kube-proxy')
    const found = await inspectService(context, wanted(context, vip))
    if (found.state !== 'in-place') return found
    const {fault, seen} = await proveServices(context)
    return fault === undefined ? found : drifted(seen)
  },
  needs: ['source-vip', 'kubernetes-binaries', 'flanneld-service'],
  async remove(context) {
    await removeService(context, ID)
    await removeFiles(context, ID)
  },
  stop: (context) => restService(context, KUBE_PROXY),
  title: 'Run kube-proxy',
}

const wanted = ({config}: StepContext, vip: string): DesiredService => ({
  former: formerOf(config.baseDir, KUBE_PROXY),
  health: KUBE_PROXY_HEALTH,
  logs: kubeProxyLogs(config),
  spec: kubeProxyService(config, vip),
})

/** Rules that something else removed it never makes again by itself (policyApplied): a restart does. */
async function demandServices(context: StepContext): Promise<void> {
  const {services} = context.host
  if ((await proveServices(context)).fault === undefined) return
  context.progress({text: 'waiting for the load balancers of Services'})
  const first = await awaitServices(context, FIRST_WAIT_MS)
  if (first.fault === undefined) {
    context.changed('kube-proxy created its load balancers')
    return
  }

  // Another start lets it list no more than before, and costs the Services that work.
  if (first.fault === 'unproven') throw await servicesAbsent(context, first)

  context.warn(`kube-proxy made no load balancers within ${FIRST_WAIT_MS / 1000} s; starting it again`)
  await services.stop(KUBE_PROXY, context.signal)
  await startService(context, KUBE_PROXY)
  context.changed(`restart the service ${KUBE_PROXY}, whose load balancers are missing`)
  const proof = await awaitServices(context, SECOND_WAIT_MS)
  if (proof.fault !== undefined) throw await servicesAbsent(context, proof)
}

async function awaitServices(context: StepContext, deadlineMs: number): Promise<ServicesProof> {
  let last: ServicesProof = {fault: 'health', seen: ''}
  const options = {deadlineMs, everyMs: 1000, signal: context.signal}
  await waitFor(context.host.clock, options, async () => {
    last = await proveServices(context)
    return last.fault === undefined ? true : undefined
  })
  return last
}

async function servicesAbsent({config, host}: StepContext, {fault, seen, silence}: ServicesProof): Promise<Error> {
  const logs = kubeProxyLogs(config)
  const {known, tail} = await readDaemonWords(host.files, config.baseDir, logs, 'kube-proxy')
  if (fault === 'health') {
    return withKnown(serviceNotHealthy({logs, seen: `${seen}.`, service: KUBE_PROXY, tail}), known)
  }
  if (silence) return servicesUnreadable({fix: silence.fix, reason: silence.reason, seen}, {cause: silence})
  const told = {logs, seen, tail}
  return withKnown(fault === 'source-vip' ? sourceVipMissing(told) : loadBalancerMissing(told), known)
}
