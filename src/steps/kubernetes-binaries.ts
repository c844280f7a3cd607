// kubelet, kube-proxy, and kubectl and kubeadm for people.
import {kubernetesArtifact} from '../artifacts/catalog.js'
import {KUBE_PROXY} from '../components/kube-proxy.js'
import {KUBELET} from '../components/kubelet.js'
import {layoutOf} from '../config/layout.js'
import {removeFiles} from '../pipeline/desired-file.js'
import {applyPrograms, type DesiredPrograms, inspectPrograms} from '../pipeline/desired-programs.js'
import type {Step, StepContext} from '../pipeline/step.js'

const ID = 'kubernetes-binaries'

export const kubernetesBinaries: Step = {
  apply: (context) => applyPrograms(context, ID, wanted(context)),
  deadlineMs: 45 * 60_000,
  id: ID,
  inspect: (context) => inspectPrograms(context, ID, wanted(context)),
  needs: ['base-dir'],
  remove: (context) => removeFiles(context, ID),
  title: 'Install the Kubernetes programs',
}

function wanted({config}: StepContext): DesiredPrograms[] {
  return [
    {artifact: kubernetesArtifact(config), folder: layoutOf(config.baseDir).binaries, usedBy: [KUBE_PROXY, KUBELET]},
  ]
}
