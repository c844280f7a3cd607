// The HNS network "External": flannel below 0.12 needs it before it starts, newer ones are broken by it. With --adopt
// what another set-up made is out of the way before flanneld starts.
import {EXTERNAL_NETWORK, externalNetwork, needsExternalNetwork} from '../components/flanneld.js'
import {clearTheWay, findInTheWay, isToBeClaimed} from '../pipeline/desired/adoption.js'
import {recordNetworkId} from '../pipeline/desired/network/hns-network.js'
import {demandNetworkBack, recordCompleteNetwork} from '../pipeline/desired/network/network-guard.js'
import {drifted, inPlace, missing, type Step, type StepContext} from '../pipeline/run/step.js'

const ID = 'external-network'

export const externalNetworkStep: Step = {
  applies: (config) => needsExternalNetwork(config) || config.adopt,
  async apply(context) {
    await clearTheWay(context, ID)
    if (needsExternalNetwork(context.config)) await provide(context)
    await demandNetworkBack(context)
  },
  deadlineMs: 5 * 60_000,
  id: ID,
  async inspect(context) {
    const inTheWay = await findInTheWay(context)
    if (inTheWay.length > 0) return drifted(...inTheWay)
    if (!needsExternalNetwork(context.config)) return inPlace('nothing conflicts with flanneld')
    const network = await context.host.hns.network(EXTERNAL_NETWORK)
    if (!network) return missing(`the network ${EXTERNAL_NETWORK} does not exist`)
    return isToBeClaimed(context, ID, 'network')
      ? drifted(`${EXTERNAL_NETWORK} is not managed by k8s-win yet`)
      : inPlace(`${EXTERNAL_NETWORK} exists`)
  },
  needs: ['node-registered', 'kubernetes-binaries', 'cni-binaries', 'flannel-binary', 'pause-image'],
  removal: 'Remove the external network',
  title: 'Prepare the external network',
}

async function provide(context: StepContext): Promise<void> {
  const {config, host, journal} = context
  const isThere = (await host.hns.network(EXTERNAL_NETWORK)) !== undefined
  if (isThere && !isToBeClaimed(context, ID, 'network')) return
  if (!isThere) await recordCompleteNetwork(context, ID)
  await journal.record(ID, {kind: 'network', name: EXTERNAL_NETWORK})
  if (!isThere) await host.hns.createNetwork(externalNetwork(config))
  await recordNetworkId(context, ID, EXTERNAL_NETWORK)
  context.changed(`${isThere ? 'take over' : 'create'} the HNS network ${EXTERNAL_NETWORK}`)
}
