// kubelet, kube-proxy, and kubectl and kubeadm for people.
import {kubernetesArtifact} from '../artifacts/catalog.js'
import {KUBE_PROXY} from '../components/kube-proxy.js'
import {KUBELET} from '../components/kubelet.js'
import {layoutOf} from '../config/layout.js'
import {
  applyPrograms,
  type DesiredPrograms,
  discardDownloads,
  inspectPrograms,
  removePrograms,
} from '../pipeline/desired/programs.js'
import type {Step, StepContext} from '../pipeline/run/step.js'

const ID = 'kubernetes-binaries'

export const kubernetesBinaries: Step = {
  apply: (context) => applyPrograms(context, ID, wanted(context)),
  deadlineMs: 45 * 60_000,
  id: ID,
  inspect: (context) => inspectPrograms(context, ID, wanted(context)),
  leaves: {
    claims: ['download'],
    discard: (context) => discardDownloads(context, ID),
    kind: 'downloads',
  },
  needs: ['base-dir'],
  remove: (context) => removePrograms(context, ID, wanted(context)),
  title: 'Install Kubernetes binaries',
}

function wanted({config}: StepContext): DesiredPrograms[] {
  return [
    {artifact: kubernetesArtifact(config), folder: layoutOf(config.baseDir).binaries, usedBy: [KUBE_PROXY, KUBELET]},
  ]
}
