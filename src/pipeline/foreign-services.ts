// Services that have the names of ours and are somebody else's by now: they stay, and so does what they use.
import {FLANNELD} from '../components/flanneld.js'
import {KUBE_PROXY} from '../components/kube-proxy.js'
import {KUBELET} from '../components/kubelet.js'
import type {Host} from '../host/host.js'
import type {RunStepId} from './events.js'
import type {Journal} from './journal.js'
import type {StepId} from './step-id.js'

export interface ForeignService {
  /** What of a reset would be done to it, or to what it uses. */
  readonly keeps: readonly RunStepId[]
  readonly name: string
  /** In words: what it uses. */
  readonly uses: string
}

const SERVICES: readonly (ForeignService & {readonly step: StepId})[] = [
  {
    keeps: ['drain', 'containers', 'node-registered', 'kubelet-service'],
    name: KUBELET,
    step: 'kubelet-service',
    uses: 'its files, its containers and its node',
  },
  {
    keeps: ['overlay-network', 'external-network', 'flanneld-service', 'net-conf'],
    name: FLANNELD,
    step: 'flanneld-service',
    uses: 'its files and its networks',
  },
  {
    keeps: ['kubeproxy-service', 'source-vip'],
    name: KUBE_PROXY,
    step: 'kubeproxy-service',
    uses: 'its source address',
  },
]

/** Only where something of the step is noted: else there is nothing to keep. */
export async function findForeignServices({services}: Host, journal: Journal): Promise<ForeignService[]> {
  const foreign: ForeignService[] = []
  for (const service of SERVICES) {
    if (!journal.all().some(({step}) => step === service.step)) continue
    if (!(await services.status(service.name)) || (await services.isOurs(service.name))) continue
    foreign.push(service)
  }

  return foreign
}
