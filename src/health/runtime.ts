// The container runtime and its images: the base images for this Windows build, and the image of every pod's sandbox.
// Docker belongs to the user: k8s-win checks it, and never starts or changes it. containerd is installed by setup.
import {sandboxImageOf} from '../components/containerd.js'
import {isOfBuild, runsOn, wantedImages} from '../components/images.js'
import {CONTAINERD, type Decided, DOCKER_SERVICE, type Node, PAUSE_IMAGE, type RuntimeName} from '../config/model.js'
import {containerdAbsent, containerdStopped, dockerLinuxMode, pipeTaken} from '../errors/host.js'
import {K8sWinError} from '../errors/k8s-win-error.js'
import {imageMissing, imageOutdated, runtimeUnready} from '../errors/unhealthy-node.js'
import {whileServiceRuns} from '../host/containerd/failure.js'
import {CRICTL_MS} from '../host/containerd/programs.js'
import {HttpError} from '../machine/http.js'
import type {ImageStatus, RuntimeStatus} from '../pipeline/run/status-report.js'
import type {StepId} from '../pipeline/run/step.js'
import {recogniseHere} from '../pipeline/run/known-failure.js'
import {dockerSilent} from '../preflight/checks/docker-checks.js'
import {recognise} from '../signatures/index.js'
import {type Check, check} from '../preflight/check.js'
import type {Facts} from '../preflight/facts.js'
import {explainedBy, LOCAL_MS, problemOf} from './run-reporting-check.js'

const DENIED = new Set(['EACCES', 'EPERM'])
/** Steps that query Docker, and would only report the same. */
const STEPS = ['docker', 'base-images', 'pause-image'] as const

