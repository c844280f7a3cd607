// Services: k8s-win's own say so in their description.
import {FLANNELD} from '../../../components/flanneld.js'
import {KUBE_PROXY} from '../../../components/kube-proxy.js'
import {KUBELET} from '../../../components/kubelet.js'
import {homeOfService, isSameHome} from '../../../components/node-home.js'
import {attempt} from '../../desired/stop-service.js'
import type {StepId} from '../../run/step-id.js'
import type {Kind, Things} from './kind.js'

export interface ServiceEntry {
  readonly kind: 'service'
  readonly name: string
}

const SERVICES: readonly (readonly [string, StepId])[] = [
  [KUBELET, 'kubelet-service'],
  [FLANNELD, 'flanneld-service'],
  [KUBE_PROXY, 'kubeproxy-service'],
]
const STEP_OF: Things = new Map(SERVICES)

export const service: Kind = {
  accepts: ({name}, step) => STEP_OF.get(name) === step,
  describe: (name) => `the service ${name}`,
  find: {
    async services(search) {
      const {claim, config, elsewhere, host, remark, services} = search
      for (const [name, step] of SERVICES) {
        if (!(await host.services.isOurs(name))) continue
        const home = homeOfService((await host.services.imagePath(name)) ?? '')
        if (home === undefined || isSameHome(home, config.baseDir)) {
          services.add(name)
          claim(step, {kind: 'service', name})
        } else {
          elsewhere.add(home)
          remark(`the service ${name} is of the node in ${home}`)
        }
      }

      search.isFlannelOurs = services.has(FLANNELD)
    },
  },
  names: 'name',
  place: 'the services',
  async remove({changed, host, journal, signal}, step) {
    for (const {name} of journal.entries(step, 'service')) {
      if (!(await host.services.isOurs(name))) continue
      await attempt(name, 'removed', () => host.services.remove(name, signal))
      changed(`remove the service ${name}`)
    }
  },
  steps: SERVICES.map(([, step]) => step),
}
