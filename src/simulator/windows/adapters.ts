// What a virtual switch does to its adapter: a new name and index, and some seconds without addresses.
import type {Adapter, Route} from '../../machine/win32.js'
import type {Stage} from '../model.js'
import type {World} from '../world.js'

/** Seen in the field as "seconds" (docs/facts.md#virtual-switch); the length is an assumption. */
const OFFLINE_MS = 7000
const APIPA = {address: '169.254.83.107', prefixLength: 16}

export const isVirtual = (name: string): boolean => /^vEthernet \(/i.test(name)

export function adapterWithAddress(world: World, address: string): Adapter | undefined {
  return world.adapters.find((adapter) => adapter.addresses.some((one) => one.address === address))
}

/** The first network on an adapter creates a switch: the adapter becomes vEthernet (<name>), and gets its addresses back later. */
export function attachSwitch(stage: Stage, adapter: Adapter): void {
  const index = Math.max(...stage.world.adapters.map((one) => one.index)) + 1
  replaceAdapter(stage, adapter, {...adapter, index, name: `vEthernet (${adapter.name})`})
  stage.world.os.vswitch = {...stage.world.os.vswitch, physical: {index: adapter.index, name: adapter.name}}
}

/** The last network removes the switch, and restores the adapter. */
export function detachSwitch(stage: Stage): void {
  const {physical, ...rest} = stage.world.os.vswitch ?? {}
  const adapter = stage.world.adapters.find(({name}) => name === `vEthernet (${physical?.name})`)
  if (!physical || !adapter) return
  replaceAdapter(stage, adapter, {...adapter, ...physical})
  const {returning} = stage.world.os.vswitch ?? {}
  stage.world.os.vswitch = {...rest, ...(returning && {returning})}
}

/** The same at once, for a machine.json from which the last network was deleted. */
export function dropSwitch(world: World): void {
  const {physical, ...rest} = world.os.vswitch ?? {}
  const virtual = world.adapters.find(({name}) => name === `vEthernet (${physical?.name})`)
  if (!physical || !virtual || rest.returning) return
  world.adapters = world.adapters.map((one) => (one === virtual ? {...one, ...physical} : one))
  world.routes = world.routes.map((route) =>
    route.interfaceIndex === virtual.index ? {...route, interfaceIndex: physical.index} : route,
  )
  world.os.vswitch = rest
}

/** Restores what is due. True if something changed. */
export function settleAdapters(stage: Stage): boolean {
  const {os} = stage.world
  if (os.vswitch?.routesEndAt !== undefined && stage.now() >= os.vswitch.routesEndAt) {
    stage.world.routes = stage.world.routes.filter(({destination}) => !os.vswitch?.losesRoutes?.includes(destination))
    delete os.vswitch.routesEndAt
    return true
  }

  const returning = os.vswitch?.returning
  if (!os.vswitch || !returning || stage.now() < returning.at) return false
  const {adapter} = returning
  const lost: Partial<Adapter> = {addresses: [APIPA], dhcp: true, dnsServers: [], gateways: []}
  const kept = os.vswitch.losesDnsServers ? {...adapter, dnsServers: []} : adapter
  const back = os.vswitch.losesAddress ? {...adapter, ...lost} : kept
  const {losesRoutes = [], losesRoutesAfterMs} = os.vswitch
  const lostNow = losesRoutesAfterMs === undefined ? losesRoutes : []
  if (losesRoutesAfterMs !== undefined) os.vswitch.routesEndAt = stage.now() + losesRoutesAfterMs
  const routes = os.vswitch.losesAddress
    ? []
    : returning.routes.filter(({destination}) => !lostNow.includes(destination))
  stage.world.adapters = stage.world.adapters.map((one) => (one.index === adapter.index ? back : one))
  // Some may have been put back meanwhile.
  const isThere = ({destination, nextHop}: Route): boolean =>
    stage.world.routes.some((one) => one.destination === destination && one.nextHop === nextHop)
  stage.world.routes = [...stage.world.routes, ...routes.filter((route) => !isThere(route))]
  delete os.vswitch.returning
  return true
}

function replaceAdapter(stage: Stage, from: Adapter, to: Adapter): void {
  const {world} = stage
  const at = stage.now() + (world.os.vswitch?.offlineMs ?? OFFLINE_MS)
  const pending = world.os.vswitch?.returning
  const full = pending?.adapter.index === from.index ? {...pending.adapter, index: to.index, name: to.name} : to
  const own = world.routes.filter(({interfaceIndex}) => interfaceIndex === from.index)
  const routes = [...(pending?.routes ?? []), ...own].map((route) => ({...route, interfaceIndex: to.index}))
  world.adapters = world.adapters.map((one) => (one === from ? {...to, addresses: [], gateways: []} : one))
  world.routes = world.routes.filter(({interfaceIndex}) => interfaceIndex !== from.index)
  world.os.offlineUntil = Math.max(world.os.offlineUntil, at)
  world.os.vswitch = {...world.os.vswitch, returning: {adapter: full, at, routes}}
}
