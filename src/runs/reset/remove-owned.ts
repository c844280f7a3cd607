// Removes what k8s-win created from a host, or from its twin: reset and its plan run the same code.
import type {Decided, Node} from '../../config/model.js'
import type {Host} from '../../host/host.js'
import {orAborted} from '../../host/wait.js'
import {type Journal, type JournalLine, LOSS} from '../../pipeline/ledger/journal.js'
import {type RemovalsOutcome, type RemovalsRun, runRemovals} from '../../pipeline/run/run-removals.js'
import type {Owned} from '../../pipeline/owned/find-owned.js'
import {completeNode} from '../../preflight/node-config.js'

export interface OwnedRemoval extends Omit<RemovalsRun, 'context'> {
  readonly config: Decided
  readonly host: Host
  readonly own: Owned
}

export async function removeOwned({config, own, ...run}: OwnedRemoval): Promise<RemovalsOutcome> {
  const {host, signal} = run
  const {journal} = own
  await orAborted(recordFound(own, host, config), signal)
  return runRemovals({...run, context: {config: await nodeToReset(config, host, journal), host, journal}})
}

/** Before anything is removed by it, so that a run that is killed in between loses nothing. */
async function recordFound(own: Owned, {files}: Host, {baseDir}: Decided): Promise<void> {
  const {foundByMarks, isIncomplete, journal, unproven} = own
  await journal.damage?.repair()
  // A base directory that was removed is created for the journal, and removed with it.
  const isMade = foundByMarks.length > 0 && !(await files.status(baseDir))
  const made: JournalLine[] = isMade ? [{entry: {kind: 'directory', path: baseDir}, step: 'base-dir'}] : []
  const isNoted = journal.all().some(({entry}) => entry.kind === LOSS.entry.kind)
  const loss = isIncomplete && !isNoted && foundByMarks.length + unproven.length > 0 ? [LOSS] : []
  // In one write: half of it would not show that the rest is lost.
  await journal.recordLines([...made, ...loss, ...foundByMarks])
}

const NOTING = ['overlay-network', 'flanneld-service', 'external-network'] as const

/** What is known of the node, also where its cluster, adapter or configuration is gone. */
export async function nodeToReset(config: Decided, host: Host, journal: Journal): Promise<Node> {
  const [computer, version] = await Promise.all([
    host.os.computerName().catch(() => ''),
    host.os.version().catch(() => undefined),
  ])
  const [noted] = NOTING.flatMap((step) => journal.entries(step, 'network-before'))
  const [node] = journal.entries('node-registered', 'node')
  return completeNode(config, {
    adapterName: noted?.adapter,
    hostBuild: version?.build,
    nodeName: config.nodeName ?? node?.name ?? computer.toLowerCase(),
  })
}
