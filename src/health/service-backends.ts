// The backends of HNS' load balancers against the EndpointSlices of the cluster.
import {isInside} from '../config/cidr.js'
import {DAEMON} from '../config/daemons.js'
import {KUBE_PROXY, NETWORK_NAME} from '../config/model.js'
import {backendsWrong} from '../errors/unhealthy-node.js'
import {isOfHost, SETTLED_MS, shownWrong, unique, wrongBackends} from '../pipeline/desired/network/service-backends.js'
import {readDaemonWords, withKnown} from '../pipeline/run/known-failure.js'
import {check, type Finding, notChecked, pass, warn} from '../preflight/check.js'
import {type Facts, unlessForbidden} from '../preflight/facts.js'
import {ageOf, momentAgo} from '../machine/clock.js'

/** Only what kube-proxy's identity may list can be compared, and kube-proxy itself knows no more. */
async function judge(facts: Facts, namespace?: string, address?: string): Promise<Finding> {
  const {config, host} = facts
  const network = await host.hns.network(NETWORK_NAME)
  if (!network) return notChecked(`the network ${NETWORK_NAME} does not exist`)
  const status = await host.services.status(KUBE_PROXY)
  if (status?.state !== 'running') return notChecked('kube-proxy is not running')
  const cluster = await facts.cluster('kube-proxy')
  const [all, slices, own, {clockAheadMs = 0}] = await Promise.all([
    unlessForbidden(cluster.servicePorts(namespace)),
    unlessForbidden(cluster.endpointSlices(namespace)),
    facts.nodeName(),
    facts.server(),
  ])
  if (!all || !slices) return notChecked('the identity of kube-proxy is not allowed to list Services')
  // Every cluster has those of the API server.
  if (slices.length === 0) return notChecked('the cluster lists no EndpointSlices')
  const servicePorts = address === undefined ? all : all.filter(({clusterIP}) => clusterIP === address)
  const [balancers, endpoints] = await Promise.all([host.hns.policyLists(), host.hns.endpoints()])
  const isOwnHost = isOfHost(network, own)
  const newerThan = momentAgo(host.clock, clockAheadMs + SETTLED_MS)
  const wrong = wrongBackends({balancers, endpoints, isOwnHost, newerThan, servicePorts, slices})
  if (wrong.length === 0) {
    const outside = servicePorts.filter(({clusterIP}) => !isInside(config.serviceCIDR, clusterIP))
    return outside.length === 0
      ? pass(`the load balancers of ${servicePorts.length} ports have their endpoints`)
      : warn(
          `pods on this node reach these Services with a translated address or not at all, because they are outside --service-cidr ${config.serviceCIDR}: ${shownWrong(unique(outside.map(({clusterIP, name, namespace: its}) => `${its}/${name} (${clusterIP})`)))}`,
          'Pass all service networks of the cluster ("kubectl get servicecidrs"), separated by commas, to setup: --service-cidr.',
        )
  }

  const since = await host.services.startedAt(status.processId)
  if (since !== undefined && ageOf(host.clock, since) < SETTLED_MS) {
    return notChecked(`kube-proxy has just started, and has not created all load balancers yet: ${shownWrong(wrong)}`)
  }
  const {known} = await readDaemonWords({config, host}, DAEMON.kubeproxy)
  throw withKnown(backendsWrong({seen: shownWrong(wrong)}), known)
}

export const serviceBackends = check(
  'service-backends',
  {failsOnNode: true, needs: ['hns', 'cluster'], on: 'node', only: 'doctor', title: 'Backends of Services'},
  (facts) => judge(facts),
)

/** Without DNS nothing works in pods, so it is compared by status too: it is in one namespace, and few. */
export const dnsBackends = check(
  'dns-backends',
  {needs: ['hns', 'cluster'], on: 'node', title: 'Backends of cluster DNS'},
  async (facts) => {
    const address = await facts.clusterDNS()
    if (address === undefined) return notChecked('the address of the cluster DNS is unknown')
    return judge(facts, 'kube-system', address)
  },
)
