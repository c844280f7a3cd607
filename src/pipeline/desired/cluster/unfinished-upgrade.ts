// What an upgrade has recorded about itself, from before anything is stopped until one of the two releases is proven.
import {K8sWinError} from '../../../errors/k8s-win-error.js'
import {pasted} from '../../../errors/define.js'
import type {EntryOf} from '../../ledger/entries.js'
import type {Journal} from '../../ledger/journal.js'
import type {StepContext} from '../../run/step.js'
import {askNode, nodeCluster} from './node-cluster.js'

export const upgradeOf = (journal: Pick<Journal, 'entries'>): EntryOf<'upgrade'> | undefined =>
  journal.entries('base-dir', 'upgrade')[0]

type Context = Pick<StepContext, 'config' | 'host' | 'journal' | 'signal'>

/**
 * What an upgrade ends with that failed. `isUndone`: nothing was stopped, so that the node can take pods again. A node that
 * stays cordoned is named, with the command.
 */
export async function afterFailure(context: Context, isUndone: boolean, error: unknown): Promise<unknown> {
  const {config, journal, signal} = context
  if (!(error instanceof K8sWinError) || !upgradeOf(journal)?.cordoned || signal.aborted) return error
  const isFree =
    isUndone &&
    (await endUpgrade({...context, changed() {}}).then(
      () => true,
      () => false,
    ))
  const node = isFree
    ? 'Nothing was stopped, and the node takes pods again.'
    : `The node stays cordoned: the same command uncordons it at its end, and "kubectl uncordon ${pasted(config.nodeName)}" at once.`
  return error.with({fix: `${error.fix} ${node}`})
}

/** The node takes pods again, if it was k8s-win that cordoned it. */
export async function endUpgrade(context: Context & Pick<StepContext, 'changed'>): Promise<void> {
  const {changed, config, journal} = context
  const {nodeName} = config
  if (upgradeOf(journal)?.cordoned && (await askNode(context))?.isUnschedulable) {
    await (await nodeCluster(context)).uncordonNode(nodeName)
    changed(`uncordon the node ${nodeName}`)
  }
  await journal.forget(({entry}) => entry.kind === 'upgrade')
}
