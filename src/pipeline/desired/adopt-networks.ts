// With --adopt: what another set-up has on the way to flanneld's network. It comes to rest, and what would break
// flanneld is removed; a network that is as flanneld would make it stays, with the pods on it, and becomes ours.
import {EXTERNAL_NETWORK, FLANNELD, needsExternalNetwork} from '../../components/flanneld.js'
import {KUBE_PROXY} from '../../components/kube-proxy.js'
import {foreignTraits, isOfOldFlannel, overlayDifferences} from '../../components/overlay.js'
import {FORMER_SERVICES} from '../../components/predecessors.js'
import {NETWORK_NAME} from '../../config/model.js'
import type {HnsNetwork} from '../../host/hns/objects.js'
import {isForeignService} from './adoption.js'
import {noteNetwork} from './network-guard.js'
import {askNode} from './node-cluster.js'
import {restService} from './stop-service.js'
import type {StepContext} from '../run/step.js'
import type {StepId} from '../run/step-id.js'

/** In words, one a thing. */
export async function findInTheWay(context: StepContext): Promise<string[]> {
  const [services, networks] = [await foreignDaemons(context), await networksInTheWay(context)]
  return [
    ...services.map((name) => `the service ${name} of another installation runs`),
    ...networks.map(({Name: name}) => `the HNS network ${name} of another installation is there`),
  ]
}

export async function clearTheWay(context: StepContext, step: StepId): Promise<void> {
  const {docker, hns} = context.host
  for (const name of await foreignDaemons(context)) {
    await restService(context, name)
    context.changed(`stop the service ${name} of another installation`)
  }

  const networks = await networksInTheWay(context)
  // With the last of them the switch goes away, and the host is cut off.
  if (networks.length > 0) await noteNetwork(context, step)
  for (const {ID: id, Name: name} of networks) {
    await hns.removeNetwork(id)
    context.changed(`remove the HNS network ${name} of another installation`)
    if (name !== NETWORK_NAME) continue
    // Its pods have lost their addresses with it, and the kubelet does not see that: it makes anew what is gone.
    const pods = await docker.removeSandboxes()
    if (pods > 0) context.changed(`remove the sandboxes of ${pods} of its pods, which the kubelet recreates`)
  }
}

/** kube-proxy before flanneld: it has its rules on the network. */
async function foreignDaemons(context: StepContext): Promise<string[]> {
  const found: string[] = []
  for (const name of [...FORMER_SERVICES, KUBE_PROXY, FLANNELD]) {
    if (!(await isForeignService(context, name))) continue
    if ((await context.host.services.status(name))?.state !== 'stopped') found.push(name)
  }

  return found
}

async function networksInTheWay(context: StepContext): Promise<HnsNetwork[]> {
  const {config, host, journal} = context
  if (!config.adopt) return []
  const needsExternal = needsExternalNetwork(config)
  const external = needsExternal ? undefined : await host.hns.network(EXTERNAL_NETWORK)
  const overlay = await host.hns.network(NETWORK_NAME)
  const isNoted = journal.entries('overlay-network', 'network').length > 0
  const unfit =
    overlay !== undefined &&
    !(isNoted && foreignTraits(overlay).length === 0) &&
    ((!needsExternal && isOfOldFlannel(overlay)) ||
      overlayDifferences(overlay, (await askNode(context))?.podCIDR ?? '').length > 0)
  return [external, unfit ? overlay : undefined].filter((network) => network !== undefined)
}
