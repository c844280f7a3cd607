// The steps that install programs: each verified before it is placed.
import {win32} from 'node:path'
import {shawlArtifact} from '../artifacts/catalog.js'
import {programsOf, SHAWL_STEP} from '../artifacts/programs.js'
import {layoutOf} from '../config/layout.js'
import {isOlder, parseVersion, type Version} from '../config/version.js'
import {
  applyPrograms,
  DIGESTS_MS,
  type DesiredPrograms,
  discardDownloads,
  inspectPrograms,
  verifiedProgram,
} from '../pipeline/desired/programs/programs.js'
import {demandFlanneldFlags} from '../pipeline/desired/programs/flanneld-flags.js'
import {inPlace, type Step, type StepContext, type StepId} from '../pipeline/run/step.js'

/** kubelet, kube-proxy, and kubectl and kubeadm for users. */
export const kubernetesBinaries = binariesStep({
  id: 'kubernetes-binaries',
  removal: 'Remove Kubernetes binaries',
  title: 'Install Kubernetes binaries',
})

/** containerd with its shim and ctr, crictl, and shawl. Stopping containerd ends the pods: a new crictl or ctr does not. */
export const containerdBinaries: Step = {
  ...binariesStep({
    id: 'containerd-binaries',
    removal: 'Remove containerd',
    title: 'Install containerd',
  }),
  restore: (context) => restoreOf('containerd-binaries', context),
  runtime: 'containerd',
}

/** win-overlay and host-local, and flannel's own plugin, which left their archive with 1.0.0. */
export const cniBinaries: Step = {
  ...binariesStep({
    id: 'cni-binaries',
    removal: 'Remove the CNI plugins',
    title: 'Install CNI plugins',
  }),
  restore: (context) => restoreOf('cni-binaries', context),
}

/** flanneld, and shawl, which runs it as a service. A flanneld that does not have the user's flags is not installed. */
export const flannelBinary: Step = {
  ...binariesStep({
    id: 'flannel-binary',
    removal: 'Remove flanneld',
    title: 'Install flanneld',
  }),
  async prove(context) {
    await demandFlanneldFlags(context, layoutOf(context.config.baseDir).flanneld)
    return inPlace()
  },
}

function binariesStep({id, removal, title}: Pick<Step, 'id' | 'title'> & {readonly removal: string}): Step {
  const wanted = (context: StepContext): Promise<DesiredPrograms[]> => wantedOf(id, context)
  return {
    apply: async (context) => applyPrograms(context, id, await wanted(context)),
    deadlineMs: 45 * 60_000,
    inspectMs: DIGESTS_MS,
    id,
    inspect: async (context) => inspectPrograms(context, id, await wanted(context)),
    leaves: {claims: ['download'], discard: (context) => discardDownloads(context, id), kind: 'downloads'},
    needs: ['base-dir'],
    removal,
    title,
  }
}

async function wantedOf(id: StepId, context: StepContext): Promise<DesiredPrograms[]> {
  const {config, host} = context
  const version = await shawlVersion(context)
  return programsOf(config)
    .filter(({step}) => step === id)
    .map((programs) => ({
      ...programs,
      // Comes with this package.
      ...(programs.artifact.id === 'shawl' && {
        artifact: shawlArtifact(config, version),
        read: () => host.assets.shawl(),
      }),
      ...(programs.artifact.id === 'flanneld' && {demand: demandFlanneldFlags}),
    }))
}

/** Only what was recorded, and in that version: the stored options may be lost, too. */
async function restoreOf(id: StepId, context: StepContext): Promise<void> {
  const {config, journal} = context
  const {cniBinaries: folder, ctr} = config.containerd
  const recorded = (path: string, version: Version): Version =>
    parseVersion(verifiedProgram(journal, id, path)?.version ?? '') ?? version
  const {cni, containerd, crictl, flannelCNI} = config.versions
  const versions = {
    ...config.versions,
    cni: recorded(win32.join(folder, 'host-local.exe'), cni),
    containerd: recorded(ctr, containerd),
    crictl: recorded(layoutOf(config.baseDir).containerd.crictl, crictl),
    flannelCNI: recorded(win32.join(folder, 'flannel.exe'), flannelCNI),
  }
  const then = {...context, config: {...config, versions}}
  const programs = await wantedOf(id, then)
  const isRecorded = ({paths}: DesiredPrograms): boolean =>
    paths.every((path) => verifiedProgram(journal, id, path) !== undefined)
  await applyPrograms(then, id, programs.filter(isRecorded))
}

/** A newer one stays that another package of k8s-win has installed: an older one in its place would only end the pods. */
async function shawlVersion({config, host: {assets, files}, journal}: StepContext): Promise<string> {
  const own = assets.shawlVersion()
  const {shawl} = layoutOf(config.baseDir)
  const there = verifiedProgram(journal, SHAWL_STEP[config.runtime], shawl)
  const [older, newer] = [parseVersion(own), parseVersion(there?.version ?? '')]
  if (!there || !older || !newer || !isOlder(older, newer) || !(await files.status(shawl))) return own
  return (await files.digest(shawl, 'sha256')) === there.sha256 ? newer.text : own
}
