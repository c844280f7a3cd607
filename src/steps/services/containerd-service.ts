// containerd as a Windows service, which answers on its pipe. Stopping it ends the pods, so it is stopped only when its
// program or its configuration has changed.
import {win32} from 'node:path'
import {containerdService, containerdSettings} from '../../components/containerd.js'
import {DAEMON} from '../../config/daemons.js'
import {CONTAINERD_DATA, CONTAINERD_FOLDERS, layoutOf} from '../../config/layout.js'
import {CONTAINERD} from '../../config/model.js'
import {waitFor} from '../../host/wait.js'
import {demandNothingPlanted} from '../../host/security/planted.js'
import {isNotServing} from '../../host/containerd/failure.js'
import {CRICTL_MS} from '../../host/containerd/programs.js'
import {recordOpening} from '../../pipeline/desired/containers/containerd-root.js'
import {claimTrees} from '../../pipeline/desired/files/tree.js'
import {
  demandSameContainerd,
  restartContainerd,
  startsOnDemand,
  startWithWindows,
} from '../../pipeline/desired/containers/present-containerd.js'
import {removePath} from '../../pipeline/desired/files/remove-path.js'
import {ensureSafeFolders, withSafeFolders} from '../../pipeline/desired/files/safe-folder.js'
import {applyService, type DesiredService, inspectService} from '../../pipeline/desired/services/service.js'
import {isUnread, noteRead} from '../../pipeline/desired/services/configuration-read.js'
import {drifted, inPlace, type StepContext} from '../../pipeline/run/step.js'
import {serviceStep} from './service-step.js'

const ID = 'containerd-service'
/** It is asked again; on a pipe where nothing responds crictl would wait for minutes. */
const RESPONDS_MS = 10_000
const RESPONDING = {deadlineMs: 2 * 60_000, everyMs: 1000}

export const containerdServiceStep = serviceStep(DAEMON.containerd, {
  runtime: 'containerd',
  async apply(context) {
    if (!context.config.containerd.isOurs) return repairPresent(context)
    await claimTrees(context, ID, CONTAINERD_DATA)
    // Every user may create folders in ProgramData, and containerd runs what is in its own.
    await ensureSafeFolders(context, ID, CONTAINERD_DATA)
    await demandNothingPlanted(context.host, CONTAINERD_FOLDERS)
    await recordOpening(context)
    await applyService(context, ID, wanted(context))
  },
  deadlineMs: 10 * 60_000,
  inspectMs: CRICTL_MS + 5000,
  async inspect(context) {
    const {containerd, versions} = context.config
    if (containerd.isOurs)
      return withSafeFolders(context, await inspectService(context, wanted(context)), CONTAINERD_DATA)
    if (isUnread(context.journal, 'containerd-config', CONTAINERD))
      return drifted(`containerd has not read ${containerd.config} yet`)
    if (await startsOnDemand(context)) return drifted(`the service ${containerd.service} does not start with Windows`)
    await demandPresent(context)
    return inPlace(`containerd ${versions.containerd.text} responds on ${containerd.pipe}`)
  },
  leaves: {
    claims: ['tree', 'root-opened'],
    async discard(context) {
      for (const {path} of context.journal.entries(ID, 'tree')) await removePath(context, path)
    },
    kind: 'images',
  },
  needs: ['containerd-binaries', 'containerd-config'],
  title: 'Start containerd',
})

/** With --adopt: its start type, and, once, a restart after its configuration was repaired. */
async function repairPresent(context: StepContext): Promise<void> {
  if (await startsOnDemand(context)) await startWithWindows(context, ID)
  if (isUnread(context.journal, 'containerd-config', CONTAINERD)) {
    await restartContainerd(context)
    await waitFor(context.host.clock, {...RESPONDING, signal: context.signal}, () =>
      context.host.containerd.version(RESPONDS_MS).catch(() => undefined),
    )
    await noteRead(context.journal, 'containerd-config', CONTAINERD)
  }
  await demandPresent(context)
}

/** Of the user: k8s-win checks it. */
async function demandPresent(context: StepContext): Promise<void> {
  await demandSameContainerd(context)
  await context.host.containerd.version(RESPONDS_MS)
}

const wanted = ({config}: StepContext): DesiredService => ({
  daemon: DAEMON.containerd,
  isSilence: isNotServing,
  responds: async ({containerd}) => {
    await containerd.version(RESPONDS_MS)
  },
  spec: containerdService(containerdSettings(config), config.proxy),
  wrapped: win32.basename(layoutOf(config.baseDir).containerd.program),
})
