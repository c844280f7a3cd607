// The images of a node: the base images for this Windows build, and the pause image of every pod.
import {baseImages, buildOf} from '../components/images.js'
import {PAUSE_IMAGE} from '../config/model.js'
import {imageMissing, imageOutdated} from '../errors/unhealthy-node.js'
import type {ImageStatus} from '../pipeline/run/status-report.js'
import {LOCAL_MS, type Probe, type ProbeContext, problemOf} from './probe.js'

export const imagesProbe: Probe<readonly ImageStatus[]> = {
  check: 'image-build',
  deadlineMs: LOCAL_MS,
  async look(context) {
    const {config} = context
    const bases = Object.values(baseImages(config)).map(({reference}) => ({reference, step: 'base-images' as const}))
    const wanted = [...bases, {reference: `${PAUSE_IMAGE}:latest`, step: 'pause-image' as const}]
    const report = await Promise.all(wanted.map(({reference}) => statusOf(context, reference)))
    const problems = report.flatMap(({osVersion: seen, reference: image, state}, index) => {
      const about = {area: 'images', steps: wanted[index] ? [wanted[index].step] : [], subject: image} as const
      const host = String(config.hostBuild)
      if (state === 'present') return []
      if (state === 'other build') return [problemOf(imageOutdated({host, image, seen}), about)]
      return [problemOf(imageMissing({host, image}), {...about, restsOn: ['end of the run', 'stored values']})]
    })
    return {problems, report}
  },
  steps: ['base-images', 'pause-image'],
  what: 'the images',
}

async function statusOf({config, host}: ProbeContext, reference: string): Promise<ImageStatus> {
  const image = await host.docker.image(reference)
  if (!image) return {digest: '', id: '', osVersion: '', reference, state: 'missing'}
  const build = buildOf(image.osVersion)
  const isForThis = Number.isNaN(build) || build === config.hostBuild
  const {digest, id, osVersion} = image
  return {digest, id, osVersion, reference, state: isForThis ? 'present' : 'other build'}
}
