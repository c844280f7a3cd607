// Connections to the CRI over a pipe, as k8s.io/cri-client makes them for the kubelet and crictl, and errors of its services.
import {isAtLeast} from '../versions.js'
import type {World} from '../world.js'
import {pipeOwner} from './lifetime.js'

export interface CriProblem {
  /** Whether the client waits for its timeout before it gives up. */
  readonly isTimeout?: boolean
  /** Without the beginning that each client adds. */
  readonly message: string
}

/** The service is asked for its version before anything else. Undefined where it answers. */
export function criProblem(
  world: World,
  service: 'image' | 'runtime',
  endpoint: string,
  isAdministrator: boolean,
  api: 'v1' | 'v1alpha2' = 'v1',
): CriProblem | undefined {
  const [, scheme = '', path = ''] = /^(?:([a-z]+):\/\/)?(.*)$/i.exec(endpoint.replaceAll('\\', '/')) ?? []
  if (scheme === '') {
    const advice = 'as endpoint is deprecated, please consider using full url format'
    return {message: `Using ${JSON.stringify(endpoint)} ${advice}`}
  }

  // cri-client pkg/util/util_windows.go
  if (scheme !== 'npipe') return {message: `protocol ${JSON.stringify(scheme)} not supported`}
  const failed = (code: string, description: string): string =>
    `validate service connection: validate CRI v1 ${service} API for endpoint ${JSON.stringify(endpoint)}: rpc error: code = ${code} desc = ${description}`
  const notDialled = (reason: string): CriProblem => ({
    message: failed(
      'Unavailable',
      `connection error: desc = "transport: Error while dialing: open ${path}: ${reason}"`,
    ),
  })
  const owner = pipeOwner(world, path)
  if (owner === undefined) return notDialled('The system cannot find the file specified.')
  if (!isAdministrator) return notDialled('Access is denied.')
  if (owner === 'other') {
    return {isTimeout: true, message: failed('DeadlineExceeded', 'context deadline exceeded')}
  }

  const name = service === 'image' ? 'ImageService' : 'RuntimeService'
  const {config, version = ''} = world.containerd
  // The file RELEASES of containerd: v1 from 1.6 on, "v1alpha2 is … not present in containerd v2.0".
  const isKnown = api === 'v1' ? isAtLeast(version, '1.6') : !isAtLeast(version, '2.0')
  if (config?.criProblem === undefined && isKnown) return undefined
  return {message: failed('Unimplemented', `unknown service runtime.${api}.${name}`)}
}

export class RpcError extends Error {
  constructor(
    readonly code: 'Canceled' | 'NotFound' | 'Unavailable' | 'Unimplemented' | 'Unknown',
    message: string,
  ) {
    super(message)
  }

  /** google.golang.org/grpc, status.Error */
  get text(): string {
    return `rpc error: code = ${this.code} desc = ${this.message}`
  }
}
