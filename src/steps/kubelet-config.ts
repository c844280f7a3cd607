// The kubelet's configuration, and who may call it.
import {kubeletConfiguration} from '../components/kubelet.js'
import {layoutOf} from '../config/layout.js'
import {KUBELET} from '../config/model.js'
import {applyFiles, type DesiredFile, inspectFiles} from '../pipeline/desired/file.js'
import {removes} from '../pipeline/ledger/kinds/index.js'
import type {Step, StepContext} from '../pipeline/run/step.js'

const ID = 'kubelet-config'

export const kubeletConfig: Step = {
  apply: (context) => applyFiles(context, ID, wanted(context)),
  deadlineMs: 60_000,
  id: ID,
  inspect: (context) => inspectFiles(context, ID, wanted(context)),
  needs: ['base-dir'],
  remove: removes(ID),
  title: 'Write kubelet configuration',
}

function wanted({config}: StepContext): DesiredFile[] {
  const layout = layoutOf(config.baseDir)
  return [
    {content: config.clientCA, path: layout.clientCA, readBy: KUBELET},
    {content: kubeletConfiguration(config), path: layout.kubeletConfig, readBy: KUBELET},
  ]
}
