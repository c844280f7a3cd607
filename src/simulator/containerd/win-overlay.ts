// win-overlay.exe with HNS v2 (containernetworking/plugins, plugins/main/windows/win-overlay and pkg/hns): the endpoint that
// it creates for a pod.
import type {Stage} from '../model.js'
import {createEndpoint, deleteEndpoint} from '../windows/hns-endpoints.js'
import {endpointsOf, isOverlay, knowsDsr, networkNamed} from '../windows/hns-objects.js'

/** The configuration that flannel hands to it. */
export interface OverlayConfig {
  readonly apiVersion?: unknown
  readonly loopbackDSR?: unknown
  readonly name: string
  readonly policies?: unknown
}

type Policy = Record<string, unknown>

/** Undefined, or why there is no endpoint. `container`: the sandbox's ID. */
export function addEndpoint(
  stage: Stage,
  config: OverlayConfig,
  container: string,
  address: string,
): string | undefined {
  const {name} = config
  const network = networkNamed(stage.world, name)
  if (!network) return `error while hcn.GetNetworkByName(${name}): Network name ${JSON.stringify(name)} not found`
  if (!isOverlay(network)) return `network ${name} is of an unexpected type: ${network.Type}`
  const bytes = address.split('.').map((part) => Number(part).toString(16).padStart(2, '0').toUpperCase())
  // ApplyLoopbackDSRPolicy, without a word where HNS does not know it.
  const isLooped = config.loopbackDSR === true && knowsDsr(stage.world)
  const loopback = isLooped ? [{Destinations: [address], Type: 'OutBoundNAT'}] : []
  const provider = network.ManagementIP ? [{PA: network.ManagementIP, Type: 'PA'}] : []
  const outcome = createEndpoint(stage, {
    GatewayAddress: network.Subnets?.[0]?.GatewayAddress ?? '',
    IPAddress: address,
    MacAddress: ['0E', '2A', ...bytes].join('-'),
    Name: endpointName(container, name),
    Policies: [...endpointPolicies(config.policies), ...loopback, ...provider],
    VirtualNetwork: network.ID,
  })
  if (outcome.error)
    return `error while adding HostComputeEndpoint: hcnCreateEndpoint failed in Win32: ${outcome.error.text}`
  outcome.made.State = 2
  return undefined
}

/** RemoveHcnEndpoint: an endpoint that does not exist is removed. */
export function removeEndpoint(stage: Stage, network: string, container: string): void {
  const name = endpointName(container, network)
  const found = endpointsOf(stage.world).find((one) => one.Name === name)
  if (found) deleteEndpoint(stage, found.ID)
}

const endpointName = (container: string, network: string): string => `${container}_${network}`

/**
 * GetHostComputeEndpointPolicies: a policy that cannot be decoded is skipped, without a word; of one in the form of HNS v1
 * only the type is left, and HNS has nothing to do for it.
 */
function endpointPolicies(given: unknown): Policy[] {
  if (!Array.isArray(given)) return []
  return given.flatMap((one: {name?: unknown; value?: unknown} | null) => {
    if (typeof one?.name !== 'string' || one.name.toLowerCase() !== 'endpointpolicy') return []
    const value = one.value as {Settings?: unknown; Type?: unknown} | undefined
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    if (!isObject || typeof value.Type !== 'string') return []
    const settings = typeof value.Settings === 'object' && value.Settings !== null ? value.Settings : {}
    return [asVersion1(value.Type, settings as Policy)]
  })
}

/** HNS shows what was created with its second interface in the form of the first (microsoft/hcsshim hcn and internal/hns). */
function asVersion1(type: string, settings: Policy): Policy {
  if (type === 'OutBoundNAT') {
    const {Destinations: destinations, Exceptions: exceptions} = settings
    return {
      Type: type,
      ...(exceptions !== undefined && {ExceptionList: exceptions}),
      ...(destinations !== undefined && {Destinations: destinations}),
    }
  }

  return {...settings, Type: type === 'SDNRoute' ? 'ROUTE' : type}
}
