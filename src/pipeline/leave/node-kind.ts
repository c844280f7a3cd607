// The node object in the cluster.
import {KUBELET} from '../../config/model.js'
import {removeNode} from './leave-cluster.js'
import type {Kind} from '../ledger/kind.js'

const NAME = /^[\da-z](?:[\d.a-z-]{0,251}[\da-z])?$/

export const node: Kind = {
  accepts: ({name}) => typeof name === 'string' && NAME.test(name),
  find: {
    async services({claim, host, services}) {
      const imagePath = services.has(KUBELET) ? await host.services.imagePath(KUBELET) : undefined
      const name = /--hostname-override=([\w.-]+)/.exec(imagePath ?? '')?.[1]
      if (name !== undefined) claim('node-registered', {kind: 'node', name})
    },
  },
  place: 'the services',
  async remove(context, step, isLast) {
    if (step === 'node-registered') await removeNode(context, isLast)
  },
  steps: ['node-registered'],
}
