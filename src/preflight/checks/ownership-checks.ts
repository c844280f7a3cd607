// Checks for services, rules and networks that have k8s-win's names and were not created by k8s-win. --adopt takes them over.
import {cniFileOf} from '../../components/cni.js'
import {FIREWALL_RULES, isOurRule} from '../../components/firewall-rules.js'
import {EXTERNAL_NETWORK, needsExternalNetwork} from '../../components/flanneld.js'
import {isSameHome} from '../../components/node-home.js'
import {FORMER_SERVICES} from '../../components/releases/predecessors.js'
import {COMMON_DAEMONS, WATCH} from '../../config/daemons.js'
import {FLANNELD, NETWORK_NAME} from '../../config/model.js'
import {otherNetwork} from '../../errors/condition.js'
import {foreignNetwork, foreignRule, foreignService, nodeElsewhere} from '../../errors/host.js'
import {type K8sWinError, ProblemsError} from '../../errors/k8s-win-error.js'
import {demandOnlyCniConfig} from '../../host/cni-folder.js'
import {networksNamed} from '../../pipeline/desired/network/own-network.js'
import {homesOfServices} from '../../pipeline/desired/services/own-services.js'
import {check, type Check, pass, type Finding, warn} from '../check.js'
import type {Facts} from '../facts.js'

/** Types that create a virtual switch on an adapter of the host. */
const ON_AN_ADAPTER = /^(?:l2bridge|l2tunnel|overlay|transparent)$/i

const services = check('services', {area: 'services', title: 'Services'}, async (facts) => {
  const {config, host} = facts
  const found: string[] = []
  const elsewhere = await homesElsewhere(facts)
  const problems: K8sWinError[] = [...elsewhere].map(([home, names]) =>
    nodeElsewhere({asked: config.baseDir, home, services: names.join(', ')}),
  )
  for (const name of [...COMMON_DAEMONS.map(({service}) => service), WATCH.service, ...FORMER_SERVICES]) {
    if (!(await host.services.status(name)) || (await host.services.isOurs(name))) continue
    found.push(name)
    problems.push(foreignService({path: (await host.services.imagePath(name)) ?? 'unknown', service: name}))
  }

  if (problems.length === 0) return pass('no conflicting services')
  if (!config.adopt || elsewhere.size > 0) throw new ProblemsError(problems)
  return takenOver(`services ${found.join(', ')}`)
})

/** Services of k8s-win that run from another base directory, by that directory. */
async function homesElsewhere({config, host}: Facts): Promise<Map<string, string[]>> {
  return new Map([...(await homesOfServices(host))].filter(([home]) => !isSameHome(home, config.baseDir)))
}

const networks = check('networks', {needs: ['hns'], title: 'HNS networks'}, async (facts) => {
  const {config, host, journal} = facts
  const isKnown = journal.entries('overlay-network', 'network').length > 0 || (await host.services.isOurs(FLANNELD))
  // A known network can have been replaced by one of another tool with the same name, or have one beside it.
  const {candidates, others} = await networksNamed(facts, 'overlay-network', NETWORK_NAME)
  const unclear = candidates.length > 1 || !isKnown ? candidates : []
  const found = [...others, ...unclear]
  if (found.length === 0) return pass('no conflicting HNS network')
  if (config.adopt && others.length > 0) {
    return warn(
      `the HNS network ${NETWORK_NAME} of another tool will be removed, with everything on it`,
      'No action is needed: --adopt requests it.',
    )
  }
  if (config.adopt && candidates.length === 1) return takenOver(`HNS network ${NETWORK_NAME}`)
  // flanneld would delete it and make its own.
  throw new ProblemsError(found.map(({ID: id, Type: type}) => foreignNetwork({id, network: NETWORK_NAME, type})))
})

/** HNS rejects a second type of network on an adapter with 0x803b0006 (docs/facts.md#hns). */
const otherNetworks = check(
  'other-networks',
  {needs: ['hns'], title: 'Other networks on the adapter'},
  async (facts) => {
    const {name: chosen} = await facts.interface()
    const inTheWay = (await facts.host.hns.networks()).filter(
      ({Name, NetworkAdapterName, Type}) =>
        Name !== NETWORK_NAME &&
        ON_AN_ADAPTER.test(Type) &&
        (NetworkAdapterName === undefined || isSameAdapter(NetworkAdapterName, chosen)),
    )
    const external = inTheWay.filter(({Name}) => Name === EXTERNAL_NETWORK)
    const problems = inTheWay
      .filter((network) => !external.includes(network) || !mayStay(facts))
      .map(({ID, Name, NetworkAdapterName, Type}) =>
        otherNetwork({adapter: `"${NetworkAdapterName ?? chosen}"`, id: ID, network: Name, type: Type}),
      )
    if (problems.length > 0) throw new ProblemsError(problems)
    if (external.length > 0 && facts.config.adopt && !needsExternalNetwork(facts.config)) {
      return warn(
        `the network ${EXTERNAL_NETWORK} of another tool will be removed`,
        'No action is needed: --adopt requests it.',
      )
    }
    return pass('none on the adapter of the overlay network')
  },
)

/** flannel below 0.12 requires it; --adopt removes that of the original script. */
function mayStay({config}: Facts): boolean {
  return config.adopt || needsExternalNetwork(config)
}

/** The adapter of a virtual switch is called vEthernet (<name>). */
function isSameAdapter(network: string, chosen: string): boolean {
  const plain = (name: string): string => name.replace(/^vEthernet \((.*)\)$/i, '$1').toLowerCase()
  return plain(network) === plain(chosen)
}

const rules = check('firewall-rules', {area: 'firewall', title: 'Firewall rules'}, async ({config, host}) => {
  const problems: K8sWinError[] = []
  for (const {name} of FIREWALL_RULES) {
    const stored = await host.firewall.find(name)
    if (stored.some((rule) => !isOurRule(rule.description))) problems.push(foreignRule({rule: name}))
  }

  if (problems.length === 0) return pass('no conflicting firewall rules')
  if (config.adopt) return takenOver('firewall rules')
  throw new ProblemsError(problems)
})

const cniFolder = check('cni-folder', 'CNI configuration', async ({config, host}) => {
  if (config.adopt && !config.containerd.isOurs) return pass('others are put aside: --adopt requests it')
  await demandOnlyCniConfig(host.files, cniFileOf(config), config)
  return pass('no conflicting CNI configuration')
})

const takenOver = (what: string): Finding =>
  warn(`the ${what} of another installation will be taken over`, 'No action is needed: --adopt requests it.')

export const OWNERSHIP_CHECKS: readonly Check[] = [services, rules, networks, otherNetworks, cniFolder]
