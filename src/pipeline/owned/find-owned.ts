// What on this host is k8s-win's: by the journal, as far as it can be trusted, and by k8s-win's marks on the host where
// the journal is incomplete. The one answer for reset, setup, status and doctor. What may have been there before setup
// is left and reported, so that a lost journal never costs a user's files.
import {isWithin} from '../../config/base-dir.js'
import {KUBELET_DRIVERS, layoutOf} from '../../config/layout.js'
import type {Decided} from '../../config/model.js'
import type {Host} from '../../host/host.js'
import {keyOf} from '../../host/security/known-paths.js'
import {findForeignServices, type ForeignService} from '../desired/services/foreign-services.js'
import type {Step, StepContext, StepId} from '../run/step.js'
import {toUserError} from '../run/to-user-error.js'
import {damagedCopy} from '../ledger/journal-file.js'
import {guardJournal} from './journal-guard.js'
import {type JournalEntry} from '../ledger/entries.js'
import {type Journal, type JournalLine, LOSS, openTrustedJournal} from '../ledger/journal.js'
import {demandNodeHere} from '../desired/services/own-services.js'
import {type JournalKind, subjectOf} from '../ledger/entries.js'
import {KINDS} from './kinds.js'
import type {Kind, Phase, Search} from '../ledger/kind.js'
import {driversBelow} from '../desired/files/tree.js'

type Named = Pick<Journal, 'all'>

export interface Owned {
  /** Services that have k8s-win's names and were not created by k8s-win. */
  readonly foreign: readonly ForeignService[]
  /** Something is removed that no journal names, and that might not be k8s-win's. */
  readonly isDoubtful: boolean
  /** Lines of the journal are lost, or not trusted. */
  readonly isIncomplete: boolean
  /** Without the lines that are not trusted. */
  readonly journal: Journal
  /** What setup may have created and reset does not remove, because the journal no longer names it. */
  readonly left: readonly string[]
  /** Found by marks: recorded before it is removed, so that a killed run loses nothing. */
  readonly marked: readonly JournalLine[]
  /** What is not removed, and why. */
  readonly kept: readonly string[]
}

export async function findOwned(host: Host, config: Decided, steps: readonly Step[]): Promise<Owned> {
  const {distrust, journal: written} = await openTrustedJournal(host, layoutOf(config.baseDir).journal)
  if (distrust) throw distrust
  const {journal, refused, unreached} = await guardJournal(written, config, host.files)
  // Much of what it names belongs to the node, wherever that is now.
  if (journal.all().length > 0) await demandNodeHere(host, config.baseDir)
  const {left, lines, remarks} = await findByMarks(host, config, journal)
  const unnamed = unnamedIn(journal, lines)
  // A damaged journal, or one with entries that no setup wrote, may lack any line.
  const isDamaged = written.damage?.message !== undefined || refused.length > 0
  const isIncomplete = isDamaged || isLost(journal, unnamed)
  const marked = isIncomplete ? unnamed : []
  const foreign = await findForeignServices(host, [...journal.all(), ...marked], steps, config)
  return {
    foreign,
    isDoubtful: marked.some(({entry}) => entry.kind !== 'directory'),
    isIncomplete,
    journal,
    left: isIncomplete ? [...unreached, ...left] : unreached,
    marked,
    kept: [
      ...refused.map((entry) => `ignoring an entry of the journal: ${entry}`),
      ...foreign.map(({reason}) => reason),
      ...(await driversLeft(host, journal)),
      ...(isIncomplete ? remarks : []),
    ],
  }
}

/** Drivers in a folder that would be removed. */
async function driversLeft({files}: Host, journal: Named): Promise<string[]> {
  const trees = new Set(journal.all().flatMap(({entry}) => (entry.kind === 'tree' ? [entry.path] : [])))
  const drivers = await Promise.all([...trees].map((path) => driversBelow(files, path)))
  const names = [...new Set(drivers.flat())]
  return names.length === 0 ? [] : [`in ${KUBELET_DRIVERS}: ${names.join(', ')}. No kubelet puts anything there`]
}

const isMarked = ({kind}: {readonly kind: JournalKind}): boolean => KINDS[kind].describe !== undefined

function isNamedIn(journal: Named): (entry: JournalEntry) => boolean {
  const named = new Set(journal.all().map(({entry}) => subjectOf(entry)))
  return (entry) => named.has(subjectOf(entry))
}

function unnamedIn(journal: Named, lines: readonly JournalLine[]): JournalLine[] {
  const isNamed = isNamedIn(journal)
  const isWithPrevious = (entry: JournalEntry): boolean => entry.kind === 'file' && entry.previous !== undefined
  const kept = new Set(journal.all().flatMap(({entry}) => (isWithPrevious(entry) ? [subjectOf(entry)] : [])))
  // A file may have several entries: the one that says where the previous file is kept must be among them.
  return lines.filter(({entry}) => !isNamed(entry) || (isWithPrevious(entry) && !kept.has(subjectOf(entry))))
}

/**
 * The next setup starts a new journal and records the loss. Until then something with a mark that the journal does not
 * name shows it; the rest may have been there before setup.
 */
const isLost = (journal: Named, unnamed: readonly JournalLine[]): boolean =>
  journal.all().length === 0 ||
  unnamed.some(({entry}) => isMarked(entry)) ||
  journal.all().some(({entry}) => entry.kind === 'loss')

