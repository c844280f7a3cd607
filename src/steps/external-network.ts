// The HNS network "External", which flannel below 0.12 needs before it starts. Newer ones are broken by it.
import {EXTERNAL_NETWORK, externalNetwork, needsExternalNetwork} from '../components/flanneld.js'
import {demandNetworkBack, noteNetwork} from '../pipeline/network-guard.js'
import {inPlace, missing, type Step} from '../pipeline/step.js'

const ID = 'external-network'

export const externalNetworkStep: Step = {
  applies: needsExternalNetwork,
  async apply(context) {
    const {config, host, journal} = context
    if (!(await host.hns.network(EXTERNAL_NETWORK))) {
      await noteNetwork(context, ID)
      await journal.record(ID, {kind: 'network', name: EXTERNAL_NETWORK})
      await host.hns.createNetwork(externalNetwork(config))
      context.changed(`make the HNS network ${EXTERNAL_NETWORK}`)
    }

    await demandNetworkBack(context)
  },
  deadlineMs: 5 * 60_000,
  id: ID,
  async inspect({host}) {
    const network = await host.hns.network(EXTERNAL_NETWORK)
    return network ? inPlace(`${EXTERNAL_NETWORK} is there`) : missing(`there is no network ${EXTERNAL_NETWORK}`)
  },
  needs: ['node-registered', 'kubernetes-binaries', 'cni-binaries', 'flannel-binary', 'pause-image'],
  async remove(context) {
    for (const {name} of context.journal.entries(ID, 'network')) {
      const network = await context.host.hns.network(name)
      if (!network) continue
      await noteNetwork(context, ID)
      await context.host.hns.removeNetwork(network.ID)
      context.changed(`remove the HNS network ${name}`)
      await demandNetworkBack(context)
    }
  },
  title: 'Make the network flannel starts from',
}
