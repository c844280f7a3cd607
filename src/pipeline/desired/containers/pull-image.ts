// Pulls an image, with patience: a registry that cannot now, or a connection that broke, is tried again.
import {MICROSOFT_REGISTRY} from '../../../components/containerd.js'
import type {Node} from '../../../config/model.js'
import {imageMismatch, pullCancelled, pullFailed} from '../../../errors/downloads-and-images.js'
import {K8sWinError} from '../../../errors/k8s-win-error.js'
import {hasNoVariant, type ImageInfo, isMissing, isPassing, type PullProgress} from '../../../host/runtime.js'
import {type Attempt, withRetries} from '../../../machine/retry.js'
import type {Progress, StepContext, StepId} from '../../run/step.js'
import {warnOfStalls} from '../stalled-transfer.js'

/** The image afterwards. `mismatch`: the error where its list has no image for this Windows. */
export async function pullImage(
  context: StepContext,
  step: StepId,
  reference: string,
  mismatch: () => Error,
): Promise<ImageInfo | undefined> {
  const {runtime} = context.host
  const transfer = {from: reference.slice(0, reference.indexOf('/')), what: `pulling ${reference}`}
  await context.journal.record(step, {kind: 'image-pull', reference})
  context.progress({text: `pulling ${reference}`})
  try {
    await warnOfStalls(context, transfer, (note) => {
      const onProgress = (progress: PullProgress): void => {
        note(progress.extracting ? undefined : progress.bytes)
        context.progress(shown(reference, progress))
      }
      return patiently(context, reference, () => runtime.pull(reference, onProgress, context.signal))
    })
  } catch (error) {
    // The runtime itself looks for the host's build in the image's list, and says so in words of its own.
    if (!(error instanceof K8sWinError)) throw error
    if (hasNoVariant(error.reason)) throw mismatch()
    if (pullFailed.is(error) && isMissing(error.reason)) throw error.with({fix: missingAt(context.config, reference)})
    throw error
  }

  context.changed(`pull ${reference}`)
  return runtime.image(reference)
}

const shown = (reference: string, {bytes: current, extracting, total}: PullProgress): Progress => ({
  ...(current !== undefined && {current}),
  text: `${extracting ? 'extracting' : 'pulling'} ${reference}`,
  ...(total !== undefined && {total}),
})

/** The tag is the one for this Windows, so what answered has an incomplete copy of the published image. */
export function noVariant({hostBuild, imageRegistry}: Node, published: string): K8sWinError {
  const path = published.slice(published.indexOf('/') + 1)
  const all = 'with the variants of all Windows versions'
  const isMirrored = imageRegistry !== MICROSOFT_REGISTRY
  const image = isMirrored ? `${imageRegistry}/${path}` : published
  return imageMismatch({host: String(hostBuild), image, imageBuild: 'other builds', tag: ''}).with({
    cause: `This Windows is build ${hostBuild}, and the registry has the image for other builds only.`,
    fix: isMirrored
      ? `Copy ${published} ${all} to ${image}, and run the same command again.`
      : `Pass a registry that has ${path} ${all} to --image-registry.`,
  })
}

/** Where the registry responded, so that neither the network nor a proxy is to blame. */
function missingAt({imageRegistry}: Node, reference: string): string {
  const own = `${imageRegistry}/`
  const path = reference.startsWith(own) ? reference.slice(own.length) : reference.slice(reference.indexOf('/') + 1)
  if (imageRegistry === MICROSOFT_REGISTRY) {
    const registry = reference.slice(0, reference.indexOf('/'))
    return `Check the tag: ${registry} responded that it does not have ${path}. Or pass a registry that has it to --image-registry.`
  }
  const published = reference.startsWith(own) ? `${MICROSOFT_REGISTRY}/${path}` : reference
  return `Copy ${published} to ${own}${path}, which is missing in the registry, and run the same command again.`
}

function patiently({host, progress, signal}: StepContext, reference: string, pull: () => Promise<void>): Promise<void> {
  const onRetry = ({pauseMs, why}: {pauseMs: number; why: string}): void =>
    progress({text: `pulling ${reference} again in ${pauseMs / 1000} s (${why})`})
  let wasCancelled = false
  return withRetries({clock: host.clock, onRetry, signals: [signal]}, async (): Promise<Attempt<void>> => {
    try {
      await pull()
      return {end: () => {}}
    } catch (error) {
      const end = (): never => {
        throw error
      }
      const isAgain = pullCancelled.is(error) && wasCancelled
      wasCancelled ||= pullCancelled.is(error)
      return {end, ...(mayPass(error) && !isAgain && {retry: {why: error.reason}})}
    }
  })
}

/**
 * The layers of a cancelled pull that are already there are not downloaded again. It is tried once more only: containerd
 * has waited for half an hour (components/containerd.ts).
 */
const mayPass = (error: unknown): error is K8sWinError =>
  error instanceof K8sWinError && (pullCancelled.is(error) || (pullFailed.is(error) && isPassing(error.reason)))
