// k8s-win upgrade without --release: the newest known patch of the API server's minor.
import {kubeconfigOf} from '../../components/identity.js'
import {type Answers, serverMinor} from '../../config/decide.js'
import type {Asked} from '../../config/model.js'
import {isOlder, parseVersion} from '../../config/version.js'
import {noNode} from '../../errors/logs.js'
import {kubeconfigAt} from '../../host/cluster/kubeconfig-file.js'
import type {Host} from '../../host/host.js'
import {within} from '../../host/wait.js'
import {untilSettled} from '../setup/settling.js'
import {askVersion, ASKING_MS, isPassing} from '../ask-cluster.js'

/** Undefined where a release was asked for, or the node has this one or a newer patch. */
export async function newerPatch(asked: Asked, host: Host, signal: AbortSignal): Promise<string | undefined> {
  if (!asked.isStored) throw noNode({baseDir: asked.baseDir})
  if (asked.origin.sources.release !== 'stored') return undefined
  const cluster = host.cluster(await kubeconfigAt(host, kubeconfigOf(asked, 'kubelet')))
  const ask = (): Promise<Answers & {readonly failure?: unknown}> =>
    within(host.clock, ASKING_MS, askVersion(cluster)).catch((error: unknown) => {
      if (!isPassing(error)) throw error
      return {failure: error}
    })
  const answers = await untilSettled(host.clock, signal, ask, ({failure}) => failure === undefined)
  if (answers.failure !== undefined) throw answers.failure as Error
  const {newestPatch = '', serverVersion = ''} = answers
  const [now, newest] = [asked.release, parseVersion(newestPatch)]
  // A release that is newer than all that are known stays, as long as the API server accepts it.
  const isAccepted = (minor: number): boolean => minor <= (serverMinor(serverVersion) ?? minor)
  if (!newest || !now || (!isOlder(now, newest) && isAccepted(now.minor))) return undefined
  return newestPatch
}
