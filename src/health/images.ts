// The images a node needs: the base images that fit this Windows, and the pause image of every pod.
import {baseImages, buildOf} from '../components/images.js'
import {PAUSE_IMAGE} from '../config/model.js'
import {imageMissing, imageOutdated} from '../errors/unhealthy-node.js'
import type {ImageStatus} from '../pipeline/run/status-report.js'
import type {StepId} from '../pipeline/run/step.js'
import {byCommand, type FoundProblem, LOCAL_MS, type Probe, type ProbeContext, problemOf} from './probe.js'

export const imagesProbe: Probe<readonly ImageStatus[]> = {
  check: 'image-build',
  deadlineMs: LOCAL_MS,
  async look(context) {
    const {config} = context
    const bases = Object.values(baseImages(config)).map(({reference}) => ({reference, step: 'base-images' as const}))
    const wanted = [...bases, {reference: `${PAUSE_IMAGE}:latest`, step: 'pause-image' as const}]
    const seen = await Promise.all(
      wanted.map(async ({reference, step}) => ({image: await lookAt(context, reference), step})),
    )
    const wrong = seen.filter(({image}) => image.state !== 'present')
    return {
      problems: wrong.map(({image, step}) => unfit(context, step, image)),
      report: seen.map(({image}) => image),
    }
  },
  steps: ['base-images', 'pause-image'],
  what: 'the images',
}

async function lookAt({config, host}: ProbeContext, reference: string): Promise<ImageStatus> {
  const image = await host.docker.image(reference)
  if (!image) return {digest: '', id: '', osVersion: '', reference, state: 'missing'}
  const build = buildOf(image.osVersion)
  const fits = Number.isNaN(build) || build === config.hostBuild
  const {digest, id, osVersion} = image
  return {digest, id, osVersion, reference, state: fits ? 'present' : 'other build'}
}

function unfit(
  {command, config}: ProbeContext,
  step: StepId,
  {osVersion, reference, state}: ImageStatus,
): FoundProblem {
  const isMissing = state === 'missing'
  const cause = isMissing
    ? 'It was removed (docker image prune does that); pods cannot start without it.'
    : 'Windows was updated to another build, or another image was tagged with this name; containers run only on the Windows build that they were made for.'
  const error = isMissing
    ? imageMissing({image: reference})
    : imageOutdated({host: String(config.hostBuild), image: reference, seen: osVersion})
  return problemOf(error, {
    area: 'images',
    cause,
    ...byCommand(command('setup')),
    restsOn: isMissing ? ['end of the run', 'stored values'] : [],
    seen: isMissing ? 'the image does not exist' : `it is for Windows ${osVersion}`,
    steps: [step],
    subject: reference,
    wanted: `an image for Windows build ${config.hostBuild}`,
  })
}
