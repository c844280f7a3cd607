// Searches a host whose journal is lost or incomplete for what k8s-win created, by its marks. What may have been there before
// setup is reported, so that a lost journal never costs a user's files.
import {isWithin} from '../../config/base-dir.js'
import {layoutOf} from '../../config/layout.js'
import {type Decided, FLANNELD, KUBELET} from '../../config/model.js'
import type {Host} from '../../host/host.js'
import {RUNTIME_TITLES} from '../../host/runtime.js'
import {keyOf} from '../../host/security/known-paths.js'
import {findInDocker, reportImages} from '../desired/containers/image.js'
import {findNetConf} from '../desired/files/find-files.js'
import {reportFolders} from '../desired/files/folder.js'
import {reportAccess} from '../desired/files/safe-folder.js'
import {findFlannelFiles} from '../desired/files/tree.js'
import {findRules} from '../desired/network/firewall-rule.js'
import {findNetworks} from '../desired/network/hns-network.js'
import {findServices} from '../desired/services/own-services.js'
import {findNode} from '../leave/leave-cluster.js'
import {type JournalEntry, subjectOf} from '../ledger/entries.js'
import {damagedCopy} from '../ledger/journal-format.js'
import {type Journal, type JournalLine, LOSS} from '../ledger/journal.js'
import type {Search} from '../ledger/kind.js'
import type {StepContext} from '../run/step.js'
import {toUserError} from '../run/to-user-error.js'
import {KINDS} from './kinds.js'

export type Named = Pick<Journal, 'all'>

export interface FoundByMarks {
  /** What setup may have created and reset does not remove, and why. */
  readonly unproven: string[]
  /** As the steps would have recorded them, oldest first. */
  readonly lines: JournalLine[]
  /** What belongs to another node. */
  readonly remarks: string[]
}

function openSearch(host: Host, config: Decided, journal: Named): FoundByMarks & {readonly search: Search} {
  const found: FoundByMarks = {lines: [], remarks: [], unproven: []}
  const search: Search = {
    claim: (step, ...entries) => found.lines.push(...entries.map((entry) => ({entry, step}))),
    config,
    host,
    isGoing: () => false,
    isNamed: isNamedIn(journal),
    leave: (what) => found.unproven.push(what),
    remark: (what) => found.remarks.push(what),
  }
  return {...found, search}
}

/** `journal`: what is left of it; what it names is not reported as unproven. */
export async function findByMarks(host: Host, config: Decided, journal: Named): Promise<FoundByMarks> {
  const {lines, remarks, search, unproven} = openSearch(host, config, journal)
  /** What cannot be searched must not prevent the rest from being found. */
  const attempt = async <T>(place: string, finding: Promise<T>): Promise<T | undefined> => {
    try {
      return await finding
    } catch (error) {
      const known = toUserError(error, place)
      if (!known) throw error
      const text = `${place} could not be checked, and may contain something that k8s-win created: ${known.message}`
      if (!unproven.includes(text)) unproven.push(text)
      return undefined
    }
  }

  const {elsewhere = [], here = []} = (await attempt('the services', findServices(search))) ?? {}
  if (here.includes(KUBELET)) await attempt('the services', findNode(search))
  const isHome = here.length > 0 || (await attempt(config.baseDir, hasRecords(search))) === true
  if (isHome) {
    for (const {find} of Object.values(KINDS)) if (find) await attempt(find.place, find.search(search))
  }

  if (elsewhere.length > 0) {
    const homes = elsewhere.join(', ')
    remarks.push(`firewall rules, networks and images belong to the node in ${homes}: run reset with that --base-dir`)
    return {lines, remarks, unproven}
  }

  const hasRules = await attempt('the firewall', findRules(search))
  const isNetConfOurs = await attempt("the node's files", findNetConf(search))
  const isFlannelOurs = here.includes(FLANNELD) || hasRules === true
  if (isFlannelOurs || isNetConfOurs) await attempt("the daemons' files", findFlannelFiles(search))
  await attempt('the networks of the Host Network Service', findNetworks(search, isFlannelOurs))
  // Such things alone do not prove a node here: a reset of another base directory leaves them for the next setup.
  if (!isHome && lines.length === 0) return {lines, remarks: [...remarks, ...unproven], unproven: []}

  const all = [...journal.all(), ...lines]
  const last = {...search, isGoing: removedWhole(all), isNamed: isNamedIn({all: () => all})}
  await attempt('the folders of the node', reportFolders(last))
  await attempt('the access lists', reportAccess(last))
  await attempt('Docker', findInDocker(last))
  await attempt(RUNTIME_TITLES[config.runtime], reportImages(last))
  return {lines, remarks, unproven}
}

