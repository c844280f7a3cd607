// setup and upgrade: each is a list of phases. What the host is to become decides which of the two it is.
import type {RunResultDocument} from '../../pipeline/run/events.js'
import {handOverSetup, prepareRestart} from '../detach/detach-setup.js'
import {runPhases} from '../run.js'
import {runWithRecords} from '../run-lifecycle.js'
import {orRestored} from '../upgrade/roll-back.js'
import {
  applySteps,
  prove,
  recordLost,
  recordRelease,
  repairJournal,
  reportNode,
  smokeTest,
  store,
  uncordon,
} from './apply.js'
import {completeConfig, demandQualified, openLog, planOnTwin, readJournal, removeLeftovers} from './check.js'
import {
  announce,
  askCluster,
  chooseDetachment,
  chooseNewerPatch,
  compareWithNode,
  demandDecided,
  readOptions,
  takeLock,
} from './decide.js'
import type {SetupInput, SetupPhase, SetupRun} from './run.js'

const DECIDE: readonly SetupPhase[] = [
  readOptions, // from here on the time limit applies
  takeLock, // before anything is asked that another run may be changing
  chooseNewerPatch, // of the command upgrade, without --release
  askCluster, // once the network has settled, what the options leave open
  compareWithNode, // of a node that is set up: is this an upgrade?
  chooseDetachment, // may prompt: nothing is reported before
  announce, // the steps, and what was decided
]

const CHECK: readonly SetupPhase[] = [
  openLog, // as early as there is a folder for it
  readJournal, // the checks need it
  demandQualified, // everything that is wrong with the host, at once
  demandDecided, // where the cluster did not answer before
  completeConfig, // and of an upgrade: may it begin?
  removeLeftovers, // half-written files may contain keys
  planOnTwin, // of a preview, which ends here
  repairJournal, // before anything is added to it
  handOverSetup, // to a service; everything that could be wrong with the host is known by now
  recordLost, // what a lost journal does not name any more
]

/** A node that is new, or that stays at its release. */
const SETUP: readonly SetupPhase[] = [
  ...CHECK,
  recordRelease, // first: an unfinished setup stores nothing else
  applySteps,
  store, // before the proof: a node that is not healthy is a node
  reportNode,
  prove,
  smokeTest,
]

/** Another release, or another containerd, over a node that is set up: by either command. */
const UPGRADE: readonly SetupPhase[] = [
  ...CHECK,
  // Stored only when it is proven: until then the way back leads to what is stored.
  orRestored([applySteps, prove, store]),
  uncordon,
  reportNode,
  smokeTest,
]

/** Rejects only for a bug: the document reports every other failure. */
export function runSetup(input: SetupInput): Promise<RunResultDocument> {
  return runWithRecords<SetupRun>(input.upgrade ? 'upgrade' : 'setup', input, async (run) => {
    await runPhases(DECIDE, run)
    await runPhases(run.config.upgrade ? UPGRADE : SETUP, run).catch(async (error: unknown) => {
      await prepareRestart(run, error)
      throw error
    })
  })
}
