// The kubelet's configuration, and who may call it.
import {bootstrapKubeconfig} from '../components/bootstrap-kubeconfig.js'
import {kubeletConfiguration} from '../components/kubelet.js'
import {layoutOf} from '../config/layout.js'
import {KUBELET} from '../config/model.js'
import {clientCAUnknown} from '../errors/cluster.js'
import {ADMINISTRATORS_ONLY_FILE} from '../host/security/security.js'
import {isBootstrapLeft, isBootstrapNeeded, removeBootstrapFile} from '../pipeline/desired/cluster/bootstrap-file.js'
import {applyFiles, type DesiredFile, inspectFiles} from '../pipeline/desired/files/file.js'
import {drifted, type Step, type StepContext} from '../pipeline/run/step.js'

const ID = 'kubelet-config'
const UNPROVEN = 'The API server has not proven itself with the certificate authority of the kubeconfig'

export const kubeletConfig: Step = {
  async apply(context) {
    if (context.config.clientCA === '') throw clientCAUnknown({path: UNPROVEN})
    await applyFiles(context, ID, await wanted(context))
    if (await isBootstrapLeft(context)) await removeBootstrapFile(context)
  },
  deadlineMs: 60_000,
  id: ID,
  async inspect(context) {
    const finding = await inspectFiles(context, ID, await wanted(context))
    if (finding.state !== 'in-place' || !(await isBootstrapLeft(context))) return finding
    return drifted(`${layoutOf(context.config.baseDir).bootstrapKubeconfig} is not needed any more`)
  },
  needs: ['base-dir'],
  removal: 'Remove the kubelet configuration',
  title: 'Write kubelet configuration',
}

async function wanted(context: StepContext): Promise<DesiredFile[]> {
  const {config} = context
  const {bootstrap} = config
  const layout = layoutOf(config.baseDir)
  const isNeeded = bootstrap && (await isBootstrapNeeded(context))
  const sddl = ADMINISTRATORS_ONLY_FILE
  return [
    {content: config.clientCA, path: layout.clientCA, readBy: KUBELET},
    {content: kubeletConfiguration(config), path: layout.kubeletConfig, readBy: KUBELET},
    ...(isNeeded
      ? [{content: bootstrapKubeconfig(bootstrap), path: layout.bootstrapKubeconfig, readBy: KUBELET, sddl}]
      : []),
  ]
}
