// Do Services work on this node? The same proof that ends the step of kube-proxy in setup.
import {KUBE_PROXY} from '../components/kube-proxy.js'
import {NETWORK_NAME} from '../config/model.js'
import {servicesNotProven} from '../errors/unhealthy-node.js'
import {proveServices} from '../pipeline/services-proof.js'
import {LOCAL_MS, type Probe, problemOf} from './probe.js'

export const servicesProofProbe: Probe<never> = {
  check: 'services-proof',
  deadlineMs: LOCAL_MS,
  async look(context) {
    // A network that is absent, or an HNS that does not answer, is what the probe of the network reports.
    const network = await context.host.hns.network(NETWORK_NAME).catch(() => undefined)
    if (!network) return {}
    const {fault, seen, silence} = await proveServices(context)
    // Its health is the story of its service.
    if (fault === undefined || fault === 'health') return {}
    const why = silence === undefined ? '' : ` ${silence.message}.`
    const about = {area: 'network', seen, subject: KUBE_PROXY, wanted: 'an endpoint and load balancers in HNS'} as const
    return {problems: [problemOf(servicesNotProven({seen, why}), {...about, steps: ['kubeproxy-service']})]}
  },
  what: 'the proof of Services',
}
