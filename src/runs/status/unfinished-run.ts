// What the records show of a run that did not finish.
import type {Layout} from '../../config/layout.js'
import {plainName} from '../../config/nearest.js'
import {REMOVAL_FLAGS} from '../../config/options/reset-options.js'
import {STEP_IDS, type StepId} from '../../config/step-ids.js'
import type {K8sWinError} from '../../errors/k8s-win-error.js'
import {restartRequired} from '../../errors/restart.js'
import {resetRunning, resetUnfinished, setupRunning, setupUnfinished} from '../../errors/unhealthy-node.js'
import {upgradeUnfinished} from '../../errors/upgrade.js'
import {at, listAt, textAt} from '../../host/document.js'
import type {Files} from '../../machine/files.js'
import {begunRun, isSetupBegun, isSetupOpen} from '../../pipeline/ledger/run-entries.js'
import {upgradeOf} from '../../pipeline/desired/cluster/unfinished-upgrade.js'
import {readLastRun, readRecord} from '../../pipeline/run/last-run.js'
import type {HandedOverRun} from '../../pipeline/run/status-report.js'
import type {KnownNode} from '../known-node.js'
import {holderOf} from '../run-lock.js'
import {continuedError} from './handed-over.js'

export type UnfinishedRun = 'reset' | 'setup' | 'upgrade'

const RESET = /(?:^|\s)-{0,2}reset(?:\s|$)/i
const SETUP = /(?:^|\s)setup(?:\s|$)/i

/**
 * By the journal alone: a later run that changed nothing, such as one that was refused, has a result of its own. The lock is
 * that of a run in progress, or of one that was killed, which may not have come to its first line.
 */
export function unfinishedRun(
  {journal, state}: Pick<KnownNode, 'journal' | 'state'>,
  lock: unknown,
): UnfinishedRun | undefined {
  const began = begunRun(journal)
  if (began?.overReset) return 'setup'
  if (began?.run === 'reset' || RESET.test(textAt(lock, 'command'))) return 'reset'
  if (state === 'set-up') return upgradeOf(journal) && 'upgrade'
  return isSetupOpen(journal) || SETUP.test(textAt(lock, 'command')) ? 'setup' : undefined
}

/** Also over a node that is set up: it may have been given other options, which nothing but the end of a setup stores. */
export const killedSetup = (journal: KnownNode['journal'], lock: unknown): UnfinishedRun | undefined =>
  isSetupBegun(journal) || SETUP.test(textAt(lock, 'command')) ? 'setup' : undefined

/** The result of the last run, and the record of the lock. */
export type Runs = [last: unknown, lock: unknown]

export const readRuns = (
  files: Files,
  {lock, result}: Layout,
  onFailure?: Parameters<typeof readRecord>[2],
): Promise<Runs> => Promise.all([readLastRun(files, result, onFailure), readRecord(files, lock, onFailure)])

/** "reset --purge": the same reset. Only known flags are repeated: a record may contain anything. */
function resetAgain(journal: KnownNode['journal'], lock: unknown): string {
  const began = begunRun(journal)
  const flags = began?.run === 'reset' ? (began.flags ?? []) : typedIn(textAt(lock, 'command'))
  return ['reset', ...flags.map((flag) => `--${flag}`)].join(' ')
}

/** In the usual style, and in PowerShell's. */
function typedIn(command: string): string[] {
  const flags = command.split(/\s+/).map((word) => /^--?([a-z-]+)(?:[:=]\$?true)?$/i.exec(word)?.[1] ?? '')
  const typed = new Set(flags.map((flag) => plainName(flag)))
  return ['drain', ...REMOVAL_FLAGS].filter((flag) => typed.has(plainName(flag)))
}

/** `handedOver`: the run that the service k8s-win-run continues. */
export function unfinishedError(
  run: UnfinishedRun,
  runs: Runs,
  known: Pick<KnownNode, 'config' | 'journal'>,
  handedOver?: HandedOverRun,
): K8sWinError {
  const error = stoppedError(run, runs, known)
  const [last, lock] = runs
  const isRestartDue = lock === undefined && at(last, 'exitCode') === restartRequired.exitCode
  if (handedOver) return continuedError(error, handedOver, isRestartDue)
  const {fix} = error
  if (!isRestartDue) return error
  const then = `Then ${fix.charAt(0).toLowerCase()}${fix.slice(1)}`
  return error.with({fix: `If Windows was not restarted since then, restart it. ${then}`})
}

function stoppedError(
  run: UnfinishedRun,
  [last, lock]: Runs,
  {config, journal}: Pick<KnownNode, 'config' | 'journal'>,
): K8sWinError {
  const folder = config.baseDir
  const cause = lock === undefined ? endOf(run, last) : killed(lock)
  if (run === 'upgrade') return upgradeStopped(cause, {config, journal})
  const at = stoppedAt(run, [last, lock], journal)
  const step = at === undefined ? '' : ` at the step ${at}`
  return run === 'reset'
    ? resetUnfinished({again: resetAgain(journal, lock), cause, folder, step})
    : setupUnfinished({cause, folder, step})
}

/** Of containerd alone, or of the release. */
function upgradeStopped(cause: string, {config, journal}: Pick<KnownNode, 'config' | 'journal'>): K8sWinError {
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

/** The step: as the result of that run says, or where there is none, the journal's last line. */
export function stoppedAt(run: UnfinishedRun, [last, lock]: Runs, journal: KnownNode['journal']): StepId | undefined {
  const failed = listAt(last, 'steps').find((step) => textAt(step, 'error', 'id') !== '')
  const reported = lock === undefined && textAt(last, 'command') === run ? textAt(failed, 'id') : ''
  const recorded = run === 'setup' ? (journal.all().findLast(({entry}) => entry.kind !== 'began')?.step ?? '') : ''
  return STEP_IDS.find((id) => id === (reported || recorded))
}

function endOf(run: UnfinishedRun, last: unknown): string {
  const isOfRun = ['', run].includes(textAt(last, 'command'))
  const message = isOfRun ? textAt(last, 'error', 'message') : ''
  return message === '' ? 'It was interrupted, or it failed.' : `The last run ended with: ${message}.`
}

function killed(lock: unknown): string {
  const holder = holderOf(lock)
  return `The run was killed.${holder === undefined ? '' : ` It was ${holder}`}`
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
