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

/** A problem whose command is still to be put together. */
export type RecordProblem = Omit<StatusProblem, 'next'> & {readonly next?: string | ((command: Command) => string)}

export const unusable = ({problems}: ProblemsError, path: string): RecordProblem => ({
  area: 'setup',
  id: problems[0]?.id ?? storedConfigUnusable.id,
  cause: problems.map(({reason}) => reason).join(' '),
  next: problems.map(({fix}) => fix).join(' '),
  seen: problems.map(({message}) => message).join('; '),
  subject: path,
  wanted: 'what the last setup stored',
})

/** Setup goes by the folder that it is called for, and stores that. */
export const otherFolder = (claimed: string, baseDir: string, path: string): RecordProblem => ({
  area: 'setup',
  id: storedForOtherFolder({claimed, path}).id,
  cause: 'Somebody edited it, or it was copied from there.',
  seen: `it is of a node in ${claimed}`,
  subject: path,
  wanted: `of the node in ${baseDir}`,
})

/** What no journal names is installed again, and the daemons with it. */
const anew = (command: Command): string =>
  `${command('setup')} (it restarts the daemons, and records programs and configuration anew)`

export const damaged = (message: string, path: string): RecordProblem => ({
  area: 'setup',
  id: journalDamaged({seen: message}).id,
  cause: 'Somebody edited it, or the disk lost a part of it.',
  next: anew,
  seen: message,
  subject: path,
  wanted: 'the journal as setup wrote it',
})

export const lostJournal = (journal: Journal, path: string): RecordProblem => ({
  area: 'setup',
  id: journalLost({path}).id,
  cause: 'Somebody removed or cut it, or the disk lost it. What it noted of programs and images is not known any more.',
  next: anew,
  seen:
    journal.all().length === 0
      ? 'a setup came to its end here, but its journal is gone or empty'
      : 'a setup came to its end here, but its journal lacks what each setup notes',
  subject: path,
  wanted: 'the journal as setup wrote it',
})

export const lostRecords = (folder: string): RecordProblem => ({
  area: 'setup',
  id: recordsLost({folder, services: ''}).id,
  cause: 'Somebody removed them, or the disk lost them. What this node was set up with is not known any more.',
  next: (command) => `${command('setup')} with all options of this node, --node-name too, writes them anew`,
  seen: 'the records of setup are lost; services that k8s-win made run from here',
  subject: folder,
  wanted: 'the journal and node.yaml of the last setup',
})

/** Setup itself demands the name, so that nobody makes another node of it by chance. */
export const lostOptions = (path: string): RecordProblem => ({
  area: 'setup',
  id: nodeOptionsLost({node: '', path}).id,
  cause: 'Somebody removed it, or the disk lost it. What this node was set up with is not known any more.',
  next: (command) => `${command('setup')} with all options of this node, --node-name too, writes it anew`,
  seen: 'a setup came to its end here, but what it stored is gone',
  subject: path,
  wanted: 'what the last setup stored',
})

export const movedAway = (home: string, baseDir: string): RecordProblem => ({
  area: 'setup',
  id: nodeElsewhere({asked: baseDir, home, services: ''}).id,
  cause: `The services of this host run from ${home}: its node was moved there.`,
  next: (command) => `the same command with --base-dir "${home}"; ${command('reset')} removes what is left here`,
  seen: `what is here is left of a node that lives in ${home}`,
  subject: baseDir,
  wanted: 'a node that was set up',
})

export const servicesGone = (baseDir: string): RecordProblem => ({
  area: 'setup',
  id: servicesGoneError({folder: baseDir}).id,
  cause: 'The node was moved to another folder and reset there, or somebody removed its services.',
  next: (command) => `${command('reset')} to clear what is left here, or ${command('setup')} to have the node again`,
  seen: 'a setup came to its end here, but this host has none of the services of a node',
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
    next: (command) =>
      isReset
        ? `${command(resetAgain(last, lock))} (and what else it was run with) to go on with it, or ${command('setup')} to have the node again`
        : `${command('setup')} with the options it was run with`,
    seen: `a ${run} began here and did not come to its end; what is not there goes with it`,
    subject: baseDir,
    wanted: isReset ? 'a reset that came to its end, or a node that is set up' : 'a setup that came to its end',
  }
}

/** One that is still at work: nothing is to be repaired, and what is missing may be there in a moment. */
export function running(run: UnfinishedRun, lock: unknown, baseDir: string): RecordProblem {
  const told = {holder: holderOf(lock) ?? 'It left no word of itself.', since: textAt(lock, 'since') || 'a moment ago'}
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
  why: run === 'reset' ? 'a reset is taking the node away' : 'it is not known what this node was set up with',
})
