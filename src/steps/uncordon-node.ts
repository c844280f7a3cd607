// The end of an upgrade, when a release is proven: the node takes pods again, and the way back is removed.
import {previousFolders, removePrevious} from '../pipeline/desired/programs/previous-programs.js'
import {endUpgrade, upgradeOf} from '../pipeline/desired/cluster/unfinished-upgrade.js'
import {drifted, inPlace, type Step} from '../pipeline/run/step.js'

export const uncordonNode: Step = {
  applies: ({upgrade}) => upgrade !== undefined,
  async apply(context) {
    // First what can be repeated: without the record nothing would be left to do.
    await removePrevious(context)
    await endUpgrade(context)
  },
  deadlineMs: 5 * 60_000,
  id: 'uncordon-node',
  async inspect(context) {
    const begun = upgradeOf(context.journal)
    const evidence = [
      ...(begun ? [`an upgrade from ${begun.from} to ${begun.to} has not ended`] : []),
      ...(await previousFolders(context)).map((folder) => `${folder} is left`),
    ]
    return evidence.length > 0 ? drifted(...evidence) : inPlace('no upgrade is open')
  },
  needs: ['node-ready', 'kubeproxy-service'],
  title: 'Uncordon node, remove the previous programs',
}
