// What on this host is k8s-win's: by the journal, as far as it can be trusted, and by k8s-win's marks on the host where
// the journal is incomplete. The one answer for reset, setup, status and doctor. What may have been there before setup
// is left and reported, so that a lost journal never costs a user's files.
import {KUBELET_DRIVERS, layoutOf} from '../../config/layout.js'
import type {Decided, RuntimeName} from '../../config/model.js'
import type {Host} from '../../host/host.js'
import {findForeignServices, type ForeignService} from '../desired/services/foreign-services.js'
import type {Step, StepId} from '../run/step.js'
import {guardJournal} from './journal-guard.js'
import {type Journal, type JournalLine, openTrustedJournal} from '../ledger/journal.js'
import {demandNodeHere} from '../desired/services/own-services.js'
import type {JournalKind} from '../ledger/entries.js'
import {driversBelow} from '../desired/files/tree.js'
import {findByMarks, isMarked, type Named, unnamedIn} from './find-by-marks.js'

export interface Owned {
  /** Services that have k8s-win's names and were not created by k8s-win. */
  readonly foreign: readonly ForeignService[]
  /** Recorded before it is removed, so that a killed run loses nothing. */
  readonly foundByMarks: readonly JournalLine[]
  /** Something is removed that no journal names, and that might not be k8s-win's. */
  readonly isDoubtful: boolean
  /** Lines of the journal are lost, or not trusted. */
  readonly isIncomplete: boolean
  /** Without the lines that are not trusted. */
  readonly journal: Journal
  /** What is not removed, and why. */
  readonly notRemoved: readonly string[]
  /** What setup may have created and reset does not remove, because the journal no longer names it. */
  readonly unproven: readonly string[]
}

export async function findOwned(host: Host, config: Decided, steps: readonly Step[]): Promise<Owned> {
  const {distrust, journal: written} = await openTrustedJournal(host, layoutOf(config.baseDir).journal)
  if (distrust) throw distrust
  const {journal, refused, unreached} = await guardJournal(written, config, host.files)
  // Much of what it names belongs to the node, wherever that is now.
  if (journal.all().length > 0) await demandNodeHere(host, config.baseDir)
  const {lines, remarks, unproven} = await findByMarks(host, config, journal)
  const unnamed = unnamedIn(journal, lines)
  // A damaged journal, or one with entries that no setup wrote, may lack any line.
  const isDamaged = written.damage?.message !== undefined || refused.length > 0
  const isIncomplete = isDamaged || isLost(journal, unnamed)
  const foundByMarks = isIncomplete ? unnamed : []
  const foreign = await findForeignServices(host, [...journal.all(), ...foundByMarks], steps, config)
  return {
    foreign,
    foundByMarks,
    isDoubtful: foundByMarks.some(({entry}) => entry.kind !== 'directory'),
    isIncomplete,
    journal,
    notRemoved: [
      ...refused.map((entry) => `ignoring an entry of the journal: ${entry}`),
      ...foreign.map(({reason}) => reason),
      ...(await driversLeft(host, journal)),
      ...(isIncomplete ? remarks : []),
    ],
    unproven: isIncomplete ? [...unreached, ...unproven] : unreached,
  }
}

/** Drivers in a folder that would be removed. */
async function driversLeft({files}: Host, journal: Named): Promise<string[]> {
  const trees = new Set(journal.all().flatMap(({entry}) => (entry.kind === 'tree' ? [entry.path] : [])))
  const drivers = await Promise.all([...trees].map((path) => driversBelow(files, path)))
  const names = [...new Set(drivers.flat())]
  return names.length === 0 ? [] : [`in ${KUBELET_DRIVERS}: ${names.join(', ')}. No kubelet puts anything there`]
}

/**
 * The next setup starts a new journal and records the loss. Until then something with a mark that the journal does not
 * name shows it; the rest may have been there before setup.
 */
const isLost = (journal: Named, unnamed: readonly JournalLine[]): boolean =>
  journal.all().length === 0 || unnamed.some(isMarked) || journal.all().some(({entry}) => entry.kind === 'loss')

type Recorded = readonly (readonly [StepId, JournalKind])[]

/** A Docker network that existed before setup is not recorded, so its absence alone shows nothing. */
const RECORDED_BY_RUNTIME: Readonly<Record<RuntimeName, {readonly always: Recorded; readonly mostly: Recorded}>> = {
  containerd: {always: [['containerd-binaries', 'file']], mostly: []},
  docker: {always: [], mostly: [['pause-image', 'docker-network']]},
}

/** What a setup that finished has always recorded. */
const alwaysRecorded = ({baseImages, runtime}: Decided): Recorded => [
  ...(baseImages.length > 0 ? ([['base-images', 'image-proof']] as const) : []),
  ...RECORDED_BY_RUNTIME[runtime].always,
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
  return lost.length === 0 ? [] : [...lost, ...lostOf(RECORDED_BY_RUNTIME[runtime].mostly)]
}
