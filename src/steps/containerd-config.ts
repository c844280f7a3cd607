// The files that containerd, its registry client and crictl read.
import {
  containerdConfiguration,
  containerdSettings,
  crictlConfiguration,
  MICROSOFT_REGISTRY,
  mirrorHosts,
} from '../components/containerd.js'
import {layoutOf} from '../config/layout.js'
import {CONTAINERD} from '../config/model.js'
import {applyFiles, type DesiredFile, ensureFolder, inspectFiles} from '../pipeline/desired/file.js'
import {removes} from '../pipeline/ledger/kinds/index.js'
import type {Step, StepContext} from '../pipeline/run/step.js'

const ID = 'containerd-config'

export const containerdConfig: Step = {
  applies: ({runtime}) => runtime === 'containerd',
  async apply(context) {
    // containerd watches it, and would create it (containerd/go-cni, internal/cri/server/cni_conf_syncer.go).
    await ensureFolder(context, ID, layoutOf(context.config.baseDir).cniConfigFolder)
    await applyFiles(context, ID, wanted(context))
  },
  deadlineMs: 60_000,
  id: ID,
  inspect: (context) => inspectFiles(context, ID, wanted(context)),
  needs: ['base-dir'],
  remove: removes(ID),
  title: 'Write containerd configuration',
}

function wanted({config}: StepContext): DesiredFile[] {
  const {baseDir, imageRegistry} = config
  const {containerd} = layoutOf(baseDir)
  const hosts = mirrorHosts(baseDir, MICROSOFT_REGISTRY, imageRegistry)
  return [
    {content: containerdConfiguration(containerdSettings(config)), path: containerd.config, readBy: CONTAINERD},
    {content: crictlConfiguration(), path: containerd.crictlConfig},
    ...(hosts ? [hosts] : []),
  ]
}
