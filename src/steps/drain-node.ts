// The last moment of an upgrade at which nothing was stopped: from here on the journal says that programs are replaced.
import {CONTAINERD} from '../config/model.js'
import {isOtherMinor, replacesPrograms} from '../config/upgrade.js'
import type {K8sWinError} from '../errors/k8s-win-error.js'
import {drainNeeded} from '../errors/upgrade.js'
import {drainTimedOut} from '../errors/health.js'
import {drainNode, evictablePods, namesOf} from '../pipeline/leave/drain-node.js'
import {askNode, nodeCluster} from '../pipeline/desired/cluster/node-cluster.js'
import {demandSameContainerd} from '../pipeline/desired/containers/present-containerd.js'
import {upgradeOf} from '../pipeline/desired/cluster/unfinished-upgrade.js'
import {isUnread} from '../pipeline/desired/services/configuration-read.js'
import {drifted, inPlace, type Step, type StepContext} from '../pipeline/run/step.js'

/** For the questions around the waiting. */
const MORE_MS = 2 * 60_000
const LONGEST_DRAIN_MS = 24 * 60 * 60_000

export const drainNodeStep: Step = {
  applies: replacesPrograms,
  async apply(context) {
    const {config, journal} = context
    const {drainMs, from = config} = config.upgrade ?? {}
    await demandContainerd(context)
    const node = isToCordon(context) ? await askNode(context) : undefined
    // A node that was cordoned before stays so.
    const cordoned = (upgradeOf(journal)?.cordoned ?? false) || node?.isUnschedulable === false
    const releases = {from: from.release.text, to: config.release.text}
    const containerd = onlyContainerd(context)
    const only = containerd !== undefined && {containerd}
    const drain = drainMs !== undefined && ({drain: true} as const)
    await journal.record('base-dir', {...only, cordoned, ...drain, ...releases, kind: 'upgrade'})
    try {
      if (drainMs !== undefined) {
        await drainNode(context, drainMs)
        await demandContainerd(context)
      } else if (node) await demandEmpty(context)
    } catch (error) {
      throw drainTimedOut.is(error) ? withWayOn(error as K8sWinError) : error
    }

    context.changed(
      only
        ? `begin to replace containerd ${from.versions.containerd.text} by ${only.containerd}`
        : `begin to replace ${releases.from} by ${releases.to}`,
    )
  },
  deadlineMs: LONGEST_DRAIN_MS + MORE_MS,
  id: 'drain-node',
  async inspect(context) {
    const {config, journal} = context
    const begun = upgradeOf(journal)
    const containerd = onlyContainerd(context)
    if (begun?.to !== config.release.text) return drifted(`no upgrade to ${config.release.text} has begun`)
    if (begun.containerd !== containerd) return drifted('another upgrade has begun')
    if (!isToCordon(context)) return inPlace('pods stay on the node')
    const node = await askNode(context)
    if (node && !node.isUnschedulable) return drifted(`${config.nodeName} is not cordoned`)
    const pods = node ? await evictablePods(context) : []
    return pods.length > 0 ? drifted(`${namesOf(pods)} are on the node`) : inPlace(`${config.nodeName} is drained`)
  },
  needs: ['fetch-binaries'],
  title: 'Cordon node, and drain it where required',
}

/** Its version, where the release stays. */
const onlyContainerd = ({config: {release, upgrade, versions}}: StepContext): string | undefined =>
  upgrade?.from.release.text === release.text ? versions.containerd.text : undefined

/** Pods must not arrive while another minor is installed, also where none has to leave. */
const isToCordon = ({config}: StepContext): boolean =>
  config.upgrade !== undefined && (config.upgrade.drainMs !== undefined || isOtherMinor(config.upgrade.from, config))

/** One of the user may have changed during the downloads, or while pods left: services that stop now could not start again. */
async function demandContainerd(context: StepContext): Promise<void> {
  // What a killed run has repaired of it is restarted later.
  if (isUnread(context.journal, 'containerd-config', CONTAINERD)) return
  if (!context.config.containerd.isOurs) await demandSameContainerd(context)
}

/** Pods may have arrived since the run began. */
async function demandEmpty(context: StepContext): Promise<void> {
  const {changed, config} = context
  await (await nodeCluster(context)).cordonNode(config.nodeName)
  changed(`cordon the node ${config.nodeName}`)
  const pods = await evictablePods(context)
  const from = config.upgrade?.from.release.text ?? ''
  if (pods.length > 0) throw drainNeeded({from, pods: namesOf(pods), release: config.release.text})
}

const withWayOn = (error: K8sWinError): K8sWinError =>
  error.with({
    fix: 'Allow their eviction (more replicas, a less strict PodDisruptionBudget) and run the same command again, with a longer --drain-timeout if they only need more time.',
  })
