// The container runtime. Docker belongs to the user: k8s-win checks it, and never starts or changes it.
import {dockerLinuxMode} from '../errors/host.js'
import {K8sWinError} from '../errors/k8s-win-error.js'
import {HttpError} from '../machine/http.js'
import type {RuntimeStatus} from '../pipeline/run/status-report.js'
import {DOCKER_SERVICE, dockerSilent} from '../preflight/docker-checks.js'
import {recognise} from '../signatures/index.js'
import {explainedBy, LOCAL_MS, type Probe, problemOf} from './probe.js'

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
