// The base images: pulled if absent or of another build, run once to prove that they fit this Windows, tagged latest.
import {MICROSOFT_REGISTRY} from '../components/containerd.js'
import {type BaseImage, buildOf, buildOfTag, isOfBuild, tagsOf, wantedImages} from '../components/images.js'
import type {Node} from '../config/model.js'
import {imageBroken, imageMismatch} from '../errors/downloads-and-images.js'
import {pasted} from '../errors/define.js'
import {type ImageInfo, RUNTIME_TITLES} from '../host/runtime.js'
import {noVariant, pullImage} from '../pipeline/desired/containers/pull-image.js'
import {drifted, type Finding, inPlace, missing, type Step, type StepContext} from '../pipeline/run/step.js'
import {discardImage, isProvenImage} from '../pipeline/desired/containers/image.js'

const ID = 'base-images'
/** Docker adds the code of HCS, containerd's shim only the sentence of Windows (hcsshim internal/hcs/errors.go). */
const OTHER_WINDOWS = /0xc0370101|container operating system does not match the host operating system/i

export const baseImagesStep: Step = {
  async apply(context) {
    for (const image of wantedImages(context.config)) await provide(context, image)
  },
  deadlineMs: 90 * 60_000,
  driftCause: 'Images were removed, pulled again or tagged differently, or Windows was updated.',
  id: ID,
  async inspect(context): Promise<Finding> {
    const images = wantedImages(context.config)
    const evidence = (await Promise.all(images.map((image) => lacking(context, image)))).flat()
    if (evidence.length === 0) return inPlace(...images.map((image) => `${image.reference} matches this Windows build`))
    return evidence.every((text) => text.endsWith('does not exist')) ? missing(...evidence) : drifted(...evidence)
  },
  leaves: {
    claims: ['image-pull'],
    async discard(context) {
      for (const {reference} of context.journal.entries(ID, 'image-pull')) await discardImage(context, reference)
    },
    kind: 'images',
  },
  // The journal is in the base directory, whose step must be the one that makes it.
  needs: ['base-dir', 'docker', 'containerd-service'],
  removal: 'Restore the tags of the base images',
  title: 'Pull base images',
}

async function lacking(context: StepContext, image: BaseImage): Promise<string[]> {
  const {runtime} = context.host
  const pulled = await runtime.image(image.reference)
  if (!pulled) return [`${image.reference} does not exist`]
  if (!isOfBuild(context.config.hostBuild, pulled.osVersion)) {
    return [`${image.reference} is for Windows ${pulled.osVersion}`]
  }
  const latest = await runtime.image(latestOf(image))
  return [
    ...(isProven(context, pulled) ? [] : [`${image.reference} has not been run on this host yet`]),
    ...(latest?.id === pulled.id ? [] : [`${latestOf(image)} is another image`]),
  ]
}

async function provide(context: StepContext, image: BaseImage): Promise<void> {
  const {config, host, journal} = context
  const found = await host.runtime.image(image.reference)
  const pulled = found && isOfBuild(config.hostBuild, found.osVersion) ? found : await pull(context, image)
  if (!isProven(context, pulled)) await prove(context, image, pulled)
  const latest = await host.runtime.image(latestOf(image))
  if (latest?.id === pulled.id) return
  const previous = latest ? {previousId: latest.id} : {}
  await journal.record(ID, {kind: 'image-tag', id: pulled.id, ...previous, reference: latestOf(image)})
  await host.runtime.tag(image.reference, latestOf(image))
  context.changed(`tag ${image.reference} as ${latestOf(image)}`)
}

async function pull(context: StepContext, image: BaseImage): Promise<ImageInfo> {
  const {config} = context
  const isForThis = buildOfTag(image.reference) === config.hostBuild
  const published = image.reference.replace(config.imageRegistry, MICROSOFT_REGISTRY)
  const other = (build?: number): Error => (isForThis ? noVariant(config, published) : mismatch(config, image, build))
  const pulled = await pullImage(context, ID, image.reference, other)
  if (!pulled) throw broken(context, image, 'nothing, but the image does not exist')
  if (!isOfBuild(config.hostBuild, pulled.osVersion)) throw other(buildOf(pulled.osVersion))
  return pulled
}

/** containerd has no command to run a container but ctr's. */
function broken({config, host: {runtime}}: StepContext, {reference: image}: BaseImage, said: string): Error {
  const {ctr} = config.containerd
  const starts = {
    containerd: `${ctr} -n k8s.io run --rm ${pasted(image)} test`,
    docker: `docker run --rm ${pasted(image)}`,
  }
  const command = `${starts[runtime.name]} cmd /c ver`
  return imageBroken({command, image, runtime: RUNTIME_TITLES[runtime.name], said})
}

async function prove(context: StepContext, image: BaseImage, pulled: ImageInfo): Promise<void> {
  context.progress({text: `running ${image.reference} once`})
  await context.host.runtime.removeProbes()
  const {exitCode, output} = await context.host.runtime.runOnce(image.reference, ['cmd', '/c', 'ver'], context.signal)
  if (OTHER_WINDOWS.test(output)) throw mismatch(context.config, image, buildOf(pulled.osVersion))
  if (exitCode !== 0) throw broken(context, image, output || `exit code ${exitCode}`)
  const digest = pulled.digest === '' ? {} : {digest: pulled.digest}
  const proof = {build: context.config.hostBuild, ...digest, id: pulled.id, image: image.reference} as const
  await context.journal.record(ID, {kind: 'image-proof', ...proof})
  context.changed(`run ${image.reference} once`)
}

const isProven = ({config, journal}: StepContext, {id}: ImageInfo): boolean =>
  isProvenImage(journal, id, config.hostBuild)

function mismatch(config: Node, image: BaseImage, build = buildOfTag(image.reference)): Error {
  const tags = tagsOf(config.hostBuild)
  const tag = (image.flag === 'nanoserver-tag' ? tags?.nanoserver : tags?.servercore) ?? `10.0.${config.hostBuild}`
  return imageMismatch({
    host: String(config.hostBuild),
    image: image.reference,
    imageBuild: build === undefined ? 'another one' : String(build),
    tag: `${tag} (--${image.flag} ${tag})`,
  })
}

const latestOf = (image: BaseImage): string => `${image.repository}:latest`
