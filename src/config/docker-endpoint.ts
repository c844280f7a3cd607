// Which pipe the Docker Engine is asked over. Only local ones: the kubelet needs the engine of its own machine.
import {remoteDocker} from '../errors/input.js'
import type {K8sWinError} from '../errors/k8s-win-error.js'

export const DEFAULT_DOCKER_PIPE = String.raw`\\.\pipe\docker_engine`

/** The flag, else DOCKER_HOST, else the default. */
export function resolveDockerPipe(
  flag: string | undefined,
  dockerHost: string | undefined,
  report: (problem: K8sWinError) => void,
): string {
  const [origin, endpoint] = flag === undefined ? ['DOCKER_HOST', dockerHost] : ['--docker-endpoint', flag]
  if (endpoint === undefined || endpoint === '') return DEFAULT_DOCKER_PIPE
  const match = /^npipe:\/\/[/\\]{1,2}\.[/\\]pipe[/\\]([\w.-]+)$/.exec(endpoint)
  if (match) return `\\\\.\\pipe\\${String(match[1])}`
  report(remoteDocker({endpoint, origin}))
  return DEFAULT_DOCKER_PIPE
}
