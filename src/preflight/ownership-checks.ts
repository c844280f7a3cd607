// Nothing of our names may be there that something else made: we would harm it, or it us.
import {win32} from 'node:path'
import {FIREWALL_RULES, isOurRule} from '../components/firewall.js'
import {FLANNELD} from '../components/flanneld.js'
import {KUBE_PROXY} from '../components/kube-proxy.js'
import {KUBELET} from '../components/kubelet.js'
import {NETWORK_NAME} from '../config/model.js'
import {foreignCniConfig, foreignNetwork, foreignRule, foreignService} from '../errors/host.js'
import {type K8sWinError, ProblemsError} from '../errors/k8s-win-error.js'
import {cniConfigBefore} from '../host/cni-folder.js'
import {type Check, pass} from './check.js'

export const services: Check = {
  id: 'services',
  async run({host}) {
    const problems: K8sWinError[] = []
    for (const name of [KUBELET, FLANNELD, KUBE_PROXY]) {
      if (!(await host.services.status(name)) || (await host.services.isOurs(name))) continue
      problems.push(foreignService({path: (await host.services.imagePath(name)) ?? 'unknown', service: name}))
    }

    if (problems.length > 0) throw new ProblemsError(problems)
    return pass('no foreign services of our names')
  },
  title: 'Services',
}

export const networks: Check = {
  id: 'networks',
  async run({host, journal}) {
    // Nobody else gets an answer, and that one is missing is told by its own check.
    if (!(await host.os.isAdministrator())) return pass('told to administrators only')
    const network = await host.hns.network(NETWORK_NAME)
    const ours = journal.entries('overlay-network', 'network').length > 0 || (await host.services.isOurs(FLANNELD))
    // flanneld would delete it and make its own.
    if (network && !ours) throw foreignNetwork({id: network.ID, network: NETWORK_NAME, type: network.Type})
    return pass('no foreign HNS network of our name')
  },
  title: 'HNS networks',
}

export const rules: Check = {
  id: 'firewall-rules',
  async run({host}) {
    const problems: K8sWinError[] = []
    for (const {name} of FIREWALL_RULES) {
      const stored = await host.firewall.find(name)
      if (stored.some((rule) => !isOurRule(rule.description))) problems.push(foreignRule({rule: name}))
    }

    if (problems.length > 0) throw new ProblemsError(problems)
    return pass('no foreign firewall rules of our names')
  },
  title: 'Firewall rules',
}

export const cniFolder: Check = {
  id: 'cni-folder',
  async run({host, layout}) {
    const {cniConfig, cniConfigFolder: folder} = layout
    const file = await cniConfigBefore(host.files, folder, win32.basename(cniConfig))
    if (file !== undefined) throw foreignCniConfig({file, folder})
    return pass('no foreign CNI configuration before ours')
  },
  title: 'CNI configuration',
}
