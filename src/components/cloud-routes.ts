// The routes to the metadata service that the image of a cloud has, for a host that had none before its virtual switch: what
// was there before is put back as it was instead.
import {isLinkLocal} from '../config/cidr.js'
import type {CloudName} from '../config/model.js'
import {DEFAULT_ROUTE, type NetworkSnapshot, type SavedAdapter, type SavedRoute} from '../host/saved-network.js'

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

const gatewayOf = ({routes}: SavedAdapter): string | undefined =>
  routes.find(({destination}) => destination === DEFAULT_ROUTE)?.nextHop

/** What is added to a host whose network was this: nothing where it had a route of its own. */
export function cloudRoutes(saved: NetworkSnapshot, cloud: CloudName): SavedRoute[] {
  const own = saved
    .flatMap(({routes}) => routes)
    .filter(({destination}) => isLinkLocal(destination.split('/')[0] ?? ''))
  const leading = saved.find((adapter) => gatewayOf(adapter) !== undefined)
  return leading && own.length === 0 ? routesOf(cloud, gatewayOf(leading)) : []
}

export function withCloudRoutes(saved: NetworkSnapshot, cloud: CloudName): NetworkSnapshot {
  const leading = saved.find((adapter) => gatewayOf(adapter) !== undefined)
  return saved.map((one) => (one === leading ? {...one, routes: [...one.routes, ...cloudRoutes(saved, cloud)]} : one))
}
