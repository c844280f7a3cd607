// Which run on this node did not finish, for every command, and what is reported of it.
import {layoutOf, type Layout} from '../../config/layout.js'
import {STEP_IDS, type StepId} from '../../config/step-ids.js'
import type {K8sWinError} from '../../errors/k8s-win-error.js'
import {restartRequired} from '../../errors/restart.js'
import {resetRunning, resetUnfinished, setupRunning, setupUnfinished} from '../../errors/unhealthy-node.js'
import {upgradeUnfinished} from '../../errors/upgrade.js'
import {at, textAt} from '../../host/document.js'
import {trustedFilesOf} from '../../host/security/trust.js'
import type {Files} from '../../machine/files.js'
import type {Machine} from '../../machine/machine.js'
import {begunRun, isSetupBegun, isSetupOpen} from '../../pipeline/ledger/run-entries.js'
import {upgradeOf} from '../../pipeline/desired/cluster/unfinished-upgrade.js'
import {readLastRun, readRecord} from '../../pipeline/run/last-run.js'
import type {HandedOverRun} from '../../pipeline/run/status-report.js'
import type {KnownNode} from '../known-node.js'
import {holderOf} from '../run-lock.js'
import {continuedError, handedOverRun} from './handed-over.js'

export type UnfinishedRun = 'reset' | 'setup' | 'upgrade'

type Known = Pick<KnownNode, 'config' | 'journal'>

const UNFINISHED_EXIT = 3

/**
 * By the journal alone: the line with which a run begins is on the disk before its first change, so a lock without that line is
 * of a run that changed nothing, and the last result may be that of a run that was refused. A setup that was killed is
 * unfinished also over a node that is set up: it may have had other options, which only the end of a setup stores.
 */
export function unfinishedRun({journal, state}: Pick<KnownNode, 'journal' | 'state'>): UnfinishedRun | undefined {
  if (state === 'absent') return undefined
  const began = begunRun(journal)
  if (began?.overReset) return 'setup'
  if (began?.run === 'reset') return 'reset'
  const isSetUp = state === 'set-up'
  if (isSetUp && upgradeOf(journal)) return 'upgrade'
  return (isSetUp ? isSetupBegun(journal) : isSetupOpen(journal)) ? 'setup' : undefined
}

/** For commands that need a whole node. */
export async function demandFinished(machine: Pick<Machine, 'files' | 'win32'>, known: KnownNode): Promise<void> {
  const run = unfinishedRun(known)
  if (!run) return
  const {baseDir} = known.config
  const [runs, handedOver] = await Promise.all([
    readRuns(trustedFilesOf(machine), layoutOf(baseDir)),
    handedOverRun(machine, baseDir),
  ])
  throw unfinishedError(run, known, runs, handedOver).with({exitCode: UNFINISHED_EXIT})
}

/** For reports only: the result of the last run, and the record of the lock, which is that of a run in progress or of one that was killed. */
export type Runs = [last: unknown, lock: unknown]

export const readRuns = (files: Files, {lock, result}: Pick<Layout, 'lock' | 'result'>): Promise<Runs> =>
  Promise.all([readLastRun(files, result), readRecord(files, lock)])

/** `handedOver`: the run that the service k8s-win-run continues. */
export function unfinishedError(
  run: UnfinishedRun,
  known: Known,
  [last, lock]: Runs = [undefined, undefined],
  handedOver?: HandedOverRun,
): K8sWinError {
  const error = stoppedError(run, known, lock === undefined ? endOf(run, last) : killed(lock))
  const isRestartDue = lock === undefined && isOf(run, last) && at(last, 'exitCode') === restartRequired.exitCode
  if (handedOver) return continuedError(error, handedOver, isRestartDue)
  if (!isRestartDue) return error
  const {fix} = error
  const then = `Then ${fix.charAt(0).toLowerCase()}${fix.slice(1)}`
  return error.with({fix: `If Windows was not restarted since then, restart it. ${then}`})
}

function stoppedError(run: UnfinishedRun, {config, journal}: Known, cause: string): K8sWinError {
  if (run === 'upgrade') return upgradeStopped(cause, {config, journal})
  const folder = config.baseDir
  const id = stoppedAt(run, journal)
  const step = id === undefined ? '' : ` at the step ${id}`
  if (run === 'setup') return setupUnfinished({cause, folder, step})
  // "reset --purge": the same reset.
  const flags = begunRun(journal)?.flags ?? []
  return resetUnfinished({again: ['reset', ...flags.map((flag) => `--${flag}`)].join(' '), cause, folder, step})
}

/** Of containerd alone, or of the release. */
function upgradeStopped(cause: string, {config, journal}: Known): K8sWinError {
  const {containerd, drain = false, from = '', to = ''} = upgradeOf(journal) ?? {}
  // Without the release it could take a newer one.
  const only = containerd === undefined ? '' : ` --containerd-version ${containerd}`
  const again = `upgrade --release ${to}${only}${drain ? ' --drain' : ''}`
  const {text: stored} = containerd === undefined ? config.release : config.versions.containerd
  const isStored = stored === (containerd ?? to)
  const before = isStored ? 'another containerd' : `containerd ${stored}`
  const names = containerd === undefined ? {from, to} : {from: before, to: `containerd ${containerd}`}
  const error = upgradeUnfinished({...names, again, cause})
  // It is proven and stored: only the end is missing.
  return isStored ? error.with({fix: 'Run "k8s-win setup": it finishes the upgrade.'}) : error
}

/** As the run recorded it; of a setup that was killed, the step that recorded last. A reset takes lines away. */
export function stoppedAt(run: UnfinishedRun, journal: KnownNode['journal']): StepId | undefined {
  const lastOfSetup = run === 'setup' ? journal.all().findLast(({entry}) => entry.kind !== 'began')?.step : undefined
  const recorded = begunRun(journal)?.stoppedAt ?? lastOfSetup
  return STEP_IDS.find((id) => id === recorded)
}

/** Setup upgrades, too. */
const COMMANDS: Readonly<Record<UnfinishedRun, readonly string[]>> = {
  reset: ['reset'],
  setup: ['setup', 'upgrade'],
  upgrade: ['setup', 'upgrade'],
}

const isOf = (run: UnfinishedRun, last: unknown): boolean => COMMANDS[run].includes(textAt(last, 'command'))

function endOf(run: UnfinishedRun, last: unknown): string {
  const message = isOf(run, last) ? textAt(last, 'error', 'message') : ''
  return message === '' ? 'It was interrupted, or it failed.' : `The last run ended with: ${message}.`
}

/** Not always the run that is unfinished: another one may have been killed before it changed anything. */
function killed(lock: unknown): string {
  const holder = holderOf(lock)
  return `The last run was killed.${holder === undefined ? '' : ` It was ${holder}`}`
}

/** A run in progress: nothing has to be repaired yet. */
export function runningError(run: UnfinishedRun, lock: unknown): K8sWinError {
  const found = holderOf(lock)
  const holder = found === undefined ? 'It left no information about itself.' : `The lock is held by ${found}`
  const since = textAt(lock, 'since') || 'a moment ago'
  if (run === 'reset') return resetRunning({holder, since})
  const error = setupRunning({holder, since})
  return run === 'setup' ? error : error.with({message: `An upgrade has been running since ${since}`})
}
