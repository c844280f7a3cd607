// The CNI configuration, last on purpose: the kubelet reports the node Ready as soon as it is there.
import {win32} from 'node:path'
import {cniConfiguration, cniConflist, cniFileOf} from '../components/cni.js'
import {CNI_TREES, layoutOf} from '../config/layout.js'
import {foreignCniConfig} from '../errors/host.js'
import {cniConfigBefore} from '../host/cni-folder.js'
import {applyFiles, claimTrees, type DesiredFile, inspectFiles} from '../pipeline/desired/file.js'
import type {Step, StepContext} from '../pipeline/run/step.js'
import {removes} from '../pipeline/ledger/kinds/index.js'

const ID = 'cni-config'

export const cniConfig: Step = {
  async apply(context) {
    await claimTrees(context, ID, ...CNI_TREES)
    await applyFiles(context, ID, wanted(context))
  },
  deadlineMs: 60_000,
  id: ID,
  async inspect(context) {
    await demandFirst(context)
    return inspectFiles(context, ID, wanted(context))
  },
  needs: ['kubeproxy-service'],
  remove: removes(ID),
  title: 'Write CNI configuration',
}

const wanted = ({config}: StepContext): DesiredFile[] => [
  {
    content: config.runtime === 'docker' ? cniConfiguration(config) : cniConflist(config),
    path: cniFileOf(config),
  },
]

/** Also a preflight check; it may have been added since. */
async function demandFirst({config, host}: StepContext): Promise<void> {
  const {cniConfigFolder} = layoutOf(config.baseDir)
  const foreign = await cniConfigBefore(host.files, cniConfigFolder, win32.basename(cniFileOf(config)))
  if (foreign !== undefined) throw foreignCniConfig({file: foreign, folder: cniConfigFolder})
}
