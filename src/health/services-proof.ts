// Do Services work on this node? The same proof that ends the step of kube-proxy in setup.
import {KUBE_PROXY, kubeProxyLogs} from '../components/kube-proxy.js'
import {NETWORK_NAME, type NodeConfig} from '../config/model.js'
import {loadBalancerMissing, servicesUnreadable, sourceVipMissing} from '../errors/health.js'
import type {K8sWinError} from '../errors/k8s-win-error.js'
import {proveServices, type ServicesProof} from '../pipeline/desired/services-proof.js'
import {LOCAL_MS, type Probe, problemOf} from './probe.js'

const CAUSE =
  'kube-proxy runs, but has not programmed what a Service needs: HNS refused it, it has not received the Services, or it is still at work, which may take half a minute per Service. It reports itself healthy all the same.'

export const servicesProofProbe: Probe<never> = {
  check: 'services-proof',
  deadlineMs: LOCAL_MS,
  async look(context) {
    const {command, config, host} = context
    // A network that is absent, or an HNS that does not answer, is what the probe of the network reports.
    const network = await host.hns.network(NETWORK_NAME).catch(() => undefined)
    if (!network) return {dependsOn: {check: 'overlay-network', why: `there is no network ${NETWORK_NAME}`}}
    const proof = await proveServices(context)
    // Its health is the story of its service.
    if (proof.fault === 'health') return {dependsOn: {check: 'node-services', why: proof.seen}}
    const error = errorOf(config, proof)
    if (!error) return {}
    const next = proof.silence ? error.fix : `${command('setup')} (logs: ${command(`logs ${KUBE_PROXY}`)})`
    return {
      problems: [
        problemOf(error, {
          area: 'network',
          ...(proof.silence ? {} : {cause: CAUSE}),
          next,
          seen: proof.seen,
          steps: ['kubeproxy-service'],
          subject: KUBE_PROXY,
          wanted: 'its source VIP and the load balancers of Services in HNS',
        }),
      ],
    }
  },
  what: 'the proof of Services',
}

function errorOf(config: NodeConfig, {fault, seen, silence}: ServicesProof): K8sWinError | undefined {
  if (fault === undefined) return undefined
  if (silence) return servicesUnreadable({fix: silence.fix, reason: silence.reason, seen})
  const told = {logs: kubeProxyLogs(config), seen, tail: ''}
  return fault === 'source-vip' ? sourceVipMissing(told) : loadBalancerMissing(told)
}
