// Docker and its images: the base images for this Windows build, and the pause image of every pod. Docker belongs to the
// user: k8s-win checks it, and never starts or changes it.
import {buildOf, wantedImages} from '../components/images.js'
import {PAUSE_IMAGE} from '../config/model.js'
import {dockerLinuxMode} from '../errors/host.js'
import {K8sWinError} from '../errors/k8s-win-error.js'
import {imageMissing, imageOutdated} from '../errors/unhealthy-node.js'
import {HttpError} from '../machine/http.js'
import type {ImageStatus, RuntimeStatus} from '../pipeline/run/status-report.js'
import {DOCKER_SERVICE, dockerSilent} from '../preflight/docker-checks.js'
import {recognise} from '../signatures/index.js'
import {explainedBy, LOCAL_MS, type Probe, type ProbeContext, problemOf} from './probe.js'

const DENIED = new Set(['EACCES', 'EPERM'])
/** Steps that query Docker, and would only report the same. */
const STEPS = ['docker', 'base-images', 'pause-image'] as const

export const runtimeProbe: Probe<RuntimeStatus> = {
  check: 'docker',
  deadlineMs: LOCAL_MS,
  async look({config: {dockerPipe}, host: {docker, services}}) {
    const service = (await services.status(DOCKER_SERVICE))?.state
    const report = {apiVersion: '', mode: '', name: DOCKER_SERVICE, service: service ?? 'absent', version: ''} as const
    const about = {area: 'runtime', subject: DOCKER_SERVICE} as const
    try {
      const {apiVersion, os, version} = await docker.version()
      const wanted = 'Windows containers'
      const problems = os === 'windows' ? [] : [problemOf(dockerLinuxMode({os}), {...about, steps: ['docker'], wanted})]
      return {problems, report: {...report, apiVersion, mode: os, running: true, version}}
    } catch (error) {
      // An account that may not open the pipe knows nothing about Docker.
      if (error instanceof HttpError ? DENIED.has(error.code) : !(error instanceof K8sWinError)) throw error
      const silent = dockerSilent(dockerPipe, service, error as Error)
      const known = service === 'running' ? recognise(silent.reason, 'docker') : undefined
      const wanted = `the Docker Engine responds on ${dockerPipe}`
      const problem = problemOf(silent, {...about, ...explainedBy(known), steps: STEPS, wanted})
      return {problems: [problem], report: {...report, running: false}}
    }
  },
  steps: STEPS,
  what: 'Docker',
}

export const imagesProbe: Probe<readonly ImageStatus[]> = {
  check: 'image-build',
  deadlineMs: LOCAL_MS,
  async look(context) {
    const {config} = context
    const bases = wantedImages(config).map(({reference}) => ({reference, step: 'base-images' as const}))
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
  const image = await host.runtime.image(reference)
  if (!image) return {digest: '', id: '', osVersion: '', reference, state: 'missing'}
  const build = buildOf(image.osVersion)
  const isForThis = Number.isNaN(build) || build === config.hostBuild
  const {digest, id, osVersion} = image
  return {digest, id, osVersion, reference, state: isForThis ? 'present' : 'other build'}
}
