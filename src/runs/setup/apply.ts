// The phases of setup and upgrade that change the host: every step, the proof that the node works, and what is stored of it.
import {cordoned, isCordoned} from '../../components/cordon.js'
import {hostOptions, openHost} from '../../host/host.js'
import {askNode} from '../../pipeline/desired/cluster/node-cluster.js'
import {afterFailure} from '../../pipeline/desired/cluster/unfinished-upgrade.js'
import {releaseOf} from '../../pipeline/ledger/milestone.js'
import {recordLostFiles} from '../../pipeline/owned/find-by-marks.js'
import type {StepResult} from '../../pipeline/run/events.js'
import {runSteps} from '../../pipeline/run/run-steps.js'
import type {Step} from '../../pipeline/run/step.js'
import {storeConfiguration} from '../configuration.js'
import {hasFolder} from '../run.js'
import {reportLoss} from './check.js'
import {demandHealth} from './final-health.js'
import {finalSmokeTest} from './final-smoke-test.js'
import type {SetupPhase, SetupRun} from './run.js'

export const repairJournal: SetupPhase = {
  run: async ({journal}) => journal.damage?.repair(),
  title: 'Repair the journal',
}

export const recordLost: SetupPhase = {
  run: async (run) => reportLoss(run, await recordLostFiles(contextOf(run))),
  title: 'Repair the journal',
}

const contextOf = ({host, journal, node: config}: SetupRun) => ({config, host, journal})

export const recordRelease: SetupPhase = {
  async run({config, journal, limited}) {
    // A base directory that does not exist is recorded and created by its step, with this line.
    if (await hasFolder(limited.machine, config.baseDir)) await journal.record('base-dir', releaseOf(config))
  },
  title: 'Record the release',
}

const LAST = 'uncordon-node'

export const applySteps: SetupPhase = {
  endsItself: true,
  run: (run) =>
    apply(
      run,
      run.steps.filter(({id}) => id !== LAST),
    ),
  title: 'Apply the steps',
}

export const uncordon: SetupPhase = {
  endsItself: true,
  run: (run) =>
    apply(
      run,
      run.steps.filter(({id}) => id === LAST),
    ),
  title: 'Uncordon the node',
}

async function apply(run: SetupRun, steps: readonly Step[]): Promise<void> {
  const {assets, bus, config, limited, report, signal} = run
  const {machine} = limited
  const own = new Map(steps.map(({id}) => [id, limited.part()]))
  const context = contextOf(run)
  const {error, results} = await runSteps({
    bus,
    clock: machine.clock,
    context,
    hostFor: (id) => openHost(own.get(id)?.machine ?? machine, hostOptions(assets, config)),
    signal,
    skip: config.skip,
    steps,
    // All steps share the journal.
    waitsFor: (id) => own.get(id)?.waitsFor() ?? run.waitsFor(),
  })
  report.steps = [...report.steps, ...results]
  if (run.back && isDrained(results)) run.isDrained = true
  // The way back uncordons the node itself.
  if (error !== undefined && isDrained(results)) throw error as Error
  const isUndone = results.some(({error: failed, id}) => id === 'drain-node' && failed !== undefined)
  if (error !== undefined) throw (await afterFailure({...context, signal}, isUndone, error)) as Error
}

/** From then on nothing is as it was. */
function isDrained(results: readonly StepResult[]): boolean {
  const drain = results.find(({id}) => id === 'drain-node')
  return drain !== undefined && drain.error === undefined && drain.state !== 'not-run'
}

export const prove: SetupPhase = {
  run: ({assets, bus, config, journal, limited: {machine}, node, signal}) =>
    demandHealth({assets, bus, config, journal, machine, node, signal}),
  title: 'Check node health',
}

export const store: SetupPhase = {
  async run({config, journal, limited}) {
    await journal.record('base-dir', releaseOf(config), {kind: 'setup'})
    await storeConfiguration(limited.machine.files, config)
  },
  title: 'Store the configuration',
}

export const reportNode: SetupPhase = {
  async run(run) {
    const {bus, node, report, signal} = run
    const {nodeIP, nodeName} = node
    const found = await askNode({...contextOf(run), signal})
    if (isCordoned(found)) bus.emit({level: 'warn', message: cordoned(nodeName), type: 'log'})
    report.node = {ip: nodeIP, name: nodeName, podCIDR: found?.podCIDR ?? '', ready: found?.ready ?? false}
  },
  title: 'Query the node',
}

export const smokeTest: SetupPhase = {
  endsItself: true,
  run: ({bus, host, node: config, report, signal}) =>
    finalSmokeTest({bus, config, host, onChecks: (more) => (report.checks = [...report.checks, ...more]), signal}),
  title: 'Run the smoke test',
}