export interface FoundByMarks {
  /** What setup may have created and reset does not remove, and why. */
  readonly left: string[]
  /** As the steps would have recorded them, oldest first. */
  readonly lines: JournalLine[]
  /** What belongs to another node. */
  readonly remarks: string[]
}

function openSearch(host: Host, config: Decided, journal: Named): FoundByMarks & {readonly search: Search} {
  const found: FoundByMarks = {left: [], lines: [], remarks: []}
  const search: Search = {
    claim: (step, ...entries) => found.lines.push(...entries.map((entry) => ({entry, step}))),
    config,
    elsewhere: new Set(),
    host,
    isFlannelOurs: false,
    isGoing: () => false,
    isNamed: isNamedIn(journal),
    isNetConfOurs: false,
    leave: (what) => found.left.push(what),
    remark: (what) => found.remarks.push(what),
    services: new Set(),
  }
  return {...found, search}
}

type Attempt = (place: string, finding: Promise<void>) => Promise<void>

async function runPhase(
  search: Search,
  phase: Phase,
  kinds: readonly Kind[] = Object.values(KINDS),
  attempt: Attempt = (_, finding) => finding,
): Promise<void> {
  for (const {find, place = search.config.baseDir} of kinds) {
    const where = typeof place === 'string' ? place : place(search.config)
    if (find?.[phase]) await attempt(where, find[phase](search))
  }
}

/** `journal`: what is left of it; what it names is not reported as left. */
export async function findByMarks(host: Host, config: Decided, journal: Named): Promise<FoundByMarks> {
  const {left, lines, remarks, search} = openSearch(host, config, journal)
  /** What cannot be searched must not prevent the rest from being found. */
  const attempt: Attempt = async (place, finding) => {
    try {
      await finding
    } catch (error) {
      const known = toUserError(error, place)
      if (!known) throw error
      const text = `${place} could not be checked, and may contain something that k8s-win created: ${known.message}`
      if (!left.includes(text)) left.push(text)
    }
  }
  const run = (phase: Phase, one = search): Promise<void> => runPhase(one, phase, undefined, attempt)

  await run('services')
  let isHome = search.services.size > 0
  if (!isHome)
    await attempt(
      config.baseDir,
      hasRecords(search).then((has) => void (isHome = has)),
    )
  if (isHome) await run('home')
  if (search.elsewhere.size > 0) {
    const homes = [...search.elsewhere].join(', ')
    remarks.push(`firewall rules, networks and images belong to the node in ${homes}: run reset with that --base-dir`)
    return {left, lines, remarks}
  }

  await run('host')
  // Such things alone do not prove a node here: a reset of another base directory leaves them for the next setup.
  if (!isHome && lines.length === 0) return {left: [], lines, remarks: [...remarks, ...left]}
  const all = [...journal.all(), ...lines]
  await run('rest', {...search, isGoing: removedWhole(all), isNamed: isNamedIn({all: () => all})})
  return {left, lines, remarks}
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

type Recorded = readonly (readonly [StepId, JournalKind])[]

/** What a setup that finished has always recorded. */
const alwaysRecorded = ({baseImages, runtime}: Decided): Recorded => [
  ...(baseImages.length > 0 ? ([['base-images', 'image-proof']] as const) : []),
  ...(runtime === 'containerd' ? ([['containerd-binaries', 'file']] as const) : []),
  ['kubernetes-binaries', 'file'],
  ['cni-binaries', 'file'],
  ['flannel-binary', 'file'],
]

/** For status and doctor: steps of a setup that finished whose records the journal has lost. */
export function lostSteps(journal: Pick<Journal, 'entries'>, config: Decided): StepId[] {
  const {runtime, skip} = config
  const lostOf = (steps: Recorded): StepId[] =>
    steps.flatMap(([step, kind]) => (skip.includes(step) || journal.entries(step, kind).length > 0 ? [] : [step]))
  const lost = lostOf(alwaysRecorded(config))
  // A Docker network that existed before setup is not recorded, so its absence alone shows nothing.
  const network: Recorded = runtime === 'docker' ? [['pause-image', 'docker-network']] : []
  return lost.length === 0 ? [] : [...lost, ...lostOf(network)]
}

/** For status and doctor: what is missing in the journal, in words; undefined where it is whole, as reset judges it. */
export async function whatIsMissing(host: Host, config: Decided, journal: Named): Promise<string | undefined> {
  const {lines, search} = openSearch(host, config, journal)
  const marked = Object.values(KINDS).filter(({describe}) => describe !== undefined)
  await runPhase(search, 'services', marked)
  if (search.elsewhere.size === 0) await runPhase(search, 'host', marked)
  const things = unnamedIn(journal, lines).map(({entry}) => {
    const {kind, name = ''} = entry as {readonly kind: JournalKind; readonly name?: string}
    return KINDS[kind].describe?.(name) ?? kind
  })
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
  await runPhase(search, 'services', [KINDS.service]).catch(() => {})
  const isWhole = journal.damage?.message === undefined && !unnamedIn(journal, lines).some(({entry}) => isMarked(entry))
  if (isWhole) return undefined
  await runPhase(search, 'home', [KINDS.directory, KINDS.file, KINDS.download])
  const lost = unnamedIn(journal, lines).filter(({entry}) => !isMarked(entry))
  if (lost.length === 0) return undefined
  await journal.recordLines([LOSS, ...lost])
  return (
    `the journal of ${config.baseDir} was lost, or a part of it: programs and configuration of k8s-win there are recorded again. ` +
    'What may have been there before setup, such as the folders of daemons and pulled images, stays at a later reset'
  )
}
