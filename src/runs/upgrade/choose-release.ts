// k8s-win upgrade without --release: the newest known patch of the API server's minor.
import {kubeconfigOf} from '../../components/identity.js'
import {parseVersion} from '../../config/version.js'
import {noNodeToUpgrade} from '../../errors/upgrade.js'
import {kubeconfigAt} from '../../host/cluster/kubeconfig-file.js'
import type {Host} from '../../host/host.js'
import {within} from '../../host/wait.js'
import type {AskedConfiguration} from '../configuration.js'
import {askVersion, ASKING_MS} from '../decide-config.js'

/** Undefined where a release was asked for, or the node has this one or a newer patch. */
export async function newerPatch(
  {asked, isStored, sources}: AskedConfiguration,
  host: Host,
): Promise<string | undefined> {
  if (!isStored) throw noNodeToUpgrade({folder: asked.baseDir})
  if (sources.release !== 'stored') return undefined
  const cluster = host.cluster(await kubeconfigAt(host, kubeconfigOf(asked, 'kubelet')))
  const {newestPatch = ''} = await within(host.clock, ASKING_MS, askVersion(cluster))
  const [now, newest] = [asked.release, parseVersion(newestPatch)]
  if (!newest || !now || (now.minor === newest.minor && now.patch >= newest.patch)) return undefined
  return newestPatch
}
