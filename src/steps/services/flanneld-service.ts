// flanneld as a Windows service. Starting it makes the overlay network, which cuts the host off for seconds:
// everything that needs the network is done before.
import {win32} from 'node:path'
import {flanneldService} from '../../components/flanneld.js'
import {DAEMON} from '../../config/daemons.js'
import {FLANNEL_STATE_FOLDER, layoutOf, SUBNET_ENV} from '../../config/layout.js'
import {NETWORK_NAME} from '../../config/model.js'
import {demandNothingPlanted} from '../../host/security/planted.js'
import {claimTrees} from '../../pipeline/desired/files/tree.js'
import {recordCompleteNetwork} from '../../pipeline/desired/network/network-guard.js'
import {ensureSafeFolders, withSafeFolders} from '../../pipeline/desired/files/safe-folder.js'
import {
  applyService,
  type DesiredService,
  inspectService,
  waitUntilHealthy,
} from '../../pipeline/desired/services/service.js'
import type {StepContext} from '../../pipeline/run/step.js'
import {serviceStep} from './service-step.js'

const ID = 'flanneld-service'

export const flanneldServiceStep = serviceStep(DAEMON.flanneld, {
  async apply(context) {
    // Also where there is a network: flanneld replaces one that is not on the node's pod network any more.
    await recordCompleteNetwork(context, ID)
    if (context.config.adopt || !(await context.host.hns.network(NETWORK_NAME))) {
      await context.journal.record('overlay-network', {kind: 'network', name: NETWORK_NAME})
    }

    await claimTrees(context, ID, SUBNET_ENV)
    await ensureSafeFolders(context, ID, FLANNEL_STATE_FOLDER)
    // The checks judged it before it was closed: minutes ago.
    await demandNothingPlanted(context.host, [FLANNEL_STATE_FOLDER])
    await applyService(context, ID, wanted(context))
  },
  deadlineMs: 5 * 60_000,
  inspect: async (context) =>
    withSafeFolders(context, await inspectService(context, wanted(context)), FLANNEL_STATE_FOLDER),
  needs: [
    'node-registered',
    'external-network',
    'kubernetes-binaries',
    'cni-binaries',
    'flannel-binary',
    'net-conf',
    'base-images',
    'pause-image',
    'sandbox-image',
  ],
  title: 'Start flanneld',
})

// shawl stays up while flanneld dies and comes again, so the overlay network is the proof, in the next step.
const wanted = ({config}: StepContext): DesiredService => ({
  daemon: DAEMON.flanneld,
  judgedByItsWork: true,
  spec: flanneldService(config),
})

/** A network that was there before proves nothing of a flanneld with other flags: its process must stay. */
export function demandFlanneldStays(context: StepContext): Promise<void> {
  const {judgedByItsWork: _, ...desired} = wanted(context)
  return waitUntilHealthy(context, {...desired, wrapped: win32.basename(layoutOf(context.config.baseDir).flanneld)})
}
