// k8s-win upgrade without --release: the newest known release that fits the API server, the runtime of the node and Windows.
import {kubeconfigOf} from '../../components/identity.js'
import {knownReleases} from '../../preflight/known-releases.js'
import {newestFitting, runtimeOf, serverMinor} from '../../config/choose-release.js'
import type {Answers} from '../../config/decide.js'
import type {Origin} from '../../config/options/layers.js'
import type {Asked} from '../../config/model.js'
import {layoutOf} from '../../config/layout.js'
import {isOlder} from '../../config/version.js'
import {kubeconfigAt} from '../../host/cluster/kubeconfig-file.js'
import type {Host} from '../../host/host.js'
import {orGivenUp, within} from '../../host/wait.js'
import {openTrustedJournal} from '../../pipeline/ledger/journal.js'
import {whyNoNode} from '../../pipeline/run/missing-node.js'
import {untilSettled} from '../phases/settling.js'
import {askVersion, ASKING_MS, isPassing} from '../ask-cluster.js'

/** Undefined where a release was asked for, or the node has this one or a newer patch. */
export async function newerRelease(asked: Asked, host: Host, signal: AbortSignal): Promise<Origin | undefined> {
  const {baseDir, isStored, origin, release: now} = asked
  if (!isStored) {
    const {journal} = await openTrustedJournal(host, layoutOf(baseDir).journal)
    throw await whyNoNode(host, baseDir, journal)
  }
  if (origin.sources.release !== 'stored' || !now) return undefined
  const cluster = host.cluster(await kubeconfigAt(host, kubeconfigOf(asked, 'kubelet')))
  const ask = (): Promise<Answers & {readonly failure?: unknown}> =>
    within(host.clock, ASKING_MS, askVersion(cluster)).catch((error: unknown) => {
      if (!isPassing(error)) throw error
      return {failure: error}
    })
  const {failure, serverVersion = ''} = await untilSettled(host.clock, signal, ask, (one) => one.failure === undefined)
  if (failure !== undefined) throw failure as Error
  const windows = await orGivenUp(host.clock, ASKING_MS, host.os.version())
  const answers = {catalogue: await knownReleases(windows?.build), serverVersion}
  const {origin: chosen, release: newest} = newestFitting(runtimeOf(now), answers)
  // A release that is newer than all that are known stays, as long as the API server accepts it.
  const isAccepted = now.minor <= (serverMinor(serverVersion) ?? now.minor)
  return isOlder(now, newest) || !isAccepted ? chosen : undefined
}
