// recover: a node that was set up becomes one again. The checks show what is wrong; setup's own steps repair it.
import type {RunResultDocument} from '../../pipeline/run/events.js'
import {handOverSetup} from '../detach/detach-setup.js'
import {runPhases, takeRunLock, WATCH} from '../run.js'
import {runWithRecords} from '../run-lifecycle.js'
import * as apply from '../phases/apply.js'
import {openLog, planOnTwin, readJournal} from '../phases/check.js'
import {chooseDetachment} from '../setup/decide-phases.js'
import {demandHealth} from '../phases/final-health.js'
import {removeKilledWrites} from '../setup/killed-writes.js'
import type {SetupInput, SetupPhase, SetupRun} from '../phases/setup-run.js'
import {checkNode, reconnectHost, repairJournal, restoreOptions} from './check-node.js'
import {announce, readNode, readRequest} from './read-node.js'
import {repair} from './repair.js'

/** What it repairs with is stored: of setup's options it has only these. */
export interface RecoverInput extends Omit<SetupInput, 'given' | 'input' | 'onConfig' | 'upgrade'> {
  readonly baseDir?: string | undefined
  readonly configFile?: string | undefined
  /** Setup's own, if not given. */
  readonly timeoutMs?: number | undefined
  /** What ends pods may be restarted. */
  readonly yes?: boolean
}

const isReal = ({dryRun}: SetupRun): boolean => !dryRun

/** Watch asks only for what died: what else is wrong is no failure of its repair. */
const isWhole = ({input}: SetupRun): boolean => input.only === undefined

const RECOVER: readonly SetupPhase[] = [
  // From here on the time limit applies.
  {run: readRequest, title: 'Read the configuration'},
  {endsItself: true, run: (run) => takeRunLock(run, run.config.baseDir), title: 'Acquire the lock', when: isReal},
  // Ends without a node, and where another run must be finished first: its records stay as they are.
  {run: readNode, title: 'Read the records of setup'},
  // May prompt: nothing is reported before.
  {run: chooseDetachment, title: 'Query the host', when: isReal},
  {run: announce, title: 'Query the host'},
  {run: openLog, title: 'Open the log'},
  {run: readJournal, title: 'Read the journal'},
  // Before the checks, which compare with it.
  {run: repairJournal, title: 'Repair the journal', when: isReal},
  {run: restoreOptions, title: 'Repair the records', when: isReal},
  {run: reconnectHost, title: 'Check node health', when: isReal},
  {run: checkNode, title: 'Check node health'},
  // Half-written files may contain keys.
  {run: removeKilledWrites, title: 'Remove leftovers of a killed run'},
  // A preview ends here.
  {run: planOnTwin, title: 'Plan', when: ({dryRun}) => dryRun},
  {
    endsItself: true,
    run: handOverSetup,
    title: 'Hand the run over to a service',
    when: ({detaching = 'no'}) => detaching !== 'no',
  },
  {run: apply.recordLost, title: 'Repair the journal', when: isWhole},
  {endsItself: true, run: repair, title: 'Apply the steps'},
  // What "k8s-win stop", or a run that was killed, has stopped runs again.
  {run: apply.endStop, title: 'End the pause'},
  // A route may go again within a minute of the switch.
  {run: apply.compareNetwork, title: 'Check node health'},
  // Also where the cluster does not respond.
  {run: demandHealth, title: 'Check node health', when: isWhole},
  {run: apply.reportNode, title: 'Query the node', when: isWhole},
]

/** Rejects only for a bug: the document reports every other failure. */
export function runRecover({baseDir, configFile, ...input}: RecoverInput): Promise<RunResultDocument> {
  const given = {
    ...(baseDir !== undefined && {'base-dir': baseDir}),
    ...(configFile !== undefined && {config: configFile}),
  }
  return runWithRecords<SetupRun>(input.only ? WATCH : 'recover', {...input, given}, (run) => runPhases(RECOVER, run))
}
