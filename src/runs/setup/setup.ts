// setup and upgrade: each is a list of phases. What the host is to become decides which of the two it is.
import type {RunResultDocument} from '../../pipeline/run/events.js'
import {orGivenUp} from '../../host/wait.js'
import {handOverSetup, prepareRestart} from '../detach/detach-setup.js'
import {RECORDS_MS, runPhases, takeRunLock} from '../run.js'
import {runWithRecords} from '../run-lifecycle.js'
import {orRestored} from '../upgrade/roll-back.js'
import * as apply from '../phases/apply.js'
import {completeConfig, openLog, planOnTwin, readJournal} from '../phases/check.js'
import * as decide from './decide-phases.js'
import {demandHealth} from '../phases/final-health.js'
import {finalSmokeTest} from './final-smoke-test.js'
import {removeKilledWrites} from './killed-writes.js'
import {checkHost} from './preflight-with-retry.js'
import type {SetupInput, SetupPhase, SetupRun} from '../phases/setup-run.js'

const isReal = ({dryRun}: SetupRun): boolean => !dryRun

const DECIDE: readonly SetupPhase[] = [
  // From here on the time limit applies.
  {run: decide.readOptions, title: 'Read the configuration'},
  // Before anything is asked that another run may be changing. A preview changes nothing, so it needs no lock.
  {endsItself: true, run: (run) => takeRunLock(run, run.asked.baseDir), title: 'Acquire the lock', when: isReal},
  // Of the command upgrade, without --release.
  {run: decide.chooseNewerRelease, title: 'Query the cluster', when: ({input}) => input.upgrade !== undefined},
  // What the options leave open, once the network has settled.
  {run: decide.askHostAndCluster, title: 'Query the cluster'},
  // Is this an upgrade?
  {run: decide.compareWithNode, title: 'Query the cluster', when: ({asked}) => asked.isStored},
  // May prompt: nothing is reported before.
  {run: decide.chooseDetachment, title: 'Query the cluster', when: isReal},
  // The steps, and what was decided.
  {run: decide.announce, title: 'Query the cluster'},
]

const CHECK: readonly SetupPhase[] = [
  // As early as there is a folder for it.
  {run: openLog, title: 'Open the log'},
  // The checks need it.
  {run: readJournal, title: 'Read the journal'},
  // Everything that is wrong with the host, at once.
  {run: checkHost, title: 'Check the host'},
  // Where the cluster did not answer before.
  {run: decide.demandDecided, title: 'Query the cluster', when: ({config}) => config.unasked !== undefined},
  // All that the steps need; and of an upgrade: may it begin?
  {run: completeConfig, title: 'Check the host'},
  // Half-written files may contain keys.
  {run: removeKilledWrites, title: 'Remove leftovers of a killed run'},
  // A preview ends here.
  {run: planOnTwin, title: 'Plan', when: ({dryRun}) => dryRun},
  // Before anything is added to it.
  {run: async ({journal}) => journal.damage?.repair(), title: 'Repair the journal'},
  // Everything that could be wrong with the host is known by now: whoever started the run learns it here.
  {
    endsItself: true,
    run: handOverSetup,
    title: 'Hand the run over to a service',
    when: ({detaching = 'no'}) => detaching !== 'no',
  },
  // What a lost journal does not name any more.
  {run: apply.recordLost, title: 'Repair the journal'},
]

/** A node that is new, or that stays at its release. */
const SETUP: readonly SetupPhase[] = [
  ...CHECK,
  // With other settings of the daemons a node may not work: then it gets those of before.
  orRestored([
    {endsItself: true, run: apply.applySteps, title: 'Apply the steps'},
    // Before the proof: a node that is not healthy is set up.
    {run: apply.store, title: 'Store the configuration', when: ({former}) => former === undefined},
    {run: apply.endStop, title: 'End the pause'},
    // Its step waits for the network only, which was there before.
    {run: apply.flanneldStays, title: 'Check flanneld', when: apply.hasOtherFlanneldFlags},
    {run: apply.reportNode, title: 'Query the node'},
    // A route may go again within a minute of the switch.
    {run: apply.compareNetwork, title: 'Check node health'},
    {run: demandHealth, title: 'Check node health'},
    {run: apply.store, title: 'Store the configuration', when: ({former}) => former !== undefined},
  ]),
  {endsItself: true, run: finalSmokeTest, title: 'Run the smoke test'},
]

/** Another release, or another containerd, over a node that is set up: by either command. */
const UPGRADE: readonly SetupPhase[] = [
  ...CHECK,
  orRestored([
    {endsItself: true, run: apply.applySteps, title: 'Apply the steps'},
    {run: apply.compareNetwork, title: 'Check node health'},
    {run: demandHealth, title: 'Check node health'},
    // Only when it is proven: until then the way back leads to what is stored.
    {run: apply.store, title: 'Store the configuration'},
  ]),
  {endsItself: true, run: apply.uncordon, title: 'Uncordon the node'},
  {run: apply.endStop, title: 'End the pause'},
  {run: apply.reportNode, title: 'Query the node'},
  {endsItself: true, run: finalSmokeTest, title: 'Run the smoke test'},
]

/** Rejects only for a bug: the document reports every other failure. */
export function runSetup(input: SetupInput): Promise<RunResultDocument> {
  return runWithRecords<SetupRun>(input.upgrade ? 'upgrade' : 'setup', input, async (run) => {
    await runPhases(DECIDE, run)
    await runPhases(run.config.upgrade ? UPGRADE : SETUP, run).catch(async (error: unknown) => {
      await prepareRestart(run, error)
      await orGivenUp(run.machine.clock, RECORDS_MS, apply.recordFailure(run))
      throw error
    })
  })
}
