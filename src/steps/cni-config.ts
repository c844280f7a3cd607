// The CNI configuration, last on purpose: the kubelet reports the node Ready as soon as it is there.
import {cniContent, cniFileOf} from '../components/cni.js'
import {CNI_TREES} from '../config/places.js'
import {demandOnlyCniConfig} from '../host/cni-folder.js'
import {applyFiles, type DesiredFile, inspectFiles, restoreFiles} from '../pipeline/desired/files/file.js'
import {claimTrees} from '../pipeline/desired/files/tree.js'
import {demandSameContainerd} from '../pipeline/desired/containers/present-containerd.js'
import type {Step, StepContext} from '../pipeline/run/step.js'

const ID = 'cni-config'

export const cniConfig: Step = {
  async apply(context) {
    // It may read another folder by now.
    if (!context.config.containerd.isOurs) await demandSameContainerd(context)
    await claimTrees(context, ID, ...CNI_TREES[context.config.runtime])
    await applyFiles(context, ID, wanted(context))
  },
  deadlineMs: 60_000,
  id: ID,
  async inspect(context) {
    // Also a preflight check; one may have been added since.
    await demandOnlyCniConfig(context.host.files, cniFileOf(context.config), context.config)
    return inspectFiles(context, ID, wanted(context))
  },
  needs: ['kubeproxy-service'],
  removal: 'Remove the CNI configuration',
  restore: (context) => restoreFiles(context, ID, wanted(context)),
  title: 'Write CNI configuration',
}

const wanted = ({config}: StepContext): DesiredFile[] => [{content: cniContent(config), path: cniFileOf(config)}]
