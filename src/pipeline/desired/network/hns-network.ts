// HNS networks, and the host's own network as it was before one was created or removed.
import {pasted} from '../../../errors/pasted.js'
import {EXTERNAL_NETWORK} from '../../../components/flanneld.js'
import {isMadeByFlanneld} from '../../../components/overlay.js'
import {NETWORK_NAME} from '../../../config/model.js'
import {isText, listOf, shaped} from '../../../config/shape.js'
import {dropNotes} from './network-guard.js'
import {removeNetworks} from './remove-network.js'
import type {StepId} from '../../run/step.js'
import type {Kind, Things} from '../../ledger/kind.js'

const STEPS: readonly StepId[] = ['external-network', 'overlay-network']
const STEP_OF: Things = new Map([
  [EXTERNAL_NETWORK, 'external-network'],
  [NETWORK_NAME, 'overlay-network'],
])

export const network: Kind = {
  accepts: ({name}, step) => STEP_OF.get(name) === step,
  find: {
    async host({claim, host, isFlannelOurs, isNamed, leave}) {
      const overlay = await host.hns.network(NETWORK_NAME)
      // Rancher's agent creates a network of the same name in the same way.
      if (overlay && isMadeByFlanneld(overlay) && isFlannelOurs)
        claim('overlay-network', {kind: 'network', name: NETWORK_NAME})
      else if (overlay && !isNamed({kind: 'network', name: NETWORK_NAME}))
        leave(leftover(overlay, 'nothing proves that flanneld of this node created it'))
      const external = await host.hns.network(EXTERNAL_NETWORK)
      if (external && isFlannelOurs && !isNamed({kind: 'network', name: EXTERNAL_NETWORK}))
        leave(leftover(external, "the original script and Microsoft's create the same one"))
    },
  },
  place: 'the networks of the Host Network Service',
  async remove(context, step) {
    if (STEPS.includes(step)) await removeNetworks(context, step)
  },
  steps: STEPS,
}

const leftover = ({ID: id, Name: name}: {readonly ID: string; readonly Name: string}, why: string): string =>
  `the HNS network ${name}, because ${why}. If it is not needed: hnsdiag delete networks ${pasted(id)}`

const isTextList = listOf(isText)
const isSnapshot = shaped({addresses: isTextList, dnsServers: isTextList, gateways: isTextList, routes: isTextList})

export const networkBefore: Kind = {
  accepts: shaped({adapter: isText, id: isText, snapshot: isSnapshot}),
  async remove(context, step) {
    if (step === 'flanneld-service') await dropNotes(context)
  },
  // Whichever is the first to create or remove a network.
  steps: [...STEPS, 'flanneld-service'],
}

export const networkVerified: Kind = {
  accepts: shaped({id: isText}),
  steps: ['overlay-network'],
}
