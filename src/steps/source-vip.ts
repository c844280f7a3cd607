// kube-proxy's source address, reserved in the pods' own store: an address that is only guessed may be given to a pod.
import {isInside} from '../config/cidr.js'
import {NETWORK_NAME} from '../config/model.js'
import {overlayMissing} from '../errors/health.js'
import {drifted, inPlace, missing, type Step, type StepContext} from '../pipeline/step.js'

const ID = 'source-vip'

export const sourceVip: Step = {
  async apply(context) {
    const {ipam} = context.host
    const subnet = await podSubnet(context)
    if (subnet === undefined) throw overlayMissing({logs: '', network: NETWORK_NAME, tail: 'nothing'})
    // Looked up first: host-local answers a second ADD of the same owner with an error.
    const stale = await ipam.find(NETWORK_NAME)
    if (stale !== undefined) {
      await ipam.release(NETWORK_NAME, subnet)
      context.changed(`release ${stale}, which is of an older pod network`)
    }

    await context.journal.record(ID, {kind: 'reservation', network: NETWORK_NAME, subnet})
    const address = await ipam.reserve(NETWORK_NAME, subnet)
    context.changed(`reserve ${address} for kube-proxy`)
  },
  deadlineMs: 120_000,
  id: ID,
  async inspect(context) {
    const [address, subnet] = await Promise.all([context.host.ipam.find(NETWORK_NAME), podSubnet(context)])
    if (address === undefined) return missing('no address is reserved for kube-proxy')
    return subnet !== undefined && isInside(subnet, address)
      ? inPlace(`${address} is reserved for kube-proxy`)
      : drifted(`${address} is reserved, but the pod network is ${subnet ?? 'not there'}`)
  },
  needs: ['overlay-network', 'cni-binaries'],
  async remove(context) {
    for (const {network, subnet} of context.journal.entries(ID, 'reservation')) {
      const address = await context.host.ipam.find(network)
      if (address === undefined) continue
      await context.host.ipam.release(network, subnet)
      context.changed(`release ${address}`)
    }
  },
  title: "Reserve kube-proxy's source address",
}

async function podSubnet({host}: StepContext): Promise<string | undefined> {
  return (await host.hns.network(NETWORK_NAME))?.Subnets?.[0]?.AddressPrefix
}
