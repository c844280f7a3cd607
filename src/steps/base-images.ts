// The base images: pulled if absent, run once to prove that they fit this Windows, tagged latest.
import {type BaseImage, buildOf, buildOfTag, tagsOf, wantedImages} from '../components/images.js'
import type {NodeConfig} from '../config/model.js'
import {imageBroken, imageMismatch, pullCancelled, pullFailed} from '../errors/bytes.js'
import {K8sWinError} from '../errors/k8s-win-error.js'
import {hasNoVariant, type ImageInfo, isPassing, type PullProgress, RUNTIME_TITLES} from '../host/runtime.js'
import {type Attempt, withRetries} from '../machine/retry.js'
import {drifted, type Finding, inPlace, missing, type Step, type StepContext} from '../pipeline/run/step.js'
import {discardImage} from '../pipeline/ledger/kinds/image.js'
import {isProvenImage} from '../pipeline/ledger/memo.js'
import {removes} from '../pipeline/ledger/kinds/index.js'

const ID = 'base-images'
/** Docker adds the code of HCS, containerd's shim only the sentence of Windows (hcsshim internal/hcs/errors.go). */
const OTHER_WINDOWS = /0xc0370101|container operating system does not match the host operating system/i

export const baseImagesStep: Step = {
  async apply(context) {
    for (const image of wantedImages(context.config)) await provide(context, image)
  },
  deadlineMs: 90 * 60_000,
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
  needs: ['base-dir', 'docker'],
  remove: removes(ID),
  title: 'Pull base images',
}

async function lacking(context: StepContext, image: BaseImage): Promise<string[]> {
  const {runtime} = context.host
  const pulled = await runtime.image(image.reference)
  if (!pulled) return [`${image.reference} does not exist`]
  const latest = await runtime.image(latestOf(image))
  return [
    ...(isProven(context, pulled) ? [] : [`${image.reference} has not been run on this host yet`]),
    ...(latest?.id === pulled.id ? [] : [`${latestOf(image)} is another image`]),
  ]
}

async function provide(context: StepContext, image: BaseImage): Promise<void> {
  const {host, journal} = context
  const pulled = (await host.runtime.image(image.reference)) ?? (await pull(context, image))
  demandBuild(context.config, image, pulled)
  if (!isProven(context, pulled)) await prove(context, image, pulled)
  const latest = await host.runtime.image(latestOf(image))
  if (latest?.id === pulled.id) return
  const previous = latest ? {previousId: latest.id} : {}
  await journal.record(ID, {kind: 'image-tag', id: pulled.id, ...previous, reference: latestOf(image)})
  await host.runtime.tag(image.reference, latestOf(image))
  context.changed(`tag ${image.reference} as ${latestOf(image)}`)
}

async function pull(context: StepContext, image: BaseImage): Promise<ImageInfo> {
  const {runtime} = context.host
  const onProgress = (progress: PullProgress): void => context.progress(shown(image, progress))
  await context.journal.record(ID, {kind: 'image-pull', reference: image.reference})
  try {
    await patiently(context, image, () => runtime.pull(image.reference, onProgress, context.signal))
  } catch (error) {
    // The runtime itself looks for the host's build in the image's list, and says so in words of its own.
    if (error instanceof K8sWinError && hasNoVariant(error.reason)) throw mismatch(context.config, image)
    throw error
  }

  context.changed(`pull ${image.reference}`)
  const pulled = await runtime.image(image.reference)
  if (!pulled) throw broken(context, image, 'nothing, but the image does not exist')
  return pulled
}

function shown({reference}: BaseImage, progress: PullProgress): Parameters<StepContext['progress']>[0] {
  if ('elapsedMs' in progress) return {text: `pulling ${reference} (${Math.round(progress.elapsedMs / 1000)} s so far)`}
  const {bytes: current, extracting, total} = progress
  return {current, text: `${extracting ? 'extracting' : 'pulling'} ${reference}`, total}
}

/** containerd has no command to run a container but ctr's. */
function broken({host: {runtime}}: StepContext, {reference: image}: BaseImage, said: string): Error {
  const starts = {containerd: `ctr -n k8s.io run --rm ${image} test`, docker: `docker run --rm ${image}`}
  const command = `${starts[runtime.name]} cmd /c ver`
  return imageBroken({command, image, runtime: RUNTIME_TITLES[runtime.name], said})
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
      return {end, ...(mayPass(error) && {retry: {why: error.reason}})}
    }
  })
}

/** The layers of a cancelled pull that are already there are not downloaded again. */
const mayPass = (error: unknown): error is K8sWinError =>
  error instanceof K8sWinError && (pullCancelled.is(error) || (pullFailed.is(error) && isPassing(error.reason)))

/** The patch level may differ; only the build must be the same. */
function demandBuild(config: NodeConfig, image: BaseImage, pulled: ImageInfo): void {
  const build = buildOf(pulled.osVersion)
  if (Number.isNaN(build) || build === config.hostBuild) return
  throw mismatch(config, image, build)
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
