// The routes to the metadata service that the image of a cloud has, for a host that had none before its virtual switch: what
// was there before is put back as it was instead.
import type {CloudName} from '../config/model.js'

export interface CloudRoute {
  readonly destination: string
  readonly metric: number
  /** 0.0.0.0: on the interface itself. */
  readonly nextHop: string
  /** Windows has it again after a restart. */
  readonly persistent: boolean
}

interface Routes {
  /** In 169.254.169.0/24. */
  readonly hosts: readonly number[]
  readonly isOnLink?: true
  readonly isPersistent?: true
}

const ROUTES: Readonly<Record<CloudName, Routes>> = {
  // EC2Launch v1: metadata, activation (.250, .251), DNS (.253), .249 and time (.123), all through the gateway. One that is
  // persistent keeps the gateway of another subnet in an image (amazon-ssm-agent#48), so these are not.
  aws: {hosts: [254, 250, 251, 253, 249, 123]},
  // DHCP has it; the original script (hyperkube.ps1, repair-cloud-routes) adds it through the gateway.
  azure: {hosts: [254]},
  // compute-image-windows, sysprep/instance_setup.ps1: route /p add 169.254.169.254 mask 255.255.255.255 0.0.0.0 metric 1.
  gce: {hosts: [254], isOnLink: true, isPersistent: true},
  none: {hosts: []},
  // cloudbase-init, utils/network.py: through the default gateway, not persistent.
  openstack: {hosts: [254]},
}

/** Without a gateway only what is on the interface itself. */
export function routesOf(cloud: CloudName, gateway: string | undefined): CloudRoute[] {
  const {hosts, isOnLink = false, isPersistent: persistent = false} = ROUTES[cloud]
  const nextHop = isOnLink ? '0.0.0.0' : gateway
  if (nextHop === undefined) return []
  return hosts.map((host) => ({destination: `169.254.169.${host}/32`, metric: 1, nextHop, persistent}))
}
