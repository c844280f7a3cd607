// Endpoints and policy lists of the HNS model.
import type {Stage} from '../model.js'
import type {HnsEndpoint, HnsError, HnsPolicyList} from './hns-objects.js'
import {endpointsOf, HNS_ERRORS, networksOf, policyListsOf} from './hns-objects.js'
import {cidrContains, guidOf, macOf, parseCidr, sameName} from './names.js'

export type EndpointRequest = Omit<HnsEndpoint, 'ID'>
export type Outcome<T> = {readonly error: HnsError} | {readonly error?: undefined; readonly made: T}

export function createEndpoint(stage: Stage, request: EndpointRequest): Outcome<HnsEndpoint> {
  const {world} = stage
  const network = networksOf(world).find(({ID}) => sameName(ID, request.VirtualNetwork ?? ''))
  if (!network) return {error: HNS_ERRORS.networkNotFound}
  const subnets = (network.Subnets ?? []).map(({AddressPrefix}) => AddressPrefix ?? '').filter(Boolean)
  const taken = endpointsOf(world).filter(({VirtualNetwork}) => sameName(VirtualNetwork, network.ID))
  // k8s-win and its daemons name the address; HNS would choose one.
  const address = request.IPAddress
  // A remote endpoint is a pod on another node, with an address in that node's subnet.
  const fits = request.IsRemoteEndpoint === true || subnets.some((subnet) => cidrContains(subnet, address ?? ''))
  if (!address || !fits || taken.some(({IPAddress}) => IPAddress === address)) return {error: HNS_ERRORS.invalidAddress}
  const id = guidOf(`endpoint ${network.ID} ${address} ${stage.now()}`)
  const made: HnsEndpoint = {
    MacAddress: macOf(id),
    PrefixLength: parseCidr(subnets[0] ?? '')?.bits ?? 32,
    ...request,
    ID: id,
    IPAddress: address,
    State: 1,
    // In the case of the request.
    VirtualNetwork: request.VirtualNetwork,
    VirtualNetworkName: network.Name,
  }
  world.hns.endpoints.push(made as unknown as Record<string, unknown>)
  return {made}
}

export const deleteEndpoint = (stage: Stage, id: string): HnsError | undefined =>
  deleteFrom(stage, 'endpoints', id) ? undefined : HNS_ERRORS.endpointNotFound

export const deletePolicyList = (stage: Stage, id: string): HnsError | undefined =>
  deleteFrom(stage, 'policyLists', id) ? undefined : HNS_ERRORS.policyNotFound

/** False if there was none. */
function deleteFrom({world: {hns}}: Stage, list: 'endpoints' | 'policyLists', id: string): boolean {
  const before = hns[list].length
  hns[list] = hns[list].filter((one) => !sameName(String(one['ID']), id))
  return hns[list].length < before
}

export function createPolicyList(stage: Stage, request: Omit<HnsPolicyList, 'ID'>): Outcome<HnsPolicyList> {
  const known = endpointsOf(stage.world).map(({ID}) => `/endpoints/${ID}`)
  const references = request.References ?? []
  if (!references.every((path) => known.some((one) => sameName(one, path)))) return {error: HNS_ERRORS.endpointNotFound}
  // Of two load balancers with one address and port HNS refuses the second (kubernetes#139519).
  const keys = (request.Policies ?? []).map(frontOf)
  const isTaken = policyListsOf(stage.world).some(({Policies = []}) =>
    Policies.some((policy) => keys.includes(frontOf(policy))),
  )
  if (isTaken) return {error: HNS_ERRORS.ruleExists}
  const seed = `policy list ${JSON.stringify(request)} ${policyListsOf(stage.world).length} ${stage.now()}`
  const made: HnsPolicyList = {Policies: request.Policies ?? [], ...request, ID: guidOf(seed), References: references}
  stage.world.hns.policyLists.push(made as unknown as Record<string, unknown>)
  return {made}
}

/** What a load balancer answers for. */
export const frontOf = (policy: Record<string, unknown>): string =>
  JSON.stringify([policy['VIPs'], policy['ExternalPort'], policy['Protocol']])
