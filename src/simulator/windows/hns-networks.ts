// Networks of the HNS model: created on an adapter, deleted, and lost when the service restarts.
import type {Stage} from '../model.js'
import type {World} from '../world.js'
import {attachSwitch, detachSwitch, dropSwitch, isVirtual} from './adapters.js'
import type {HnsError, HnsNetwork} from './hns-objects.js'
import {
  endpointsOf,
  HNS_ERRORS,
  isOnAdapter,
  networkNamed,
  networksOf,
  NON_PERSISTENT,
  policyListsOf,
} from './hns-objects.js'
import {guidOf, macOf, parseAddress, parseCidr, sameName} from './names.js'

export type NetworkRequest = Omit<HnsNetwork, 'ID'>

export type NetworkOutcome =
  {readonly error: HnsError} | {readonly error?: undefined; readonly madeSwitch: boolean; readonly network: HnsNetwork}

const refused = (error: HnsError): NetworkOutcome => ({error})

export function createNetwork(stage: Stage, request: NetworkRequest): NetworkOutcome {
  const {world} = stage
  if (!request.Name || !request.Type) return refused(HNS_ERRORS.parameter)
  if (networkNamed(world, request.Name)) return refused(HNS_ERRORS.networkExists)
  for (const {AddressPrefix: prefix, GatewayAddress: gateway} of request.Subnets ?? []) {
    // A subnet with a prefix needs a gateway (docs/facts.md#hns, hcsshim's own tests).
    if (prefix && (!parseCidr(prefix) || !gateway || parseAddress(gateway) === undefined))
      return refused(HNS_ERRORS.parameter)
  }

  const base: HnsNetwork = {
    ...request,
    // HNS does not leave out a zero (projectcalico/calico#8465).
    Flags: request.Flags ?? 0,
    ID: guidOf(`network ${request.Name} ${stage.now()}`),
    Policies: request.Policies ?? [],
  }
  if (!isOnAdapter(base)) return {madeSwitch: false, network: store(world, base)}
  // The adapter of a switch is a wrong parameter, not "not found" (antrea-io/antrea#2213).
  if (isVirtual(request.NetworkAdapterName ?? '')) return refused(HNS_ERRORS.parameter)
  const place = placeFor(world, request)
  if (!place) return refused(HNS_ERRORS.adapterNotFound)
  const network = store(world, {
    ...base,
    ManagementIP: place.address,
    NetworkAdapterName: place.adapterName,
    SourceMac: macOf(base.ID),
  })
  const adapter = world.adapters.find(({name}) => sameName(name, place.adapterName))
  if (adapter) attachSwitch(stage, adapter)
  return {madeSwitch: adapter !== undefined, network}
}

export function deleteNetwork(stage: Stage, id: string): HnsError | undefined {
  const {world} = stage
  const network = networksOf(world).find((one) => sameName(one.ID, id))
  if (!network) return HNS_ERRORS.networkNotFound
  const endpoints = endpointsOf(world).filter((one) => sameName(one.VirtualNetwork, network.ID))
  const referenced = policyListsOf(world).flatMap((list) => list.References ?? [])
  const inUse = endpoints.some(
    ({ID, State}) => State === 2 || State === 3 || referenced.some((path) => sameName(path, `/endpoints/${ID}`)),
  )
  // Since 10.0.17763.1554 policy lists and endpoints must be deleted before the network (docs/facts.md#hns).
  if (inUse) return HNS_ERRORS.networkInUse
  removeNetworks(stage, [network])
  return undefined
}

/**
 * A restart of the service deletes networks that are not persistent, with the endpoints on them. Load balancers are restored
 * ("rehydration", kubernetes#139519), except on older builds and by a restart of Windows.
 */
export function dropNonPersistentNetworks(stage: Stage, isBoot = false): void {
  removeNetworks(
    stage,
    networksOf(stage.world).filter((network) => ((network.Flags ?? 0) & NON_PERSISTENT) !== 0),
  )
  if (isBoot || stage.world.hns.losesBalancers) stage.world.hns.policyLists = []
}

/** HNS has no switch without a network, also after the network was deleted from machine.json. */
export function settleSwitch(world: World): void {
  if (!networksOf(world).some(isOnAdapter)) dropSwitch(world)
}

function removeNetworks(stage: Stage, gone: readonly HnsNetwork[]): void {
  const {hns} = stage.world
  const hadSwitch = networksOf(stage.world).some(isOnAdapter)
  const ids = gone.map(({ID}) => ID.toLowerCase())
  hns.networks = hns.networks.filter((one) => !ids.includes(String(one['ID']).toLowerCase()))
  hns.endpoints = hns.endpoints.filter((one) => !ids.includes(String(one['VirtualNetwork']).toLowerCase()))
  if (hadSwitch && !networksOf(stage.world).some(isOnAdapter)) detachSwitch(stage)
}

function store(world: World, network: HnsNetwork): HnsNetwork {
  world.hns.networks.push(network as unknown as Record<string, unknown>)
  return network
}

/** The adapter of a network: the one it names, the one with a switch, or the one with the default gateway. */
function placeFor(world: World, request: NetworkRequest): {adapterName: string; address: string} | undefined {
  const existing = networksOf(world).find(isOnAdapter)
  const wanted = request.NetworkAdapterName
  if (existing?.NetworkAdapterName && (!wanted || sameName(wanted, existing.NetworkAdapterName))) {
    // A switch has one type of network: an adapter bound to another type is not found (docs/facts.md#hns).
    if (!sameName(existing.Type, request.Type)) return undefined
    return {adapterName: existing.NetworkAdapterName, address: existing.ManagementIP ?? ''}
  }

  const adapter = world.adapters.find(({addresses, gateways, name, up}) => {
    if (isVirtual(name) || !up || addresses.length === 0) return false
    return wanted ? sameName(name, wanted) : gateways.length > 0
  })
  return adapter && {adapterName: adapter.name, address: adapter.addresses[0]?.address ?? ''}
}
