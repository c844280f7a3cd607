// Which pipe the Docker Engine is asked over. Only local ones: the kubelet needs the engine of its own machine.
import {remoteDocker} from '../errors/input.js'
import type {K8sWinError} from '../errors/k8s-win-error.js'

export const DEFAULT_DOCKER_PIPE = String.raw`\\.\pipe\docker_engine`

/** The option, else DOCKER_HOST, else the default. `where` is how the option was given. */
export function resolveDockerPipe(
  option: string | undefined,
  dockerHost: string | undefined,
  report: (problem: K8sWinError) => void,
  where = '--docker-endpoint',
): string {
  const [origin, endpoint] = option === undefined ? ['DOCKER_HOST', dockerHost] : [where, option]
  if (endpoint === undefined || endpoint === '') return DEFAULT_DOCKER_PIPE
  const match = /^npipe:\/\/[/\\]{1,2}\.[/\\]pipe[/\\]([\w.-]+)$/.exec(endpoint)
  if (match) return `\\\\.\\pipe\\${String(match[1])}`
  report(remoteDocker({endpoint, origin}))
  return DEFAULT_DOCKER_PIPE
}
