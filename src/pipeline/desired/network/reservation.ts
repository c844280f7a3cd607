// The address that kube-proxy holds on the overlay network, reserved by host-local.
import {parseCidr} from '../../../config/cidr.js'
import {hostLocalOf} from '../../../config/layout.js'
import {NETWORK_NAME} from '../../../config/model.js'
import type {Kind} from '../../ledger/kind.js'

export const reservation: Kind = {
  accepts: ({network, subnet}) =>
    network === NETWORK_NAME && typeof subnet === 'string' && parseCidr(subnet) !== undefined,
  async remove({changed, config, host, journal}, step) {
    const entries = journal.entries(step, 'reservation')
    // Without the program only a store that belongs to k8s-win as a whole can be removed.
    if (entries.length === 0 || !(await host.files.status(hostLocalOf(config.containerd)))) return
    for (const {network, subnet} of entries) {
      const address = await host.ipam.find(network)
      if (address === undefined) continue
      await host.ipam.release(network, subnet)
      changed(`release ${address}`)
    }
  },
  steps: ['source-vip'],
}
