// Addresses, routes and DNS servers of an adapter, as somebody sets them.
import type {Adapter, Route} from '../../machine/win32.js'
import type {World} from '../world.js'
import {cidrContains, formatAddress, parseCidr, sameName} from './names.js'

const ERROR_NOT_FOUND = 1168
const ERROR_NETWORK_UNREACHABLE = 1231
export const ERROR_OBJECT_ALREADY_EXISTS = 5010

export const adapterNamed = (world: World, name: string): Adapter | undefined =>
  world.adapters.find((one) => sameName(one.name, name) || String(one.index) === name)

export function changeAdapter(world: World, adapter: Adapter, changes: Partial<Adapter>): void {
  world.adapters = world.adapters.map((one) => (one.index === adapter.index ? {...one, ...changes} : one))
}

/** 0, or the error of Windows. A default route is a gateway of its adapter. */
export function addRoute(world: World, route: Route): number {
  const adapter = world.adapters.find(({index}) => index === route.interfaceIndex)
  if (!adapter || world.os.vswitch?.refusesSettings) return ERROR_NOT_FOUND
  const isOnLink = route.nextHop === '0.0.0.0'
  const reaches = adapter.addresses.some((one) => cidrContains(networkOf(one), `${route.nextHop}/32`))
  if (!isOnLink && !reaches) return ERROR_NETWORK_UNREACHABLE
  const same = (one: Route): boolean =>
    one.destination === route.destination &&
    one.nextHop === route.nextHop &&
    one.interfaceIndex === route.interfaceIndex
  if (world.routes.some(same)) return ERROR_OBJECT_ALREADY_EXISTS
  world.routes = [...world.routes, route]
  if (route.destination === '0.0.0.0/0') changeAdapter(world, adapter, {gateways: [...adapter.gateways, route.nextHop]})
  return 0
}

/** `isFirst`: it replaces all others, and turns DHCP off. */
export function addAddress(world: World, adapter: Adapter, address: string, bits: number, isFirst: boolean): number {
  const one = {address, prefixLength: bits}
  if (!isFirst && adapter.addresses.some((other) => other.address === address)) return ERROR_OBJECT_ALREADY_EXISTS
  changeAdapter(world, adapter, {
    addresses: isFirst ? [one] : [...adapter.addresses, one],
    dhcp: isFirst ? false : adapter.dhcp,
  })
  const onLink = (destination: string): Route => ({
    destination,
    interfaceIndex: adapter.index,
    metric: 256,
    nextHop: '0.0.0.0',
  })
  world.routes = [...world.routes, onLink(networkOf(one)), onLink(`${address}/32`)]
  return 0
}

function networkOf({address, prefixLength}: Adapter['addresses'][number]): string {
  const {base = 0} = parseCidr(`${address}/${prefixLength}`) ?? {}
  return `${formatAddress(base)}/${prefixLength}`
}
