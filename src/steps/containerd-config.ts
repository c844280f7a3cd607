// The files that containerd, its registry client and crictl read.
import {
  containerdConfiguration,
  containerdSettings,
  crictlConfiguration,
  mirrorFiles,
  mirrorPaths,
} from '../components/containerd.js'
import {layoutOf} from '../config/layout.js'
import {CONTAINERD} from '../config/model.js'
import {applyFiles, type DesiredFile, ensureFolder, inspectFiles} from '../pipeline/desired/file.js'
import {removePath} from '../pipeline/desired/remove-path.js'
import {removes} from '../pipeline/ledger/kinds/index.js'
import {drifted, type Step, type StepContext} from '../pipeline/run/step.js'

const ID = 'containerd-config'

export const containerdConfig: Step = {
  applies: ({runtime}) => runtime === 'containerd',
  async apply(context) {
    // containerd watches it, and would create it (containerd/go-cni, internal/cri/server/cni_conf_syncer.go).
    await ensureFolder(context, ID, layoutOf(context.config.baseDir).cniConfigFolder)
    await applyFiles(context, ID, wanted(context))
    for (const path of await formerMirrors(context)) await removePath(context, path)
  },
  deadlineMs: 60_000,
  id: ID,
  async inspect(context) {
    const finding = await inspectFiles(context, ID, wanted(context))
    const former = (await formerMirrors(context)).map((path) => `${path} is of a former --image-registry`)
    return former.length === 0 ? finding : drifted(...(finding.state === 'in-place' ? [] : finding.evidence), ...former)
  },
  needs: ['base-dir'],
  remove: removes(ID),
  title: 'Write containerd configuration',
}

function wanted({config}: StepContext): DesiredFile[] {
  const {containerd} = layoutOf(config.baseDir)
  return [
    {content: containerdConfiguration(containerdSettings(config)), path: containerd.config, readBy: CONTAINERD},
    {content: crictlConfiguration(), path: containerd.crictlConfig},
    ...mirrorFiles(config),
  ]
}

/** containerd reads whatever is there, at every pull. */
async function formerMirrors(context: StepContext): Promise<string[]> {
  const {config, host, journal} = context
  const recorded = new Set(journal.entries(ID, 'file').map(({path}) => path))
  const former = mirrorFiles(config).length > 0 ? [] : mirrorPaths(config.baseDir).filter((path) => recorded.has(path))
  const found = await Promise.all(former.map((path) => host.files.status(path)))
  return former.filter((_, index) => found[index] !== undefined)
}
