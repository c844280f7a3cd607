// The end of setup: the smoke test, where the node's identity may create pods.
import type {Node} from '../../config/model.js'
import {K8sWinError, ProblemsError} from '../../errors/k8s-win-error.js'
import type {Host} from '../../host/host.js'
import {nodeKubeconfig} from '../../pipeline/desired/cluster/node-cluster.js'
import type {CheckResult, EventBus} from '../../pipeline/run/events.js'
import {reportedSmokeTest} from '../verify/reported-smoke-test.js'
import {notRun, type SmokeOutcome} from '../verify/smoke-test.js'

export interface FinalSmokeTest {
  readonly bus: EventBus
  readonly config: Node
  readonly host: Host
  readonly onChecks: (checks: readonly CheckResult[]) => void
  readonly signal: AbortSignal
}

const NOT_AVAILABLE_EXIT = 3

/** Throws what failed. Where steps were skipped the user knows better: a warning. */
export async function finalSmokeTest({onChecks, ...test}: FinalSmokeTest): Promise<void> {
  const {bus, config} = test
  const {checks, problems, whyNot} = await attempt(test)
  onChecks(checks)
  if (whyNot !== undefined) bus.emit({level: 'info', message: `smoke test not run: ${whyNot}`, type: 'log'})
  if (problems.length > 0 && config.skip.length === 0) throw new ProblemsError(problems)
  for (const {fix, message, reason} of problems) {
    bus.emit({level: 'warn', message: `${message}. ${reason} ${fix}`, type: 'log'})
  }
}

/** A cluster that does not respond for a moment must not end a setup that has done its work. */
async function attempt(test: Omit<FinalSmokeTest, 'onChecks'>): Promise<SmokeOutcome> {
  try {
    return await reportedSmokeTest({...test, kubeconfig: await nodeKubeconfig(test)})
  } catch (error) {
    if (!(error instanceof K8sWinError) || error.exitCode !== NOT_AVAILABLE_EXIT) throw error
    return notRun(`${error.message}. ${error.reason} Run "k8s-win verify" later`)
  }
}
