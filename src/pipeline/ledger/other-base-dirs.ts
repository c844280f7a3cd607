// Which base directories the node's services run from.
import {FLANNELD} from '../../components/flanneld.js'
import {KUBE_PROXY} from '../../components/kube-proxy.js'
import {KUBELET} from '../../components/kubelet.js'
import {homeOfService, isSameHome} from '../../components/node-home.js'
import {nodeElsewhere} from '../../errors/host.js'
import type {Host} from '../../host/host.js'

/** Services of ours by the base directory they run from. */
export async function homesOfServices({services}: Pick<Host, 'services'>): Promise<Map<string, string[]>> {
  const homes = new Map<string, string[]>()
  for (const name of [KUBELET, FLANNELD, KUBE_PROXY]) {
    if (!(await services.isOurs(name))) continue
    const home = homeOfService((await services.imagePath(name)) ?? '')
    if (home !== undefined) homes.set(home, [...(homes.get(home) ?? []), name])
  }

  return homes
}

/** Services of ours that run programs of this base directory. */
export async function servicesHere(host: Pick<Host, 'services'>, baseDir: string): Promise<string[]> {
  return [...(await homesOfServices(host))].filter(([home]) => isSameHome(home, baseDir)).flatMap(([, names]) => names)
}

/** A host has one node. Throws where its services run from another base directory, and none from this one. */
export async function demandNodeHere(host: Pick<Host, 'services'>, baseDir: string): Promise<void> {
  const homes = [...(await homesOfServices(host))]
  const [other] = homes
  if (!other || homes.some(([home]) => isSameHome(home, baseDir))) return
  throw nodeElsewhere({asked: baseDir, home: other[0], services: other[1].join(', ')})
}
