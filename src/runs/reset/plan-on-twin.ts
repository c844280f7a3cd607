// What reset would do: reset itself, on a twin of the host. For --dry-run, and for the question before a removal.
import type {Node} from '../../config/model.js'
import {K8sWinError} from '../../errors/k8s-win-error.js'
import {openRequests} from '../../host/cluster/request.js'
import {type Host, hostOptions, openHost} from '../../host/host.js'
import {readOnlyMachine} from '../../machine/intercept.js'
import {planDrain} from '../../pipeline/leave/drain-node.js'
import {nodeKubeconfig} from '../../pipeline/desired/cluster/node-cluster.js'
import {findOwned} from '../../pipeline/owned/find-owned.js'
import {EventBus, type StepResult} from '../../pipeline/run/events.js'
import type {Job} from '../../pipeline/run/run-removals.js'
import type {ClusterSeed} from '../../simulator/index.js'
import {STEPS} from '../../steps/index.js'
import {openNodeTwin} from '../node-on-twin.js'
import {planLastResort} from './last-resort.js'
import {findingsFor, resetJobs} from './removals.js'
import {nodeToReset, removeOwned} from './remove-owned.js'
import type {ResetPlan, ResetRun} from './reset-run.js'
import {summarise} from './summary.js'

export const NO_PLAN: ResetPlan = {failures: [], remarks: [], steps: [], summary: []}

export async function planReset(run: ResetRun): Promise<ResetPlan> {
  const {assets, config, signal} = run
  const {journal} = run.own
  const machine = readOnlyMachine(run.machine)
  const ofHost = hostOptions(assets, config)
  const seen = openHost(machine, ofHost)
  const node = await nodeToReset(config, seen, journal)
  const seed = await clusterSeed(run, node, seen)
  const twin = await openNodeTwin(machine, config, seed)
  const host = openHost(twin.machine, ofHost)
  const own = await findOwned(host, config, STEPS)
  const remarks: string[] = []
  const bus = new EventBus(() => machine.clock.now())
  bus.listen((event) => event.type === 'log' && event.level === 'warn' && remarks.push(event.message))
  const ending = {closeLog: () => Promise.resolve(), isUnproven: false, onGone: () => {}}
  const findings = findingsFor(run.input.options, config)
  const jobs = resetJobs(run.input.options, ending, own, config, findings).map(withoutEvictions)
  const {elapsed, now} = machine.clock
  const clock = {...twin.machine.clock, elapsed, now}
  const {failures, results} = await removeOwned({bus, clock, config, host, jobs, own, signal})
  const lastResort = await planLastResort({config: node, host: seen, journal}, findings)
  const steps = results.map((step) => planned(step, step.id === 'containers' ? lastResort : undefined))
  const lines = steps.filter(({id}) => id !== 'daemons' && id !== 'runtime').flatMap(({changes}) => changes)
  return {failures, remarks, steps, summary: summarise(lines)}
}

/** `more`: what is certain only when it is tried. */
function planned(step: StepResult, more: string | undefined): StepResult {
  if (more !== undefined) return {...step, changes: [...step.changes, more], state: 'would-change'}
  return step.state === 'changed' ? {...step, state: 'would-change'} : step
}

/** The pods that would be evicted are named; none is evicted, not even on the twin. */
function withoutEvictions(job: Job): Job {
  if (job.id !== 'drain') return job
  return {
    ...job,
    async work(context) {
      for (const line of await planDrain(context)) context.changed(line)
    },
  }
}

/** A cluster that does not answer, or whose kubeconfig is gone, must not prevent a reset. */
async function clusterSeed({machine}: ResetRun, config: Node, host: Host): Promise<ClusterSeed> {
  const seed = {assumedServices: [], clusterCIDR: config.clusterCIDR, nodeName: config.nodeName}
  try {
    const kubeconfig = await nodeKubeconfig({config, host})
    const ask = openRequests(readOnlyMachine(machine), kubeconfig)
    return {...seed, ask: (path) => ask('GET', path), mayBeSilent: true, serverURL: kubeconfig.server}
  } catch (error) {
    if (!(error instanceof K8sWinError)) throw error
    return {...seed, ask: () => Promise.reject(error), mayBeSilent: true, serverURL: 'https://127.0.0.1'}
  }
}
