// kube-proxy's source address, reserved in the pods' own store: an address that is only guessed may be given to a pod.
import {win32} from 'node:path'
import {isInside} from '../config/cidr.js'
import {IPAM_STORE, layoutOf} from '../config/layout.js'
import {NETWORK_NAME} from '../config/model.js'
import {overlayMissing} from '../errors/health.js'
import {claimTrees, removeFiles} from '../pipeline/desired-file.js'
import {drifted, inPlace, missing, type Step, type StepContext} from '../pipeline/step.js'

const ID = 'source-vip'

export const sourceVip: Step = {
  async apply(context) {
    const {ipam} = context.host
    const subnet = await podSubnet(context)
    if (subnet === undefined) throw overlayMissing({logs: '', network: NETWORK_NAME, tail: 'nothing'})
    // Looked up first: host-local answers a second ADD of the same owner with an error.
    const stale = await ipam.find(NETWORK_NAME)
    if (stale !== undefined && isInside(subnet, stale)) return
    if (stale !== undefined) {
      await ipam.release(NETWORK_NAME, subnet)
      context.changed(`release ${stale}, which is of an older pod network`)
    }

    await claimTrees(context, ID, win32.join(IPAM_STORE, NETWORK_NAME))
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
    const {config, host, journal} = context
    // Without the program only a store that is ours altogether can be taken away.
    const hasProgram = (await host.files.status(layoutOf(config.baseDir).hostLocal)) !== undefined
    for (const {network, subnet} of hasProgram ? journal.entries(ID, 'reservation') : []) {
      const address = await host.ipam.find(network)
      if (address === undefined) continue
      await host.ipam.release(network, subnet)
      context.changed(`release ${address}`)
    }

    await removeFiles(context, ID)
  },
  title: "Reserve kube-proxy's source address",
}

async function podSubnet({host}: StepContext): Promise<string | undefined> {
  return (await host.hns.network(NETWORK_NAME))?.Subnets?.[0]?.AddressPrefix
}
