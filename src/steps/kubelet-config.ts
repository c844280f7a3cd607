// The kubelet's configuration, and who may call it.
import {bootstrapKubeconfig} from '../components/bootstrap-kubeconfig.js'
import {kubeletConfiguration} from '../components/kubelet.js'
import {layoutOf} from '../config/layout.js'
import {KUBELET} from '../config/model.js'
import {ADMINISTRATORS_ONLY_FILE} from '../host/security/security.js'
import {applyFiles, type DesiredFile, inspectFiles} from '../pipeline/desired/file.js'
import {isJoined} from '../pipeline/desired/join-state.js'
import {removes} from '../pipeline/ledger/kinds/index.js'
import type {Step, StepContext} from '../pipeline/run/step.js'

const ID = 'kubelet-config'

export const kubeletConfig: Step = {
  apply: async (context) => applyFiles(context, ID, await wanted(context)),
  deadlineMs: 60_000,
  id: ID,
  inspect: async (context) => inspectFiles(context, ID, await wanted(context)),
  needs: ['base-dir'],
  remove: removes(ID),
  title: 'Write kubelet configuration',
}

/** Until the node has its certificate: the step node-certificate removes it then. */
async function wanted({config, host}: StepContext): Promise<DesiredFile[]> {
  const {bootstrap} = config
  const layout = layoutOf(config.baseDir)
  const isNeeded = bootstrap && !(await isJoined(host, config))
  const sddl = ADMINISTRATORS_ONLY_FILE
  return [
    {content: config.clientCA, path: layout.clientCA, readBy: KUBELET},
    {content: kubeletConfiguration(config), path: layout.kubeletConfig, readBy: KUBELET},
    ...(isNeeded
      ? [{content: bootstrapKubeconfig(bootstrap), path: layout.bootstrapKubeconfig, readBy: KUBELET, sddl}]
      : []),
  ]
}