/** A finished setup, or one that has begun and whose journal exists in some form. */
async function hasRecords({config, host}: Search): Promise<boolean> {
  const {journal, nodeConfig} = layoutOf(config.baseDir)
  const seen = await Promise.all([journal, damagedCopy(journal), nodeConfig].map((path) => host.files.status(path)))
  return seen.some((status) => status !== undefined)
}

/** A file that was there before setup is restored. */
function removedWhole(lines: readonly JournalLine[]): (path: string) => boolean {
  const going = new Set<string>()
  const kept = new Set<string>()
  for (const {entry} of lines) {
    if (entry.kind === 'file' && entry.previous !== undefined) kept.add(keyOf(entry.path))
    if (entry.kind === 'file' || entry.kind === 'tree' || entry.kind === 'download') going.add(keyOf(entry.path))
  }

  // With all that is in a tree.
  return (path) => [...going].some((one) => isWithin(keyOf(path), one)) && !kept.has(keyOf(path))
}

/**
 * What has a mark of k8s-win and is recorded before it is created: one that exists and is not recorded shows that the
 * journal is incomplete.
 */
function markedThing(entry: JournalEntry): string | undefined {
  if (entry.kind === 'service') return `the service ${entry.name}`
  return entry.kind === 'firewall-rule' ? `the firewall rule "${entry.name}"` : undefined
}

export const isMarked = ({entry}: JournalLine): boolean => markedThing(entry) !== undefined

function isNamedIn(journal: Named): (entry: JournalEntry) => boolean {
  const named = new Set(journal.all().map(({entry}) => subjectOf(entry)))
  return (entry) => named.has(subjectOf(entry))
}

export function unnamedIn(journal: Named, lines: readonly JournalLine[]): JournalLine[] {
  const isNamed = isNamedIn(journal)
  const isWithPrevious = (entry: JournalEntry): boolean => entry.kind === 'file' && entry.previous !== undefined
  const kept = new Set(journal.all().flatMap(({entry}) => (isWithPrevious(entry) ? [subjectOf(entry)] : [])))
  // A file may have several entries: the one that says where the previous file is kept must be among them.
  return lines.filter(({entry}) => !isNamed(entry) || (isWithPrevious(entry) && !kept.has(subjectOf(entry))))
}

/** For status and doctor: what is missing in the journal, in words; undefined where it is whole, as reset judges it. */
export async function whatIsMissing(host: Host, config: Decided, journal: Named): Promise<string | undefined> {
  const {lines, search} = openSearch(host, config, journal)
  const {elsewhere} = await findServices(search)
  if (elsewhere.length === 0) await findRules(search)
  const things = unnamedIn(journal, lines).flatMap(({entry}) => markedThing(entry) ?? [])
  if (things.length === 0) return undefined
  const path = layoutOf(config.baseDir).journal
  return `${path} is lost or incomplete: it does not name ${things.join(', ')}, which k8s-win created`
}

/**
 * For setup, before its steps take what no journal names for unmanaged: records again the files that a lost or damaged
 * journal does not name, and returns what was lost, in words. Services and rules are not recorded: by them reset sees
 * that the journal was lost, and reports what stays.
 */
export async function recordLostFiles({
  config,
  host,
  journal,
}: Pick<StepContext, 'config' | 'host' | 'journal'>): Promise<string | undefined> {
  const {lines, search} = openSearch(host, config, journal)
  // Services that cannot be queried are reported by the steps that need them.
  await findServices(search).catch(() => {})
  if (journal.damage?.message === undefined && !unnamedIn(journal, lines).some(isMarked)) return undefined
  for (const kind of ['directory', 'file', 'download'] as const) await KINDS[kind].find?.search(search)
  const lost = unnamedIn(journal, lines).filter((line) => !isMarked(line))
  if (lost.length === 0) return undefined
  await journal.recordLines([LOSS, ...lost])
  return (
    `the journal of ${config.baseDir} was lost, or a part of it: programs and configuration of k8s-win there are recorded again. ` +
    'What may have been there before setup, such as the folders of daemons and pulled images, stays at a later reset'
  )
}
