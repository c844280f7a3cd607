// kube-proxy's source address, reserved in the pods' own store: an address that is only guessed may be given to a pod.
import {win32} from 'node:path'
import {FORMER_RESERVATION} from '../components/releases/predecessors.js'
import {isOutside, NO_SUBNET, subnetOf} from '../components/overlay.js'
import {isInside} from '../config/cidr.js'
import {CNI_STATE_FOLDER, IPAM_STORE} from '../config/layout.js'
import {NETWORK_NAME} from '../config/model.js'
import {hnsRefused} from '../errors/windows.js'
import {demandNothingPlanted} from '../host/security/planted.js'
import {claimTrees} from '../pipeline/desired/files/tree.js'
import {ensureSafeFolders, withSafeFolders} from '../pipeline/desired/files/safe-folder.js'
import {drifted, type Finding, inPlace, missing, type Step, type StepContext} from '../pipeline/run/step.js'
import {overlayAbsent} from './overlay-network.js'
import {isToBeClaimed} from '../pipeline/desired/adoption.js'

const ID = 'source-vip'

export const sourceVip: Step = {
  async apply(context) {
    const {ipam} = context.host
    const subnet = await demandSubnet(context)
    await ensureSafeFolders(context, ID, CNI_STATE_FOLDER)
    // The checks judged them before they were closed: minutes ago.
    await demandNothingPlanted(context.host, [CNI_STATE_FOLDER, IPAM_STORE, win32.join(IPAM_STORE, NETWORK_NAME)])
    const former = await formerAddress(context)
    if (former !== undefined) {
      await ipam.release(NETWORK_NAME, subnet, FORMER_RESERVATION)
      context.changed(`release ${former}, which another installation had reserved for its kube-proxy`)
    }

    // Looked up first: host-local answers a second ADD of the same owner with an error.
    const stale = await ipam.find(NETWORK_NAME)
    if (stale !== undefined && isInside(subnet, stale)) return claim(context, subnet)
    if (stale !== undefined) {
      await ipam.release(NETWORK_NAME, subnet)
      context.changed(`release ${stale}, which belongs to a previous pod network`)
    }

    await claim(context, subnet)
    const address = await ipam.reserve(NETWORK_NAME, subnet)
    context.changed(`reserve ${address} for kube-proxy`)
  },
  deadlineMs: 120_000,
  id: ID,
  inspect: async (context) => withSafeFolders(context, await inspectReservation(context), CNI_STATE_FOLDER),
  needs: ['overlay-network', 'cni-binaries'],
  removal: 'Release kube-proxy source VIP',
  title: 'Reserve kube-proxy source VIP',
}

async function inspectReservation(context: StepContext): Promise<Finding> {
  const former = await formerAddress(context)
  if (former !== undefined) return drifted(`${former} is reserved for the kube-proxy of another installation`)
  const {hns, ipam} = context.host
  const [address, network] = await Promise.all([ipam.find(NETWORK_NAME), hns.network(NETWORK_NAME)])
  if (address === undefined) return missing('no address is reserved for kube-proxy')
  if (isToBeClaimed(context, ID, 'reservation')) {
    return drifted(`the reservation of ${address} is not managed by k8s-win yet`)
  }

  if (!network) return drifted(`${address} is reserved, but the HNS network ${NETWORK_NAME} does not exist`)
  const subnet = subnetOf(network)
  if (isOutside(subnet, address)) return drifted(`${address} is reserved, but the pod network is ${subnet}`)
  return inPlace(`${address} is reserved for kube-proxy${subnet === undefined ? `; ${NO_SUBNET}` : ''}`)
}

/** Without it nothing is reserved, and nothing is released. */
async function demandSubnet(context: StepContext): Promise<string> {
  const network = await context.host.hns.network(NETWORK_NAME)
  if (!network) throw await overlayAbsent(context)
  const subnet = subnetOf(network)
  if (subnet === undefined) throw hnsRefused({code: 'none', request: `GET /networks/${network.ID}`, said: 'no subnet'})
  return subnet
}

async function claim(context: StepContext, subnet: string): Promise<void> {
  await claimTrees(context, ID, win32.join(IPAM_STORE, NETWORK_NAME))
  await context.journal.record(ID, {kind: 'reservation', network: NETWORK_NAME, subnet})
}

/** With --adopt only: nothing else releases it. */
async function formerAddress({config, host}: StepContext): Promise<string | undefined> {
  return config.adopt ? host.ipam.find(NETWORK_NAME, FORMER_RESERVATION) : undefined
}
