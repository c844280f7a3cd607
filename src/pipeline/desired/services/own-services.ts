// Services: k8s-win's have a mark in their description. A host has one node, whose services all run from one base
// directory.
import {homeOfService, isSameHome} from '../../../components/node-home.js'
import {SERVED} from '../../../config/daemons.js'
import {nodeElsewhere} from '../../../errors/host.js'
import type {K8sWinError} from '../../../errors/k8s-win-error.js'
import type {Host} from '../../../host/host.js'
import type {StepId} from '../../run/step.js'
import type {Search} from '../../ledger/kind.js'

interface OwnService {
  /** The base directory that it runs from; undefined where its command line names none. */
  readonly home: string | undefined
  readonly name: string
  readonly step: StepId
}

async function ownServices({services}: Pick<Host, 'services'>): Promise<OwnService[]> {
  const found: OwnService[] = []
  for (const {service: name, step} of SERVED) {
    if (!(await services.isOurs(name))) continue
    found.push({home: homeOfService((await services.imagePath(name)) ?? ''), name, step})
  }

  return found
}

export interface NamedService {
  /** The base directory in its command line, if there is one. */
  readonly home: string | undefined
  readonly isOurs: boolean
  readonly name: string
}

/** The node of this host has another base directory. */
export function elsewhere(services: readonly NamedService[], asked: string): K8sWinError | undefined {
  const other = services.find(({home = asked}) => !isSameHome(home, asked))
  const names = services.filter(({home}) => home === other?.home).map(({name}) => name)
  return other?.home === undefined ? undefined : nodeElsewhere({asked, home: other.home, services: names.join(', ')})
}

export async function namedServices(host: Pick<Host, 'services'>): Promise<NamedService[]> {
  return (await ownServices(host)).map(({home, name}) => ({home, isOurs: true, name}))
}

/** Services of k8s-win by the base directory that they run from. */
export async function homesOfServices(host: Pick<Host, 'services'>): Promise<Map<string, string[]>> {
  const homes = new Map<string, string[]>()
  for (const {home, name} of await ownServices(host)) {
    if (home !== undefined) homes.set(home, [...(homes.get(home) ?? []), name])
  }

  return homes
}

/** Services of k8s-win that run from this base directory. */
export async function servicesHere(host: Pick<Host, 'services'>, baseDir: string): Promise<string[]> {
  return (await ownServices(host)).flatMap(({home, name}) => (isSameHome(home ?? '', baseDir) ? [name] : []))
}

/** Throws where the services run from another base directory, and none from this one. */
export async function demandNodeHere(host: Pick<Host, 'services'>, baseDir: string): Promise<void> {
  const homes = [...(await homesOfServices(host))]
  const [other] = homes
  if (!other || homes.some(([home]) => isSameHome(home, baseDir))) return
  throw nodeElsewhere({asked: baseDir, home: other[0], services: other[1].join(', ')})
}

/** Claims those that run from this base directory. */
export async function findServices({
  claim,
  config,
  host,
  remark,
}: Search): Promise<{readonly elsewhere: readonly string[]; readonly here: readonly string[]}> {
  const elsewhere = new Set<string>()
  const here: string[] = []
  for (const {home, name, step} of await ownServices(host)) {
    if (home === undefined || isSameHome(home, config.baseDir)) {
      here.push(name)
      claim(step, {kind: 'service', name})
    } else {
      elsewhere.add(home)
      remark(`the service ${name} belongs to the node in ${home}`)
    }
  }

  return {elsewhere: [...elsewhere], here}
}
