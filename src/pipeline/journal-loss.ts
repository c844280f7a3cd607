// Whether the journal is lost, or a part of it: services and rules of ours are noted before they are made.
import {FIREWALL_RULES, isOurRule} from '../components/firewall.js'
import {isSameHome} from '../components/node-home.js'
import {STEP_IDS} from '../config/step-ids.js'
import type {Host} from '../host/host.js'
import type {Journal} from './journal.js'
import {homesOfServices} from './node-elsewhere.js'

/** What is ours here and not named in it, in words. Nothing is where no service of ours runs from this base directory. */
export async function findUnnoted(
  host: Pick<Host, 'firewall' | 'services'>,
  baseDir: string,
  journal: Pick<Journal, 'entries'>,
): Promise<string[]> {
  const services = await servicesHere(host, baseDir)
  if (services.length === 0) return []
  const noted = (kind: 'firewall-rule' | 'service'): Set<string> =>
    new Set(STEP_IDS.flatMap((step) => journal.entries(step, kind).map(({name}) => name)))
  const [rules, known] = [noted('firewall-rule'), noted('service')]
  const unnoted = services.filter((name) => !known.has(name)).map((name) => `the service ${name}`)
  for (const {name} of FIREWALL_RULES) {
    if (rules.has(name)) continue
    const stored = await host.firewall.find(name)
    if (stored.some(({description}) => isOurRule(description))) unnoted.push(`the firewall rule "${name}"`)
  }

  return unnoted
}

/** Services of ours that run programs of this base directory. */
export async function servicesHere(host: Pick<Host, 'services'>, baseDir: string): Promise<string[]> {
  return [...(await homesOfServices(host))].filter(([home]) => isSameHome(home, baseDir)).flatMap(([, names]) => names)
}
