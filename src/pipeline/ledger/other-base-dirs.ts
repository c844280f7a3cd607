// A host has one node. Where it was moved, the journal of the place it left still names what is the node's now.
import {win32} from 'node:path'
import {FLANNELD} from '../../components/flanneld.js'
import {KUBE_PROXY} from '../../components/kube-proxy.js'
import {KUBELET} from '../../components/kubelet.js'
import {homeOfService, isSameHome} from '../../components/node-home.js'
import {isWithin} from '../../config/base-dir.js'
import type {Host} from '../../host/host.js'
import type {Journal, JournalEntry, JournalKind, JournalLine} from './journal.js'

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

export interface Elsewhere {
  /** The base directories that the node's services run from, and not this one. */
  readonly homes: readonly string[]
  /** Of the node's there: they are ours, and setup does not note anew what it finds in place. */
  readonly images: readonly JournalLine[]
  /** Without what is the node's there. */
  readonly journal: Journal
}

/** Undefined where the node is here, or nowhere. */
export async function findElsewhere(host: Host, baseDir: string, journal: Journal): Promise<Elsewhere | undefined> {
  const homes = await homesOfServices(host)
  const other = [...homes].filter(([home]) => !isSameHome(home, baseDir))
  if (other.length === 0) return undefined
  const theirs = new Set(other.flatMap(([, names]) => names))
  // A move that did not come to its end left some here: with them goes what all of them share.
  const isShared = other.length === homes.size
  const theirSteps = new Set(journal.all().flatMap(({entry, step}) => (isService(entry, theirs) ? [step] : [])))
  if (theirs.has(KUBELET)) theirSteps.add('node-registered')
  const isOurs = ({entry, step}: JournalLine): boolean => {
    if (entry.kind === 'service') return !theirs.has(entry.name)
    return isInside(entry, baseDir) || !(isShared || theirSteps.has(step))
  }
  const images = journal.all().filter((line) => isImage(line.entry) && !isOurs(line))
  return {homes: other.map(([home]) => home), images, journal: narrowed(journal, isOurs)}
}

const isImage = ({kind}: JournalEntry): boolean => kind === 'image-pull' || kind === 'image-tag'

const isService = (entry: JournalEntry, names: ReadonlySet<string>): boolean =>
  entry.kind === 'service' && names.has(entry.name)

export function isInside(entry: JournalEntry, baseDir: string): boolean {
  const {path} = entry as {readonly path?: string}
  return path !== undefined && isWithin(win32.normalize(path).toLowerCase(), baseDir.toLowerCase())
}

/** As if it named nothing else. What is forgotten is forgotten of the whole. */
export function narrowed(journal: Journal, isOurs: (line: JournalLine) => boolean): Journal {
  return {
    ...journal,
    all: () => journal.all().filter(isOurs),
    entries: <K extends JournalKind>(step: JournalLine['step'], kind: K) =>
      journal.entries(step, kind).filter((entry) => isOurs({entry, step})),
  }
}
