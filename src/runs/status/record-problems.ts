// What is wrong with what setup left in writing, in words.
import {nodeOptionsLost, storedConfigUnusable} from '../../errors/configuration.js'
import {nodeElsewhere} from '../../errors/host.js'
import type {ProblemsError} from '../../errors/k8s-win-error.js'
import {
  journalDamaged,
  journalLost,
  recordsLost,
  resetRunning,
  resetUnfinished,
  servicesGone as servicesGoneError,
  setupRunning,
  setupUnfinished,
  storedForOtherFolder,
} from '../../errors/unhealthy-node.js'
import {textAt} from '../../host/document.js'
import type {Journal} from '../../pipeline/ledger/journal.js'
import type {StatusProblem, Unseen} from '../../pipeline/run/status-report.js'
import {holderOf} from '../run-lock.js'
import {resetAgain, type Runs, type UnfinishedRun} from './unfinished-run.js'

type Command = (name: string) => string

/** A problem whose command is still to be put together. Where it says nothing, setup fixes it. */
export interface RecordProblem extends Omit<StatusProblem, 'command' | 'next'> {
  /** The command that fixes it, such as "reset", where a single one does. */
  readonly fix?: string
  readonly next?: string | ((command: Command) => string)
}

export const unusable = ({problems}: ProblemsError, path: string): RecordProblem => ({
  area: 'setup',
  id: problems[0]?.id ?? storedConfigUnusable.id,
  cause: problems.map(({reason}) => reason).join(' '),
  next: problems.map(({fix}) => fix).join(' '),
  seen: problems.map(({message}) => message).join('; '),
  subject: path,
  wanted: 'the stored configuration of the last setup',
})

/** Setup goes by the folder that it is called for, and stores that. */
export const otherFolder = (claimed: string, baseDir: string, path: string): RecordProblem => ({
  area: 'setup',
  id: storedForOtherFolder({claimed, path}).id,
  cause: 'It was edited, or copied from there.',
  seen: `it describes a node in ${claimed}`,
  subject: path,
  wanted: `the configuration of the node in ${baseDir}`,
})

const anew = (command: Command): string =>
  `${command('setup')} (it verifies programs and images, and records everything again)`

export const damaged = (message: string, path: string): RecordProblem => ({
  area: 'setup',
  id: journalDamaged({seen: message}).id,
  cause: 'It was edited, or the disk lost a part of it.',
  fix: 'setup',
  next: anew,
  seen: message,
  subject: path,
  wanted: 'the journal as setup wrote it',
})

export const lostJournal = (journal: Journal, path: string): RecordProblem => ({
  area: 'setup',
  id: journalLost({path}).id,
  cause: 'It was deleted or truncated, or the disk lost it. Its records of programs and images are lost.',
  fix: 'setup',
  next: anew,
  seen:
    journal.all().length === 0
      ? 'setup has finished here, but its journal is missing or empty'
      : 'setup has finished here, but its journal is incomplete',
  subject: path,
  wanted: 'the journal as setup wrote it',
})

export const lostRecords = (folder: string): RecordProblem => ({
  area: 'setup',
  id: recordsLost({folder, services: ''}).id,
  cause: 'They were deleted, or the disk lost them. The options of this node are unknown.',
  next: (command) => `${command('setup')} with all options of this node, including --node-name`,
  seen: 'the records of setup are lost, but services of k8s-win run from here',
  subject: folder,
  wanted: 'the journal and node.yaml of the last setup',
})

/** Setup itself demands the name, so that nobody makes another node of it by chance. */
export const lostOptions = (path: string): RecordProblem => ({
  area: 'setup',
  id: nodeOptionsLost({node: '', path}).id,
  cause: 'It was deleted, or the disk lost it. The options of this node are unknown.',
  next: (command) => `${command('setup')} with all options of this node, including --node-name`,
  seen: 'setup has finished here, but its stored configuration is missing',
  subject: path,
  wanted: 'the stored configuration of the last setup',
})

export const movedAway = (home: string, baseDir: string): RecordProblem => ({
  area: 'setup',
  id: nodeElsewhere({asked: baseDir, home, services: ''}).id,
  cause: `The services of this host run from ${home}: its node is there.`,
  next: () => `the same command with --base-dir "${home}"`,
  seen: `these are leftovers of a node that is now in ${home}`,
  subject: baseDir,
  wanted: 'a node that was set up',
})

export const servicesGone = (baseDir: string): RecordProblem => ({
  area: 'setup',
  id: servicesGoneError({folder: baseDir}).id,
  cause: 'Its services were deleted.',
  next: (command) => `${command('reset')} to remove the leftovers, or ${command('setup')} to restore the node`,
  seen: 'setup has finished here, but this host has no services of a node',
  fix: 'reset',
  subject: baseDir,
  wanted: 'the services kubelet, flanneld and kubeproxy',
})

export function unfinished(run: UnfinishedRun, [last, lock]: Runs, baseDir: string): RecordProblem {
  const said = textAt(last, 'command') === run || textAt(last, 'command') === '' ? textAt(last, 'error', 'message') : ''
  const isReset = run === 'reset'
  return {
    area: 'setup',
    id: isReset ? resetUnfinished({again: '', folder: baseDir}).id : setupUnfinished({cause: '', folder: baseDir}).id,
    cause: said === '' ? 'It was interrupted, or it failed.' : `The last run ended with: ${said}.`,
    fix: isReset ? resetAgain(last, lock) : 'setup',
    next: (command) =>
      isReset
        ? `${command(resetAgain(last, lock))} (with the other options it was run with) to resume it, or ${command('setup')} to restore the node`
        : `${command('setup')} with the options it was run with`,
    seen: `a ${run} began here and did not finish, which explains what is missing`,
    subject: baseDir,
    wanted: isReset ? 'a reset that has finished, or a node that is set up' : 'a setup that has finished',
  }
}

/** One that is still at work: nothing is to be repaired, and what is missing may be there in a moment. */
export function running(run: UnfinishedRun, lock: unknown, baseDir: string): RecordProblem {
  const told = {
    holder: holderOf(lock) ?? 'It left no information about itself.',
    since: textAt(lock, 'since') || 'a moment ago',
  }
  const {id, message, reason} = run === 'reset' ? resetRunning(told) : setupRunning(told)
  return {
    area: 'setup',
    cause: reason,
    id,
    next: (command) => `wait until it has finished, then check again: ${command('status')}`,
    seen: message,
    subject: baseDir,
    wanted: `a ${run} that has finished`,
  }
}

export const noDrift = (run: UnfinishedRun | undefined): Unseen => ({
  what: 'drift',
  why: run === 'reset' ? 'a reset is removing the node' : 'the options of this node are unknown',
})
