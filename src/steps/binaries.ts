// The steps that install programs: each verified before it is placed.
import {programsOf} from '../artifacts/programs.js'
import {CONTAINERD, FLANNELD, KUBE_PROXY, KUBELET} from '../config/model.js'
import {applyPrograms, type DesiredPrograms, discardDownloads, inspectPrograms} from '../pipeline/desired/programs.js'
import {removes} from '../pipeline/ledger/kinds/index.js'
import type {Step, StepContext} from '../pipeline/run/step.js'

/** kubelet, kube-proxy, and kubectl and kubeadm for users. */
export const kubernetesBinaries = binariesStep({
  id: 'kubernetes-binaries',
  title: 'Install Kubernetes binaries',
  usedBy: () => [KUBE_PROXY, KUBELET],
})

const CONTAINERD_USERS: Readonly<Record<string, readonly string[]>> = {
  'containerd-shim-runhcs-v1.exe': [CONTAINERD],
  'containerd.exe': [CONTAINERD],
  'shawl.exe': [FLANNELD, CONTAINERD],
}

/** containerd with its shim and ctr, crictl, and shawl. Stopping containerd ends the pods: a new crictl or ctr does not. */
export const containerdBinaries: Step = {
  ...binariesStep({
    id: 'containerd-binaries',
    title: 'Install containerd',
    usedBy: (name) => CONTAINERD_USERS[name] ?? [],
  }),
  applies: ({runtime}) => runtime === 'containerd',
}

/** win-overlay and host-local, and flannel's own plugin, which left their archive with 1.0.0. */
export const cniBinaries = binariesStep({id: 'cni-binaries', title: 'Install CNI plugins'})

/** flanneld, and shawl, which runs it as a service. */
export const flannelBinary = binariesStep({
  id: 'flannel-binary',
  title: 'Install flanneld',
  usedBy: () => [FLANNELD],
})

function binariesStep({
  id,
  title,
  usedBy = () => [],
}: Pick<Step, 'id' | 'title'> & Pick<DesiredPrograms, 'usedBy'>): Step {
  const wanted = ({config, host}: StepContext): DesiredPrograms[] =>
    programsOf(config)
      .filter(({step}) => step === id)
      .map((programs) => ({
        ...programs,
        // Comes with this package.
        ...(programs.artifact.id === 'shawl' && {read: () => host.assets.shawl()}),
        // One that was there before is not stopped.
        usedBy: (name: string) => usedBy(name).filter((one) => one !== CONTAINERD || config.containerd.isOurs),
      }))
  return {
    apply: (context) => applyPrograms(context, id, wanted(context)),
    deadlineMs: 45 * 60_000,
    id,
    inspect: (context) => inspectPrograms(context, id, wanted(context)),
    leaves: {claims: ['download'], discard: (context) => discardDownloads(context, id), kind: 'downloads'},
    needs: ['base-dir'],
    remove: removes(id),
    title,
  }
}
