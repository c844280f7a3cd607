// What the sandbox of a pod needs of Docker: the pause image, built from k8s-win's template on the nanoserver image that was
// proven to fit, and the network of pods with hostNetwork.
import {createHash} from 'node:crypto'
import {
  baseImages,
  buildOf,
  HOST_NETWORK,
  HOST_NETWORK_DRIVER,
  NETWORK_LABEL,
  TEMPLATE_LABEL,
} from '../components/images.js'
import {PAUSE_IMAGE} from '../config/model.js'
import type {ImageInfo} from '../host/runtime.js'
import {drifted, type Finding, inPlace, missing, type Step, type StepContext} from '../pipeline/run/step.js'
import {discardImage, findOurNetwork, ownPauseImage} from '../pipeline/desired/containers/image.js'

const ID = 'pause-image'
const REFERENCE = `${PAUSE_IMAGE}:latest`

export const pauseImage: Step = {
  runtime: 'docker',
  async apply(context) {
    if ((await inspectImage(context)).state !== 'in-place') await build(context)
    await ensureHostNetwork(context)
  },
  deadlineMs: 20 * 60_000,
  id: ID,
  async inspect(context) {
    const image = await inspectImage(context)
    const own = await findOurNetwork(context)
    // A run that was killed right after it created the network did not record its ID.
    const isNoted = context.journal.entries(ID, 'docker-network').some(({id}) => id === own?.id)
    if (own && !isNoted) return drifted(`the ID of the Docker network ${HOST_NETWORK} is not recorded`)
    if (own ?? (await context.host.docker.network(HOST_NETWORK))) return image
    const evidence = `the Docker network ${HOST_NETWORK}, which pods with hostNetwork need, does not exist`
    if (image.state === 'in-place') return drifted(evidence)
    return {...image, evidence: [...image.evidence, evidence]}
  },
  leaves: {
    claims: ['image-tag'],
    async discard(context) {
      if (await ownPauseImage(context)) await discardImage(context, REFERENCE, context.host.docker)
    },
    kind: 'images',
  },
  needs: ['base-images'],
  removal: 'Remove the pause image',
  title: 'Build pause image',
}

async function build(context: StepContext): Promise<void> {
  const {host, journal, signal} = context
  const before = await host.docker.image(REFERENCE)
  const previous = before && !isOurs(before) && !context.config.adopt ? {previousId: before.id} : {}
  const {dockerfile} = await render(context)
  // Recorded before the build, and so without its ID: the label proves that k8s-win built it.
  await journal.record(ID, {kind: 'image-tag', ...previous, reference: REFERENCE})
  context.progress({text: `building ${PAUSE_IMAGE}`})
  // Loaded only here, with the library for archives.
  const {buildContext} = await import('../artifacts/build-context.js')
  await host.docker.build(REFERENCE, buildContext({Dockerfile: dockerfile}), signal)
  context.changed(`build ${PAUSE_IMAGE}`)
}

async function inspectImage(context: StepContext): Promise<Finding> {
  const image = await context.host.docker.image(REFERENCE)
  if (!image) return missing(`the image ${PAUSE_IMAGE} does not exist`)
  const build = buildOf(image.osVersion)
  if (!Number.isNaN(build) && build !== context.config.hostBuild) {
    return drifted(`${PAUSE_IMAGE} is for build ${build} of Windows, this is ${context.config.hostBuild}`)
  }

  // An image without the label was not built by k8s-win, but works: it is used and stays.
  const label = image.labels[TEMPLATE_LABEL]
  if (label === undefined && context.config.adopt) return drifted(`${PAUSE_IMAGE} is not managed by k8s-win yet`)
  const {hash} = await render(context)
  return label === undefined || label === hash
    ? inPlace(`${PAUSE_IMAGE} matches this Windows build`)
    : drifted(`${PAUSE_IMAGE} was built from an older template`)
}

async function ensureHostNetwork(context: StepContext): Promise<void> {
  const {docker} = context.host
  const entry = {kind: 'docker-network', name: HOST_NETWORK} as const
  const own = await findOurNetwork(context)
  if (own) return context.journal.record(ID, {...entry, id: own.id})
  if (await docker.network(HOST_NETWORK)) return
  await context.journal.record(ID, entry)
  const id = await docker.createNetwork(HOST_NETWORK, {driver: HOST_NETWORK_DRIVER, labels: {[NETWORK_LABEL]: 'pods'}})
  await context.journal.record(ID, {...entry, id})
  context.changed(`create the Docker network ${HOST_NETWORK}`)
}

const isOurs = (image: ImageInfo): boolean => image.labels[TEMPLATE_LABEL] !== undefined

async function render(context: StepContext): Promise<{dockerfile: string; hash: string}> {
  const template = await context.host.assets.template('pause/Dockerfile')
  const base = baseImages(context.config).nanoserver.reference
  const hash = createHash('sha256').update(template).update(base).digest('hex').slice(0, 16)
  return {dockerfile: template.replace('{{base}}', base).replace('{{template}}', hash), hash}
}
