// What k8s-win has in the container runtime: base images that it pulled and tags; and in Docker the pause image, and the
// network of pods with hostNetwork.
import {sandboxImageOf} from '../../../components/containerd.js'
import {HOST_NETWORK, NETWORK_LABEL, tagsOf, TEMPLATE_LABEL} from '../../../components/images.js'
import {PAUSE_IMAGE} from '../../../config/model.js'
import type {DockerNetwork} from '../../../host/docker/containers.js'
import type {ContainerRuntime, ImageInfo} from '../../../host/runtime.js'
import type {StepContext} from '../../run/step.js'
import type {Kind, Search} from '../../ledger/kind.js'
import type {Journal} from '../../ledger/journal.js'

const PAUSE = `${PAUSE_IMAGE}:latest`
const NETWORK_ID = /^[\da-f]{64}$/
const ID = /^sha256:[\da-f]{64}$/
/** No character with a meaning in a URL. */
const BASE_IMAGE = /^[\w.:-]+(?:\/[\w.-]+)*\/windows\/(?:nanoserver|servercore):\w[\w.-]{0,127}$/

export const isImageId = (id: unknown): boolean => typeof id === 'string' && ID.test(id)
export const isBaseImage = (reference: unknown): reference is string =>
  typeof reference === 'string' && BASE_IMAGE.test(reference) && !reference.includes('..')

/** Another version of k8s-win may have used another one. */
const SANDBOX_IMAGE = /^registry\.k8s\.io\/pause:\d[\d.]{0,15}$/

export const imagePull: Kind = {
  accepts: ({reference}, step, {containerd}) =>
    step === 'sandbox-image'
      ? typeof reference === 'string' && (reference === containerd.sandboxImage || SANDBOX_IMAGE.test(reference))
      : isBaseImage(reference),
  steps: ['base-images', 'sandbox-image'],
}

export const imageTag: Kind = {
  accepts: ({id, previousId, reference}, step) =>
    (step === 'pause-image' ? reference === PAUSE : isBaseImage(reference) && reference.endsWith(':latest')) &&
    [id, previousId].every((one) => one === undefined || isImageId(one)),
  async remove(context, step) {
    if (step === 'base-images') await restoreTags(context)
    if (step === 'pause-image') await restorePauseName(context)
  },
  steps: ['base-images', 'pause-image'],
}

export const dockerNetwork: Kind = {
  accepts: ({id, name}) =>
    name === HOST_NETWORK && (id === undefined || (typeof id === 'string' && NETWORK_ID.test(id))),
  async remove(context, step) {
    if (context.journal.entries(step, 'docker-network').length === 0 || !(await findOurNetwork(context))) return
    await context.host.docker.removeNetwork(HOST_NETWORK)
    context.changed(`remove the Docker network ${HOST_NETWORK}`)
  },
  steps: ['pause-image'],
}

async function restoreTags({changed, host, journal}: StepContext): Promise<void> {
  const {runtime} = host
  // Without a pulled image the runtime need not be running.
  if (!journal.all().some(({step}) => step === 'base-images')) return
  await runtime.removeProbes()
  for (const {id, previousId, reference} of journal.entries('base-images', 'image-tag')) {
    const current = (await runtime.image(reference))?.id
    if (current !== undefined && current !== id) continue
    const isBack = previousId !== undefined && (await runtime.image(previousId)) !== undefined
    // ctr removes a name before it gives it to another image: a run that was killed in between has left none.
    if (current === undefined && !isBack) continue
    await (isBack ? runtime.tag(previousId, reference) : runtime.removeTag(reference))
    changed(isBack ? `restore ${reference}` : `remove the tag ${reference}`)
  }
}

async function restorePauseName(context: StepContext): Promise<void> {
  const {docker} = context.host
  const entries = context.journal.entries('pause-image', 'image-tag')
  const previous = entries.find((entry) => entry.previousId !== undefined)?.previousId
  // One that replaced no other image stays as the base images do.
  if (previous === undefined || !(await docker.image(previous))) return
  const own = await ownPauseImage(context)
  if (!own) return
  // In this order the name always has an image, wherever a run is killed.
  await docker.tag(previous, PAUSE)
  await docker.removeImage(own.id)
  context.changed(`restore ${PAUSE}`)
}

