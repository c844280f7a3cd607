// The phase of recover that changes the host: the steps that are wrong, in the order of setup.
import {nodeCluster} from '../../pipeline/desired/cluster/node-cluster.js'
import {notRun} from '../../pipeline/run/run-task.js'
import {serverLost} from '../../errors/health.js'
import {within} from '../../host/wait.js'
import {runOn} from '../setup/apply.js'
import {isSilence, named} from '../setup/check.js'
import {demandHealth} from '../setup/final-health.js'
import type {SetupRun} from '../setup/setup-run.js'

const ANSWER_MS = 10_000

/**
 * A step that fails does not stop the others. What only the cluster can judge comes last: that it did not respond may have
 * been the fault of this host's network, which is repaired by now.
 */
export async function repair(run: SetupRun): Promise<void> {
  const {bus, report, signal, steps, unasked = []} = run
  const isUnasked = ({id}: {readonly id: string}): boolean => unasked.some((one) => one === id)
  const [left, asked] = [steps.filter(isUnasked), steps.filter((step) => !isUnasked(step))]
  const first = await runOn(run, asked, isSilence)
  const isAnswering = left.length > 0 && !signal.aborted && (await clusterResponds(run))
  const second = isAnswering ? await runOn(run, left, isSilence) : {results: left.map(notRun)}
  const results = [...first.results, ...second.results]
  report.steps = steps.flatMap(({id}) => results.find((one) => one.id === id) ?? [])
  if (left.length > 0 && !isAnswering)
    bus.warn(`the API server does not respond, so these were not checked: ${unasked.join(', ')}`)
  const error = first.error ?? second.error
  if (error === undefined) return
  // What does not respond is named by the checks, which know more about the reason.
  if (serverLost.is(error)) await demandHealth(run)
  throw named(error)
}

async function clusterResponds({host, node: config}: SetupRun): Promise<boolean> {
  const ask = async (): Promise<unknown> => (await nodeCluster({config, host})).node(config.nodeName)
  return within(host.clock, ANSWER_MS, ask()).then(
    () => true,
    () => false,
  )
}
