// Is this setup an upgrade: does it replace the release or the containerd of a node that is set up? And may it begin? If not,
// does it give its daemons other settings?
import {hasOtherSettings} from '../../config/settings/daemon-settings.js'
import type {Decided, Node, Upgrade} from '../../config/model.js'
import {isOther, isOtherMinor, replacesPrograms, withOpened} from '../../config/upgrade.js'
import {drainForbidden} from '../../errors/cluster.js'
import {drainNeeded, runtimeChange} from '../../errors/upgrade.js'
import type {Access} from '../../host/cluster/cluster.js'
import type {Host} from '../../host/host.js'
import {RUNTIME_TITLES} from '../../host/runtime.js'
import {rootOpenedBy} from '../../pipeline/desired/containers/containerd-root.js'
import {demandController, evictablePods, losesPodsOf, namesOf} from '../../pipeline/leave/drain-node.js'
import {nodeCluster} from '../../pipeline/desired/cluster/node-cluster.js'
import {previousFolders} from '../../pipeline/desired/programs/previous-programs.js'
import {upgradeOf} from '../../pipeline/desired/cluster/unfinished-upgrade.js'
import {readKnownNode} from '../known-node.js'
import type {SetupRun} from './setup-run.js'

/** Empty for a new node, and for one that stays at its release with its settings. `former`: the node of before, if only these are others. */
export async function findUpgrade({
  config: wanted,
  host,
  input,
  machine,
  signal,
}: SetupRun): Promise<{readonly former?: Decided; readonly upgrade?: Upgrade}> {
  const {dockerHost, upgrade} = input
  const request = {baseDir: wanted.baseDir, dockerHost, environment: {}, machine, signal}
  const {config: stored, journal, problem, state} = await readKnownNode(request)
  if (state !== 'set-up' || problem) return {}
  const from = withOpened(stored, await rootOpenedBy(host, wanted.baseDir))
  if (from.runtime !== wanted.runtime) {
    const [before, after] = [RUNTIME_TITLES[from.runtime], RUNTIME_TITLES[wanted.runtime]]
    throw runtimeChange({from: before, release: wanted.release.text, to: after})
  }

  const isLeft = upgradeOf(journal) !== undefined || (await previousFolders({config: wanted, host})).length > 0
  if (isOther(from, wanted) || isLeft) return {upgrade: {...upgrade, from}}
  return hasOtherSettings(from, wanted) ? {former: from} : {}
}

/**
 * Before anything is changed: another minor is not installed under pods that draining would have moved, and no pod is
 * lost that nothing recreates.
 */
export async function demandDrained({config, host}: {readonly config: Node; readonly host: Host}): Promise<void> {
  const {nodeName, release, upgrade} = config
  if (!upgrade || !replacesPrograms(config)) return
  const isDrained = upgrade.drainMs !== undefined
  if (!isDrained && !isOtherMinor(upgrade.from, config)) return
  const pods = await evictablePods({config, host})
  const from = upgrade.from.release.text
  if (!isDrained && pods.length > 0) throw drainNeeded({from, pods: namesOf(pods), release: release.text})
  const cluster = await nodeCluster({config, host})
  const node = await cluster.node(nodeName)
  const needed: Access[] = [
    ...(node?.isUnschedulable === false ? [{group: '', name: nodeName, resource: 'nodes', verb: 'patch'}] : []),
    ...(pods.length > 0 ? [{group: '', resource: 'pods', subresource: 'eviction', verb: 'create'}] : []),
  ]
  for (const access of needed) {
    const {resource, verb} = access
    if (!(await cluster.may(access))) throw drainForbidden({node: nodeName, said: `it may not ${verb} ${resource}.`})
  }

  demandController(losesPodsOf(config), pods)
}
