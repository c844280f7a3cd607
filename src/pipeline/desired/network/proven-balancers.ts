// What kube-proxy needs to create its load balancers again. Each of its starts deletes all of them (kubernetes,
// pkg/proxy/winkernel/proxier.go, NewProxier), and it creates none before it has listed Services and EndpointSlices.
import {kubeconfigOf} from '../../../components/identity.js'
import {NEEDS} from '../../../components/permissions.js'
import {DAEMON} from '../../../config/daemons.js'
import {KUBE_PROXY, type Node} from '../../../config/model.js'
import {servicesUnreadable} from '../../../errors/health.js'
import {clusterRefused, kubeconfigMissing} from '../../../errors/cluster.js'
import {K8sWinError} from '../../../errors/k8s-win-error.js'
import {nodeDeleted} from '../../../errors/unhealthy-node.js'
import type {Cluster} from '../../../host/cluster/cluster.js'
import {kubeconfigAt} from '../../../host/cluster/kubeconfig-file.js'
import {Refusal} from '../../../host/cluster/request.js'
import type {StepContext} from '../../run/step.js'

const SERVICES: readonly string[] = [KUBE_PROXY, ...DAEMON.kubeproxy.formerNames]

/**
 * Called before a service is stopped that is to be started again. Throws where it is a kube-proxy that runs, and HNS or the
 * API server does not give this kube-proxy's identity what the next start needs.
 */
export async function demandBalancersMakeable(
  {config, host}: Pick<StepContext, 'config' | 'host'>,
  service: string,
): Promise<void> {
  if (!SERVICES.includes(service) || (await host.services.status(service))?.state !== 'running') return
  await Promise.all([host.hns.networks(), host.hns.endpoints(), host.hns.policyLists()])
  try {
    await demandLists(config, host.cluster(await kubeconfigAt(host, kubeconfigOf(config, 'kube-proxy'))))
  } catch (error) {
    if (!(error instanceof K8sWinError) || nodeDeleted.is(error)) throw error
    throw servicesUnreadable({fix: error.fix, reason: error.reason, seen: KEPT}, {cause: error})
  }
}

const KEPT = 'kube-proxy was not restarted, because a start deletes all load balancers'

/**
 * The same before a program is replaced, which the run does before it registers the node and renews its certificate: that they
 * are missing is an answer, and a kube-proxy that is refused so keeps no load balancer up to date.
 */
export async function demandBalancersMakeableLater(
  context: Pick<StepContext, 'config' | 'host'>,
  service: string,
): Promise<void> {
  try {
    await demandBalancersMakeable(context, service)
  } catch (error) {
    if (!isMadeLater(error) && !isMadeLater((error as Error).cause)) throw error
  }
}

const isMadeLater = (error: unknown): boolean =>
  nodeDeleted.is(error) ||
  kubeconfigMissing.is(error) ||
  (clusterRefused.is(error) && (error as Error).cause instanceof Refusal)

/** Without its Node kube-proxy takes the endpoints of this node for those of others (docs/facts.md#kube-proxy). */
async function demandLists({nodeName, release}: Node, cluster: Cluster): Promise<void> {
  const listsNodes = NEEDS['kube-proxy'].required.some(
    ({resource, since = 0, verb}) => resource === 'nodes' && verb === 'list' && since <= release.minor,
  )
  const [isThere] = await Promise.all([
    listsNodes ? cluster.listsNode(nodeName) : cluster.node(nodeName).then((node) => node !== undefined),
    cluster.demandServices(),
  ])
  if (!isThere) throw nodeDeleted({node: nodeName})
}