const dockerRuntimeCheck = check<RuntimeStatus, Node>(
  'docker',
  {on: 'node', part: 'runtime', steps: STEPS, title: 'Docker', what: 'Docker'},
  async ({config: {dockerPipe}, host: {docker, services}}) => {
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
)

/** Steps that query containerd, and would only report the same. */
const CONTAINERD_STEPS = ['containerd-service', 'base-images', 'sandbox-image'] as const

/** Others, such as those about deprecated settings, are advice (containerd internal/cri/server/status.go). */
const REQUIRED: ReadonlySet<string> = new Set(['RuntimeReady', 'NetworkReady'])

/** Its service is one of the daemons: what is wrong with that is reported there. */
export const containerdRuntimeCheck = check<RuntimeStatus, Node>(
  'node-runtime',
  {
    cost: 'process',
    deadlineMs: CRICTL_MS + LOCAL_MS,
    healthy: 'running, ready for pods and their network',
    on: 'node',
    part: 'runtime',
    steps: CONTAINERD_STEPS,
    title: 'containerd',
    what: 'containerd',
  },
  async ({config, host: {containerd, files, os, services}}) => {
    const service = (await services.status(config.containerd.service))?.state
    const report = {apiVersion: '', mode: '', name: CONTAINERD, service: service ?? 'absent', version: ''} as const
    const about = {area: 'runtime', subject: CONTAINERD} as const
    try {
      const [{os: mode, version}, {conditions}] = await Promise.all([
        containerd.version(CRICTL_MS),
        containerd.info(CRICTL_MS),
      ])
      const unmet = conditions.filter(({isMet, type}) => !isMet && REQUIRED.has(type))
      const problems = await Promise.all(
        unmet.map(async ({message, type: condition}) =>
          problemOf(runtimeUnready({condition, said: message || 'nothing'}), {
            ...about,
            ...explainedBy(await recogniseHere(files, config, message, CONTAINERD)),
            // Pods get their network at the end of setup.
            restsOn: ['end of the run'],
            subject: condition,
          }),
        ),
      )
      return {
        problems,
        report: {...report, mode, running: true, version},
        message: `containerd ${version} is ready for pods and their network`,
      }
    } catch (error) {
      if (!(error instanceof K8sWinError)) throw error
      const isRunning = service === 'running'
      // An account that may not open the pipe knows nothing about containerd.
      if (isRunning && containerdStopped.is(error) && !(await os.isAdministrator())) throw error
      const wanted = `containerd responds on ${config.containerd.pipe}`
      // Of a pipe that does not exist it is known that containerd is to be started, which its service is already.
      const known = explainedBy(
        isRunning && !containerdStopped.is(error) ? recognise(error.reason, CONTAINERD) : undefined,
      )
      // Programs and services that are gone are expected in an unfinished run; another program on the pipe is not.
      const restsOn = pipeTaken.is(error) ? [] : (['end of the run'] as const)
      const steps = containerdAbsent.is(error)
        ? (['containerd-binaries', ...CONTAINERD_STEPS] as const)
        : CONTAINERD_STEPS
      const silent = isRunning ? whileServiceRuns(error) : error
      const problem = problemOf(silent, {...about, ...known, restsOn, steps, wanted})
      return {problems: [problem], report: {...report, running: false}}
    }
  },
)

const OF_RUNTIME = {
  containerd: {
    cost: 'process',
    deadlineMs: CRICTL_MS,
    /** What a missing image means. */
    missing: {
      cause:
        'It was removed (the kubelet removes unused images from a drive that is 85 % full); pods that need it wait for its pull.',
    },
    check: containerdRuntimeCheck,
    sandbox: 'sandbox-image',
    sandboxOf: sandboxImageOf,
  },
  docker: {
    cost: 'cheap',
    deadlineMs: LOCAL_MS,
    missing: {},
    check: dockerRuntimeCheck,
    sandbox: 'pause-image',
    sandboxOf: () => `${PAUSE_IMAGE}:latest`,
  },
} as const satisfies Readonly<Record<RuntimeName, object>>

export const runtimeCheck = ({runtime}: Pick<Decided, 'runtime'>): Check<RuntimeStatus, Node> =>
  OF_RUNTIME[runtime].check

export function imagesCheck({runtime}: Pick<Decided, 'runtime'>): Check<readonly ImageStatus[], Node> {
  const {cost, deadlineMs, missing, sandbox, sandboxOf} = OF_RUNTIME[runtime]
  const about = {
    cost,
    deadlineMs,
    healthy: 'present, for this Windows build',
    on: 'node',
    part: 'images',
    steps: ['base-images', sandbox],
    title: 'Images',
    what: 'the images',
  } as const
  return check<readonly ImageStatus[], Node>('image-build', about, async (context) => {
    const {config} = context
    const bases = wantedImages(config).map(({reference}) => ({reference, step: 'base-images'}) as const)
    const wanted = [...bases, {reference: sandboxOf(config), step: sandbox}]
    const report = await Promise.all(wanted.map((image) => statusOf(context, image)))
    const problems = report.flatMap(({osVersion: seen, reference: image, state}, index) => {
      const about = {area: 'images', steps: wanted[index] ? [wanted[index].step] : [], subject: image} as const
      const host = String(config.hostBuild)
      if (state === 'present') return []
      if (state === 'other build') return [problemOf(imageOutdated({host, image, seen}), about)]
      const restsOn = ['end of the run', 'stored values'] as const
      return [problemOf(imageMissing({host, image}), {...about, ...missing, restsOn})]
    })
    return {problems, report}
  })
}

async function statusOf(
  {config, host}: Facts<Node>,
  {reference, step}: {reference: string; step: StepId},
): Promise<ImageStatus> {
  const image = await host.runtime.image(reference)
  if (!image) return {digest: '', id: '', osVersion: '', reference, state: 'missing'}
  const isForThis = (step === 'sandbox-image' ? runsOn : isOfBuild)(config.hostBuild, image.osVersion)
  const {digest, id, osVersion} = image
  return {digest, id, osVersion, reference, state: isForThis ? 'present' : 'other build'}
}
