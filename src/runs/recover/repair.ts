// The phase of recover that changes the host: the steps that are wrong, in the order of setup.
import {nodeCluster} from '../../pipeline/desired/cluster/node-cluster.js'
import {notRun} from '../../pipeline/run/run-task.js'
import {readClientCA} from '../../preflight/checks/kubeconfig-checks.js'
import {serverLost} from '../../errors/health.js'
import {K8sWinError} from '../../errors/k8s-win-error.js'
import {within} from '../../host/wait.js'
import {countRestored, runOn} from '../phases/apply.js'
import {isSilence, named} from '../phases/check.js'
import {demandHealth} from '../phases/final-health.js'
import type {SetupRun} from '../phases/setup-run.js'

const ANSWER_MS = 10_000

/**
 * A step that fails does not stop the others. What only the cluster can judge comes last: that it did not respond may have
 * been the fault of this host's network, which is repaired by now.
 */
export async function repair(run: SetupRun): Promise<void> {
  const {bus, report, signal, steps, unasked = []} = run
  const isUnasked = ({id}: {readonly id: string}): boolean => unasked.some((one) => one === id)
  const [left, asked] = [steps.filter(isUnasked), steps.filter((step) => !isUnasked(step))]
  const first = await runOn(run, asked, {isUnjudged: isSilence})
  const isAnswering = left.length > 0 && !signal.aborted && (await clusterResponds(run))
  const second = isAnswering ? await runOn(run, left, {isUnjudged: isSilence}) : {results: left.map(notRun)}
  const results = [...first.results, ...second.results]
  report.steps = steps.flatMap(({id}) => results.find((one) => one.id === id) ?? [])
  countRestored(run)
  if (left.length > 0 && !isAnswering)
    bus.warn(`the API server does not respond, so these were not checked: ${unasked.join(', ')}`)
  const error = first.error ?? second.error
  if (error === undefined) return
  // A cluster that does not respond is the cause of much that steps report: the checks name it.
  const isFailure = error instanceof K8sWinError && !signal.aborted
  if (isFailure && (serverLost.is(error) || (!isAnswering && !(await clusterResponds(run))))) await demandHealth(run)
  throw named(error)
}

async function clusterResponds(run: SetupRun): Promise<boolean> {
  const {host, node: config} = run
  const ask = async (): Promise<unknown> => {
    const cluster = await nodeCluster({config, host})
    const clusterDNS = config.clusterDNS || (await cluster.dnsAddress())
    if (clusterDNS === undefined) throw new Error('the cluster has no DNS')
    const node = await cluster.node(config.nodeName)
    const clientCA = config.clientCA || (await readClientCA(run.facts)).pem
    run.node = {...config, clientCA, clusterDNS}
    return node
  }
  return within(host.clock, ANSWER_MS, ask()).then(
    () => true,
    () => false,
  )
}
