// The kubelet as a Windows service, healthy.
import {win32} from 'node:path'
import {tokenRefused} from '../../components/bootstrap-kubeconfig.js'
import {kubeletService} from '../../components/kubelet.js'
import {DAEMON} from '../../config/daemons.js'
import {
  IPAM_STORE,
  KUBELET_KEYS,
  KUBELET_PLUGINS,
  KUBELET_PODS,
  KUBELET_ROOT,
  KUBELET_SOCKETS,
  layoutOf,
  SUBNET_ENV,
} from '../../config/layout.js'
import {KUBELET, NETWORK_NAME} from '../../config/model.js'
import {clusterForbids, clusterRefused} from '../../errors/cluster.js'
import {serverLost} from '../../errors/health.js'
import {pasted} from '../../errors/define.js'
import {demandNothingPlanted, demandTrees} from '../../host/security/planted.js'
import {isForeignService} from '../../pipeline/desired/adoption.js'
import {claimTrees} from '../../pipeline/desired/files/tree.js'
import {isJoined} from '../../pipeline/desired/cluster/join-state.js'
import {moveStaleCertificate, staleCertificate} from '../../pipeline/desired/cluster/kubelet-certificate.js'
import {noteKeys} from '../../pipeline/desired/cluster/kubelet-store.js'
import {askNode, keptName} from '../../pipeline/desired/cluster/node-cluster.js'
import {ensureSafeFolders, withSafeFolders} from '../../pipeline/desired/files/safe-folder.js'
import {applyService, type DesiredService, inspectService} from '../../pipeline/desired/services/service.js'
import {stopWaitingFlanneld} from '../../pipeline/desired/services/stop-service.js'
import {drifted, type StepContext} from '../../pipeline/run/step.js'
import {CNI_TREES, KUBELET_CLOSED, KUBELET_TREES} from '../../config/places.js'
import {serviceStep} from './service-step.js'

const ID = 'kubelet-service'

export const kubeletServiceStep = serviceStep(DAEMON.kubelet, {
  async apply(context) {
    const {nodeName, revivesOnly} = context.config
    if (revivesOnly) {
      await demandUnplanted(context)
      return applyService(context, ID, wanted(context))
    }
    await reportFormerName(context)
    const isThere = await isRegistered(context)
    // The kubelet creates the node object; one that existed before is not removed by reset.
    if (context.config.adopt || !isThere)
      await context.journal.record('node-registered', {kind: 'node', name: nodeName})
    if (!isThere) await stopWaitingFlanneld(context)

    await claimTrees(context, ID, ...KUBELET_TREES, ...written(context))
    if (await isForeignService(context, KUBELET)) await claimTakenOver(context)
    await noteKeys(context)
    await ensureSafeFolders(context, ID, ...KUBELET_CLOSED)
    await moveStaleCertificate(context)
    await demandUnplanted(context)
    await applyService(context, ID, wanted(context))
  },
  deadlineMs: 5 * 60_000,
  async inspect(context) {
    const finding = await withSafeFolders(context, await inspectService(context, wanted(context)), ...KUBELET_CLOSED)
    if (finding.state !== 'in-place' || context.config.revivesOnly) return finding
    const stale = await staleCertificate(context)
    return stale ? drifted(`${stale.paths[0]}: ${stale.why}`) : finding
  },
  needs: ['docker', 'kubernetes-binaries', 'kubelet-config', 'firewall-rules', 'pause-image', 'sandbox-image'],
  title: 'Start kubelet',
})

/** Its kubelet does not run any more under that name. */
async function reportFormerName({config: {nodeName}, host, warn}: StepContext): Promise<void> {
  const former = await keptName(host)
  if (former === undefined || former === nodeName) return
  warn(`the node ${former} stays in the cluster. An administrator removes it: kubectl delete node ${pasted(former)}`)
}

/** A bootstrap token may be forbidden to read nodes: then it is not known who has registered it, and reset keeps it. */
async function isRegistered(context: StepContext): Promise<boolean> {
  try {
    return (await askNode(context)) !== undefined
  } catch (error) {
    const {config, host, journal} = context
    // Of a node that was set up it is known who has registered it, and its kubelet needs no cluster to start.
    if (serverLost.is(error) && journal.entries('base-dir', 'setup').length > 0) return true
    if (!config.bootstrap || (await isJoined(host, config))) throw error
    if (clusterRefused.is(error)) throw tokenRefused(config.bootstrap, error)
    if (clusterForbids.is(error)) return true
    throw error
  }
}

/** The kubeconfig of a node that joins with a token. */
const written = ({config}: StepContext): string[] => (config.bootstrap ? [layoutOf(config.baseDir).kubeconfig] : [])

/**
 * The checks judged them before anything was installed: minutes ago, in which others may have made them, or have added to one
 * that was not closed yet.
 */
async function demandUnplanted({host}: StepContext): Promise<void> {
  await demandNothingPlanted(host, [KUBELET_ROOT, KUBELET_KEYS, ...KUBELET_SOCKETS])
  await demandTrees(host, [KUBELET_PLUGINS], 'folder')
  for (const path of [...KUBELET_TREES, KUBELET_PODS]) await host.trust.demand(path, 'shared')
}

/** What its plugins and its flanneld created: after the takeover it is unknown who created them. */
async function claimTakenOver(context: StepContext): Promise<void> {
  await claimTrees(context, 'cni-config', ...CNI_TREES[context.config.runtime])
  await claimTrees(context, 'flanneld-service', SUBNET_ENV)
  await claimTrees(context, 'source-vip', win32.join(IPAM_STORE, NETWORK_NAME))
}

const wanted = ({config}: StepContext): DesiredService => ({
  daemon: DAEMON.kubelet,
  health: DAEMON.kubelet.health(),
  spec: kubeletService(config),
})
