// Whether what is written in a base directory is of the node that this host has: its services and rules tell.
import {homeOfService, isSameHome} from '../../components/node-home.js'
import {layoutOf} from '../../config/layout.js'
import type {Host} from '../../host/host.js'
import {within} from '../../host/wait.js'
import {whatIsMissing} from '../../pipeline/ledger/find-owned.js'
import {DAEMONS} from '../../health/daemons.js'
import {type NodeRecords, withLostRecords, withNodeElsewhere, withServicesGone} from './records.js'

const SHORT_MS = 3000
/** One that Windows does not tell of may be there. */
const UNTOLD: NamedService = {home: undefined, imagePath: '', isHere: false, isOurs: false}

export interface NamedService {
  /** The base directory that it runs from, where it is one. */
  readonly home: string | undefined
  readonly imagePath: string
  /** It is ours and runs from the base directory. */
  readonly isHere: boolean
  readonly isOurs: boolean
}

export async function findServices(host: Host, baseDir: string): Promise<NamedService[]> {
  const look = async (service: string): Promise<NamedService[]> => {
    const [imagePath, isOurs] = await Promise.all([host.services.imagePath(service), host.services.isOurs(service)])
    if (imagePath === undefined) return []
    const home = homeOfService(imagePath)
    return [{home, imagePath, isHere: isOurs && isSameHome(home ?? '', baseDir), isOurs}]
  }
  const found = DAEMONS.map(({service}) => within(host.clock, SHORT_MS, look(service)).catch(() => [UNTOLD]))
  return (await Promise.all(found)).flat()
}

/** Is the node of this host in another folder, or gone, or are its records lost? */
export function placed(written: NodeRecords, services: readonly NamedService[]): NodeRecords {
  const isHere = services.some((service) => service.isHere)
  if (written.state === 'absent') return isHere ? withLostRecords(written) : written
  // A move that did not come to its end is the tale of the place it was to.
  if (isHere || written.unfinished !== undefined) return written
  const isSkipped = written.config.skip.includes('kubelet-service')
  if (services.length === 0 && written.isComparable && !isSkipped) return withServicesGone(written)
  const home = services.find((service) => service.isOurs && service.home !== undefined)?.home
  return home === undefined ? written : withNodeElsewhere(written, home)
}

/**
 * As reset judges it: the node works without it. A loss that a setup has noted since is no warning any more, for nothing
 * repairs it: reset asks first all the same.
 */
export async function withCutJournal(host: Host, known: NodeRecords): Promise<NodeRecords> {
  const {config, journal, warnings} = known
  const path = layoutOf(config.baseDir).journal
  if (journal.all().some(({entry}) => entry.kind === 'loss')) return known
  if (!known.isComparable || known.problems.some(({subject}) => subject === path)) return known
  const missing = await within(host.clock, SHORT_MS, whatIsMissing(host, config, journal)).catch(() => undefined)
  if (missing === undefined) return known
  return {...known, warnings: [...warnings, `${missing}: reset prompts first, or requires --yes`]}
}
