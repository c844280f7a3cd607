// The image of pod sandboxes, with containerd: pulled before the first pod needs it, and known to fit this Windows by what
// it says about itself. It is not run: its program does not end.
import {sandboxImageOf} from '../components/containerd.js'
import {runsOn} from '../components/images.js'
import {pauseImageOf} from '../components/releases/release-table.js'
import {layoutOf} from '../config/layout.js'
import {imageBroken} from '../errors/downloads-and-images.js'
import {pasted} from '../errors/define.js'
import type {Node} from '../config/model.js'
import {unfit} from '../host/containerd/fitness.js'
import {RUNTIME_TITLES} from '../host/runtime.js'
import {CRICTL_MS} from '../host/containerd/programs.js'
import {noVariant, pullImage} from '../pipeline/desired/containers/pull-image.js'
import {discardImage} from '../pipeline/desired/containers/image.js'
import {drifted, inPlace, missing, type Step} from '../pipeline/run/step.js'

const ID = 'sandbox-image'

/** The setting is its own: the lines of its file that must change. */
function otherWindows(config: Node, reference: string): Error {
  const {containerd, hostBuild, release, versions} = config
  if (containerd.isOurs) return noVariant(config, reference)
  const wanted = pauseImageOf(release)
  const lines =
    versions.containerd.major < 2
      ? `[plugins."io.containerd.grpc.v1.cri"] sandbox_image = '${wanted}'`
      : `[plugins.'io.containerd.cri.v1.images'.pinned_images] sandbox = '${wanted}'`
  const {config: file, service} = containerd
  return unfit([
    {
      fix: `In ${file}, set these lines: ${lines}. Then restart it, which ends its pods: net stop ${pasted(service)}; net start ${pasted(service)}.`,
      what: `its sandbox image ${reference} has no variant for Windows build ${hostBuild}`,
    },
  ])
}

export const sandboxImage: Step = {
  runtime: 'containerd',
  async apply(context) {
    const {config, host} = context
    const reference = sandboxImageOf(config)
    const found = await host.runtime.image(reference)
    const isRight = found && runsOn(config.hostBuild, found.osVersion)
    const pulled = isRight ? found : await pullImage(context, ID, reference, () => otherWindows(config, reference))
    if (!pulled) {
      const {crictl, crictlConfig} = layoutOf(config.baseDir).containerd
      const command = `${crictl} --config ${crictlConfig} pull ${pasted(reference)}`
      const said = 'nothing, but the image does not exist'
      throw imageBroken({command, image: reference, runtime: RUNTIME_TITLES[host.runtime.name], said})
    }

    if (!runsOn(config.hostBuild, pulled.osVersion)) throw otherWindows(config, reference)
  },
  deadlineMs: 30 * 60_000,
  id: ID,
  inspectMs: CRICTL_MS + 5000,
  async inspect({config, host}) {
    const reference = sandboxImageOf(config)
    const image = await host.runtime.image(reference)
    if (!image) return missing(`${reference} does not exist`)
    return runsOn(config.hostBuild, image.osVersion)
      ? inPlace(`${reference} matches this Windows build`)
      : drifted(`${reference} is for Windows ${image.osVersion}`)
  },
  leaves: {
    claims: ['image-pull'],
    async discard(context) {
      for (const {reference} of context.journal.entries(ID, 'image-pull')) await discardImage(context, reference)
    },
    kind: 'images',
  },
  needs: ['base-dir', 'containerd-service'],
  removal: 'Remove the sandbox image',
  title: 'Pull sandbox image',
}