export async function ownPauseImage({host, journal}: StepContext): Promise<ImageInfo | undefined> {
  if (journal.entries('pause-image', 'image-tag').length === 0) return undefined
  const image = await host.docker.image(PAUSE)
  return image?.labels[TEMPLATE_LABEL] === undefined ? undefined : image
}

export async function findInDocker({claim, config, host, isNamed, leave}: Search): Promise<void> {
  if (config.runtime !== 'docker') return
  if ((await host.docker.network(HOST_NETWORK))?.labels[NETWORK_LABEL] !== undefined)
    claim('pause-image', {kind: 'docker-network', name: HOST_NETWORK})
  const image = await host.docker.image(PAUSE)
  if (image?.labels[TEMPLATE_LABEL] === undefined || isNamed({kind: 'image-tag', reference: PAUSE})) return
  claim('pause-image', {kind: 'image-tag', reference: PAUSE})
  leave(`the name ${PAUSE}, which may have belonged to another image before setup, is not restored`)
}

export async function reportImages({config, host, isNamed, leave}: Search): Promise<void> {
  const tags = tagsOf((await host.os.version())?.build ?? 0)
  const asked = {nanoserver: config.nanoserverTag, servercore: config.servercoreTag}
  const there = new Set<string>()
  const sandbox = {kind: 'image-pull', reference: sandboxImageOf(config)} as const
  const isPulled = config.runtime === 'containerd' && !isNamed(sandbox)
  if (isPulled && (await host.runtime.image(sandbox.reference))) there.add(sandbox.reference)
  for (const name of ['nanoserver', 'servercore'] as const) {
    const repository = `${config.imageRegistry}/windows/${name}`
    for (const entry of [
      {kind: 'image-pull', reference: `${repository}:${asked[name] ?? tags?.[name] ?? 'latest'}`},
      {kind: 'image-tag', reference: `${repository}:latest`},
    ] as const) {
      const {reference} = entry
      if (!isNamed(entry) && !there.has(reference) && (await host.runtime.image(reference))) there.add(reference)
    }
  }

  if (there.size === 0) return
  leave(`the images ${[...there].join(', ')}, because it is unknown whether they had these names before setup`)
}

/**
 * By its label, or by its ID: dockerd before 27.5 recreates the networks that it finds in HNS when it starts, with
 * their IDs and without their labels (moby daemon/daemon_windows.go, initNetworkController).
 */
export async function findOurNetwork({
  host,
  journal,
}: Pick<StepContext, 'host' | 'journal'>): Promise<DockerNetwork | undefined> {
  const network = await host.docker.network(HOST_NETWORK)
  const isNoted = journal
    .entries('pause-image', 'docker-network')
    .some(({id}) => id !== undefined && id === network?.id)
  return network?.labels[NETWORK_LABEL] !== undefined || isNoted ? network : undefined
}

/** With --purge. An image that a container uses is kept. */
export async function discardImage(
  context: StepContext,
  reference: string,
  runtime: ContainerRuntime = context.host.runtime,
): Promise<void> {
  if (!(await runtime.image(reference))) return
  const inUse = await runtime.removeImage(reference)
  if (inUse === undefined) context.changed(`remove the image ${reference}`)
  else context.warn(`the image ${reference} is kept because it is in use: ${inUse}`)
}

export const imageProof: Kind = {
  accepts: ({build, digest, id, image}) =>
    typeof build === 'number' && isImageId(id) && isBaseImage(image) && (digest === undefined || isImageId(digest)),
  steps: ['base-images'],
}

export const isProvenImage = (journal: Pick<Journal, 'entries'>, image: string, hostBuild: number): boolean =>
  journal.entries('base-images', 'image-proof').some(({build, id}) => id === image && build === hostBuild)
