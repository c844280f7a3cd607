// Taking over with --adopt: what another installation made under k8s-win's names becomes managed by k8s-win, or is removed.
// Without the option nothing here finds or changes anything; the preflight checks have refused such a host.
import {EXTERNAL_NETWORK, needsExternalNetwork} from '../../components/flanneld.js'
import {foreignTraits, isOfOldFlannel, overlayDifferences, podCIDROf} from '../../components/overlay.js'
import {type Former, FORMER_SERVICES, type FormerFile} from '../../components/releases/predecessors.js'
import {FLANNELD, KUBE_PROXY, NETWORK_NAME} from '../../config/model.js'
import type {EntryOf, JournalKind} from '../ledger/entries.js'
import type {HnsNetwork} from '../../host/hns/objects.js'
import type {StepContext, StepId} from '../run/step.js'
import {recordCompleteNetwork} from './network/network-guard.js'
import {demandBalancersMakeable} from './network/proven-balancers.js'
import {demandMakeable} from './network/proven-makeable.js'
import {askNode} from './cluster/node-cluster.js'
import {networksNamed} from './network/own-network.js'
import {removeIfEmpty, removePath} from './files/remove-path.js'
import {callService, restService} from './services/stop-service.js'

type Context = Pick<StepContext, 'changed' | 'config' | 'host' | 'journal' | 'progress' | 'signal' | 'warn'>

/**
 * With --adopt what is already as wanted is recorded too, so that reset removes it. Without it, after a lost journal, what
 * the new one does not name shows reset that it lacks other things, too.
 */
export function isToBeClaimed<K extends JournalKind>(
  {config, journal}: Pick<Context, 'config' | 'journal'>,
  step: StepId,
  kind: K,
  isIt: (entry: EntryOf<K>) => boolean = () => true,
): boolean {
  return config.adopt && !journal.entries(step, kind).some(isIt)
}

const NOTHING: Former = {files: [], services: []}

export async function findFormer(context: Context, former: Former = NOTHING): Promise<string[]> {
  if (!context.config.adopt) return []
  const found: string[] = []
  for (const name of former.services) {
    if (await context.host.services.status(name)) found.push(`the service ${name} of another installation exists`)
  }

  for (const file of former.files) {
    if (await isThere(context, file)) found.push(`${file.path} of another installation exists`)
  }

  return found
}

export async function removeFormer(context: Context, former: Former = NOTHING): Promise<void> {
  if (!context.config.adopt) return
  const {services} = context.host
  for (const name of former.services) if (await services.status(name)) await removeForeignService(context, name)
  for (const file of former.files) {
    if (!(await isThere(context, file))) continue
    const isFolder = (await context.host.files.status(file.path))?.kind === 'directory'
    const remove = file.onlyEmpty && isFolder ? removeIfEmpty : removePath
    await remove(context, file.path, ' of another installation')
  }
}

/**
 * Registered again rather than changed: a wrapper's parameters stay in the key of a service, and its name keeps its
 * case.
 */
export async function removeForeignService(context: Context, name: string): Promise<void> {
  const {services} = context.host
  await demandBalancersMakeable(context, name)
  await restService(context, name)
  await callService(name, 'removed', () => services.remove(name, context.signal))
  context.changed(`remove the service ${name} of another installation`)
}

export async function isForeignService(
  {config, host}: Pick<Context, 'config' | 'host'>,
  name: string,
): Promise<boolean> {
  if (!config.adopt) return false
  return (await host.services.status(name)) !== undefined && !(await host.services.isOurs(name))
}

async function isThere({host}: Context, {onlyEmpty, path}: FormerFile): Promise<boolean> {
  const found = await host.files.status(path)
  if (!found || !onlyEmpty) return found !== undefined
  return found.kind === 'directory' ? (await host.files.list(path)).length === 0 : found.size === 0
}

export async function findInTheWay(context: StepContext): Promise<string[]> {
  const [services, networks] = [await foreignDaemons(context), await networksInTheWay(context)]
  return [
    ...services.map((name) => `the service ${name} of another installation runs`),
    ...networks.map(({Name: name}) => `the HNS network ${name} of another installation exists`),
  ]
}

export async function clearTheWay(context: StepContext, step: StepId): Promise<void> {
  const {docker, hns} = context.host
  const [services, networks] = [await foreignDaemons(context), await networksInTheWay(context)]
  if (services.length + networks.length > 0) await demandMakeable(context)
  for (const name of services) await demandBalancersMakeable(context, name)
  for (const name of services) {
    await restService(context, name)
    context.changed(`stop the service ${name} of another installation`)
  }

  // Removing the last network removes the virtual switch, which cuts the host off for a while.
  if (networks.length > 0) await recordCompleteNetwork(context, step)
  for (const {ID: id, Name: name} of networks) {
    await hns.removeNetwork(id)
    context.changed(`remove the HNS network ${name} of another installation`)
    if (name !== NETWORK_NAME) continue
    // Its pods lose their addresses, which the kubelet does not notice: it recreates only sandboxes that are gone.
    const pods = await docker.removeSandboxes()
    if (pods > 0) context.changed(`remove the sandboxes of ${pods} of its pods, which the kubelet recreates`)
  }
}

/** kube-proxy before flanneld, because kube-proxy has its rules on flanneld's network. */
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
  const external = needsExternal ? [] : (await host.hns.networks()).filter(({Name}) => Name === EXTERNAL_NETWORK)
  const {others, own: overlay} = await networksNamed(context, 'overlay-network', NETWORK_NAME)
  const isNoted = journal.entries('overlay-network', 'network').length > 0
  const unfit =
    overlay !== undefined &&
    !(isNoted && foreignTraits(overlay).length === 0) &&
    ((!needsExternal && isOfOldFlannel(overlay)) ||
      overlayDifferences(overlay, podCIDROf(await askNode(context))).length > 0)
  return [...external, ...others, ...(unfit ? [overlay] : [])]
}
