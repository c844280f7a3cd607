// The routes to the metadata service that the image of a cloud has, for a host that had none before its virtual switch: what
// was there before is put back as it was instead.
import {isLinkLocal} from '../config/cidr.js'
import type {CloudName} from '../config/model.js'
import {
  adapterNow,
  DEFAULT_ROUTE,
  type NetworkNow,
  type NetworkSnapshot,
  type SavedRoute,
} from '../host/saved-network.js'
import type {Route} from '../machine/win32.js'

interface Routes {
  /** In 169.254.169.0/24. */
  readonly hosts: readonly number[]
  readonly isOnLink?: true
}

const ROUTES: Readonly<Record<CloudName, Routes>> = {
  // EC2Launch v1: metadata, activation (.250, .251), DNS (.253), .249 and time (.123), all through the gateway.
  aws: {hosts: [254, 250, 251, 253, 249, 123]},
  // DHCP has it; the original script (hyperkube.ps1, repair-cloud-routes) adds it through the gateway.
  azure: {hosts: [254]},
  // compute-image-windows, sysprep/instance_setup.ps1: route /p add 169.254.169.254 mask 255.255.255.255 0.0.0.0 metric 1.
  gce: {hosts: [254], isOnLink: true},
  none: {hosts: []},
  // cloudbase-init, utils/network.py: through the default gateway.
  openstack: {hosts: [254]},
}

/**
 * Without a gateway only what is on the interface itself. None is persistent: the switch is not either, reset must leave
 * none, and in an image one keeps the gateway of another subnet (amazon-ssm-agent#48).
 */
export function routesOf(cloud: CloudName, gateway: string | undefined): SavedRoute[] {
  const {hosts, isOnLink = false} = ROUTES[cloud]
  const nextHop = isOnLink ? '0.0.0.0' : gateway
  if (nextHop === undefined) return []
  const route = {byHand: true, metric: 1, nextHop, persistent: false}
  return hosts.map((host) => ({...route, destination: `169.254.169.${host}/32`}))
}

type Way = Pick<SavedRoute, 'destination' | 'nextHop'>

const gatewayOf = (routes: readonly Way[]): string | undefined =>
  routes.find(({destination}) => destination === DEFAULT_ROUTE)?.nextHop

const isSame = (a: Way, b: Way): boolean => a.destination === b.destination && a.nextHop === b.nextHop

/** Nothing is added to a host that had a route of its own in the first record: later ones have what was added. */
export const hadOwnRoutes = (first: NetworkSnapshot): boolean =>
  first.some(({routes}) => routes.some(({destination}) => isLinkLocal(destination.split('/')[0] ?? '')))

/** On the node's adapter, through the gateway that it has now: one of before may be of another subnet. */
export function withCloudRoutes(
  saved: NetworkSnapshot,
  {adapter, cloud, now}: {readonly adapter: string; readonly cloud: CloudName; readonly now: NetworkNow},
): NetworkSnapshot {
  const on = adapterNow(adapter, now.adapters)
  const gateway = gatewayOf(now.routes.filter(({interfaceIndex}) => interfaceIndex === on?.index))
  return saved.map((one) => {
    if (!on || adapterNow(one.name, now.adapters) !== on) return one
    const before = gatewayOf(one.routes)
    const own = one.routes.filter(
      (route) => !route.byHand || !routesOf(cloud, before).some((made) => isSame(made, route)),
    )
    const added = routesOf(cloud, gateway ?? before)
    return {...one, routes: [...own, ...added.filter((made) => !own.some((route) => isSame(made, route)))]}
  })
}

/** Those of the host that are as k8s-win adds them: not of DHCP, and through a gateway that one of these records knows. */
export function addedRoutes(records: readonly NetworkSnapshot[], cloud: CloudName, {routes}: NetworkNow): Route[] {
  const known = [...records.flat().flatMap((one) => one.routes), ...routes]
  const gateways = known.filter(({destination}) => destination === DEFAULT_ROUTE).map(({nextHop}) => nextHop)
  const made = gateways.flatMap((gateway) => routesOf(cloud, gateway))
  return routes.filter(
    (route) => route.origin !== 'dhcp' && !route.persistent && made.some((one) => isSame(one, route)),
  )
}
