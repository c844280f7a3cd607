// The base images: pulled if absent, run once to prove that they fit this Windows, tagged latest.
import {type BaseImage, baseImages, buildOf, buildOfTag, tagsOf} from '../components/images.js'
import type {NodeConfig} from '../config/model.js'
import {imageBroken, imageMismatch, pullFailed} from '../errors/bytes.js'
import {K8sWinError} from '../errors/k8s-win-error.js'
import type {ImageInfo} from '../host/docker/docker.js'
import {isPassing} from '../host/docker/api.js'
import {type Attempt, withRetries} from '../machine/retry.js'
import {drifted, type Finding, inPlace, missing, type Step, type StepContext} from '../pipeline/run/step.js'
import {discardImage} from '../pipeline/ledger/kinds/image.js'
import {isProvenImage} from '../pipeline/ledger/memo.js'
import {removes} from '../pipeline/ledger/kinds/index.js'

const ID = 'base-images'

export const baseImagesStep: Step = {
  async apply(context) {
    const {nanoserver, servercore} = baseImages(context.config)
    await provide(context, nanoserver)
    await provide(context, servercore)
  },
  deadlineMs: 90 * 60_000,
  id: ID,
  async inspect(context): Promise<Finding> {
    const images = Object.values(baseImages(context.config))
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
  needs: ['base-dir', 'docker'],
  remove: removes(ID),
  title: 'Pull base images',
}

async function lacking(context: StepContext, image: BaseImage): Promise<string[]> {
  const {docker} = context.host
  const pulled = await docker.image(image.reference)
  if (!pulled) return [`${image.reference} does not exist`]
  const latest = await docker.image(latestOf(image))
  return [
    ...(isProven(context, pulled) ? [] : [`${image.reference} has not been run on this host yet`]),
    ...(latest?.id === pulled.id ? [] : [`${latestOf(image)} is another image`]),
  ]
}

async function provide(context: StepContext, image: BaseImage): Promise<void> {
  const {host, journal} = context
  const pulled = (await host.docker.image(image.reference)) ?? (await pull(context, image))
  demandBuild(context.config, image, pulled)
  if (!isProven(context, pulled)) await prove(context, image, pulled)
  const latest = await host.docker.image(latestOf(image))
  if (latest?.id === pulled.id) return
  const previous = latest ? {previousId: latest.id} : {}
  await journal.record(ID, {kind: 'image-tag', id: pulled.id, ...previous, reference: latestOf(image)})
  await host.docker.tag(image.reference, latestOf(image))
  context.changed(`tag ${image.reference} as ${latestOf(image)}`)
}

async function pull(context: StepContext, image: BaseImage): Promise<ImageInfo> {
  const {docker} = context.host
  const onProgress = (progress: {bytes: number; extracting: boolean; total: number}): void =>
    context.progress({
      current: progress.bytes,
      text: `${progress.extracting ? 'extracting' : 'pulling'} ${image.reference}`,
      total: progress.total,
    })
  await context.journal.record(ID, {kind: 'image-pull', reference: image.reference})
  try {
    await patiently(context, image, () => docker.pull(image.reference, onProgress, context.signal))
  } catch (error) {
    // Docker itself looks for the host's build in the image's list, and says so in words of its own.
    if (error instanceof K8sWinError && error.reason.includes('no matching manifest'))
      throw mismatch(context.config, image)
    throw error
  }

  context.changed(`pull ${image.reference}`)
  const pulled = await docker.image(image.reference)
  if (!pulled) throw imageBroken({image: image.reference, said: 'nothing, but the image does not exist'})
  return pulled
}

/** A registry that cannot now, or a connection that broke, is tried again. */
function patiently(
  {host, progress, signal}: StepContext,
  {reference}: BaseImage,
  pull: () => Promise<void>,
): Promise<void> {
  const onRetry = ({pauseMs, why}: {pauseMs: number; why: string}): void =>
    progress({text: `pulling ${reference} again in ${pauseMs / 1000} s (${why})`})
  return withRetries({clock: host.clock, onRetry, signals: [signal]}, async (): Promise<Attempt<void>> => {
    try {
      await pull()
      return {end: () => {}}
    } catch (error) {
      const end = (): never => {
        throw error
      }
      const isWorthIt = error instanceof K8sWinError && error.id === pullFailed.id && isPassing(error.reason)
      return {end, ...(isWorthIt && {retry: {why: error.reason}})}
    }
  })
}

/** The patch level may differ; only the build must be the same. */
function demandBuild(config: NodeConfig, image: BaseImage, pulled: ImageInfo): void {
  const build = buildOf(pulled.osVersion)
  if (Number.isNaN(build) || build === config.hostBuild) return
  throw mismatch(config, image, build)
}

async function prove(context: StepContext, image: BaseImage, pulled: ImageInfo): Promise<void> {
  context.progress({text: `running ${image.reference} once`})
  await context.host.docker.removeProbes()
  const {exitCode, output} = await context.host.docker.runOnce(image.reference, ['cmd', '/c', 'ver'], context.signal)
  if (output.includes('0xc0370101')) throw mismatch(context.config, image, buildOf(pulled.osVersion))
  if (exitCode !== 0) throw imageBroken({image: image.reference, said: output || `exit code ${exitCode}`})
  const digest = pulled.digest === '' ? {} : {digest: pulled.digest}
  const proof = {build: context.config.hostBuild, ...digest, id: pulled.id, image: image.reference} as const
  await context.journal.record(ID, {kind: 'image-proof', ...proof})
  context.changed(`run ${image.reference} once`)
}

const isProven = ({config, journal}: StepContext, {id}: ImageInfo): boolean =>
  isProvenImage(journal, id, config.hostBuild)

function mismatch(config: NodeConfig, image: BaseImage, build = buildOfTag(image.reference)): Error {
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
