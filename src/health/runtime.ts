// Docker: does it run, and which containers. It is the user's: we look, and never start or change it.
import {HttpError} from '../machine/http.js'
import {K8sWinError} from '../errors/k8s-win-error.js'
import {dockerAbsent, dockerLinuxMode, dockerStopped} from '../errors/host.js'
import type {RuntimeStatus} from '../pipeline/run/status-report.js'
import {recognise} from '../signatures/index.js'
import {byCommand, type FoundProblem, LOCAL_MS, type Probe, type ProbeContext, problemOf} from './probe.js'

const SERVICE = 'docker'
const DENIED = new Set(['EACCES', 'EPERM'])
/** They ask Docker, and would only say the same. */
const STEPS = ['docker', 'base-images', 'pause-image'] as const

export const runtimeProbe: Probe<RuntimeStatus> = {
  check: 'docker',
  deadlineMs: LOCAL_MS,
  async look(context) {
    const {docker, services} = context.host
    const service = (await services.status(SERVICE))?.state ?? 'absent'
    try {
      const {apiVersion, os, version} = await docker.version()
      const report = {apiVersion, mode: os, name: SERVICE, running: true, service, version} as const
      return {problems: os === 'windows' ? [] : [linuxMode(os)], report}
    } catch (error) {
      // Who may not open its pipe knows nothing of it.
      if (error instanceof HttpError ? DENIED.has(error.code) : !(error instanceof K8sWinError)) throw error
      const report = {apiVersion: '', mode: '', name: SERVICE, running: false, service, version: ''} as const
      return {problems: [silent(context, service, error as Error)], report}
    }
  },
  steps: STEPS,
  what: 'Docker',
}

function silent({config}: ProbeContext, service: RuntimeStatus['service'], error: Error): FoundProblem {
  const why = error instanceof K8sWinError ? error.reason : error.message
  const known = recognise(why, 'docker')
  const isDown = service !== 'running'
  const {dockerPipe: pipe} = config
  const catalogued = service === 'absent' ? dockerAbsent({pipe}) : dockerStopped({pipe, reason: why})
  const cause = isDown
    ? 'Its service is not running. The kubelet exits without Docker and is restarted until Docker responds.'
    : `Its service is running, but nothing responds on ${config.dockerPipe}: it hangs, is still starting, or listens elsewhere.`
  const start =
    'net start docker, then check again; events of the source docker in the Application log show why it stopped'
  return problemOf(catalogued, {
    area: 'runtime',
    ...(service !== 'absent' && isDown && {command: 'net start docker'}),
    cause: isDown ? cause : (known?.cause ?? cause),
    next: service === 'absent' ? catalogued.fix : isDown ? start : (known?.fix ?? 'net stop docker, net start docker'),
    seen: `the service is ${service}; ${why}`,
    ...(!isDown && known && {signature: known.id}),
    steps: STEPS,
    subject: SERVICE,
    wanted: `the Docker Engine responds on ${config.dockerPipe}`,
  })
}

const linuxMode = (os: string): FoundProblem =>
  problemOf(dockerLinuxMode({os}), {
    area: 'runtime',
    cause: 'Docker Desktop was switched to Linux containers; pods of this node need Windows containers.',
    ...byCommand(String.raw`"C:\Program Files\Docker\Docker\DockerCli.exe" -SwitchWindowsEngine`),
    seen: `it runs ${os} containers`,
    steps: ['docker'],
    subject: SERVICE,
    wanted: 'Windows containers',
  })
