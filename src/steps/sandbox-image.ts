// The image of pod sandboxes, with containerd: pulled before the first pod needs it, and known to fit this Windows by what
// it says about itself. It is not run: its program does not end.
import {MICROSOFT_REGISTRY} from '../components/containerd.js'
import {buildOf, runsOn} from '../components/images.js'
import {pauseImageOf} from '../components/release-table.js'
import type {NodeConfig} from '../config/model.js'
import {imageBroken, imageMismatch} from '../errors/bytes.js'
import {RUNTIME_TITLES} from '../host/runtime.js'
import {pullImage} from '../pipeline/desired/pull-image.js'
import {discardImage} from '../pipeline/ledger/kinds/image.js'
import {drifted, inPlace, missing, type Step} from '../pipeline/run/step.js'

const ID = 'sandbox-image'

export const sandboxImage: Step = {
  applies: ({runtime}) => runtime === 'containerd',
  async apply(context) {
    const {config, host} = context
    const reference = pauseImageOf(config.release)
    const found = await host.runtime.image(reference)
    const isRight = found && runsOn(config.hostBuild, found.osVersion)
    const pulled = isRight ? found : await pullImage(context, ID, reference, () => mismatch(config))
    if (!pulled) {
      const command = `crictl pull ${reference}`
      const said = 'nothing, but the image does not exist'
      throw imageBroken({command, image: reference, runtime: RUNTIME_TITLES[host.runtime.name], said})
    }

    if (!runsOn(config.hostBuild, pulled.osVersion)) throw mismatch(config, buildOf(pulled.osVersion))
  },
  deadlineMs: 30 * 60_000,
  id: ID,
  async inspect({config, host}) {
    const reference = pauseImageOf(config.release)
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
  title: 'Pull sandbox image',
}

/** The published image has a variant for every Windows here, so what answered has an incomplete copy of it. */
function mismatch({hostBuild, imageRegistry, release}: NodeConfig, build?: number): Error {
  const image = pauseImageOf(release)
  const imageBuild = build === undefined ? 'other builds' : String(build)
  const fix =
    imageRegistry === MICROSOFT_REGISTRY
      ? `Pass a registry that has ${sandboxPath(image)} with the variants of all Windows versions to --image-registry.`
      : `Copy ${image} with the variants of all Windows versions to ${imageRegistry}/${sandboxPath(image)}, and run the same command again.`
  return imageMismatch({host: String(hostBuild), image, imageBuild, tag: ''}).with({fix})
}

/** Without the registry. */
const sandboxPath = (image: string): string => image.slice(image.indexOf('/') + 1)
