// What an upgrade has recorded about itself, from before anything is stopped until one of the two releases is proven.
import type {EntryOf, Journal} from '../ledger/journal.js'
import type {StepContext} from '../run/step.js'
import {askNode, nodeCluster} from './node-cluster.js'

export const upgradeOf = (journal: Pick<Journal, 'entries'>): EntryOf<'upgrade'> | undefined =>
  journal.entries('base-dir', 'upgrade')[0]

/** The node takes pods again, if it was k8s-win that cordoned it. */
export async function endUpgrade(context: StepContext): Promise<void> {
  const {changed, config, journal} = context
  const {nodeName} = config
  if (upgradeOf(journal)?.cordoned && (await askNode(context))?.isUnschedulable) {
    await (await nodeCluster(context)).uncordonNode(nodeName)
    changed(`uncordon the node ${nodeName}`)
  }
  await journal.forget(({entry}) => entry.kind === 'upgrade')
}
