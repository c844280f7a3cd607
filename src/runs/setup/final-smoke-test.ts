// The end of setup: the smoke test, where the node's identity may create pods.
import {K8sWinError, ProblemsError} from '../../errors/k8s-win-error.js'
import {nodeKubeconfig} from '../../pipeline/desired/cluster/node-cluster.js'
import {notRun, type SmokeOutcome, smokeTest} from '../verify/smoke-test.js'
import type {SetupRun} from '../phases/setup-run.js'

const NOT_AVAILABLE_EXIT = 3

/** Throws what failed. Where steps were skipped the user knows better: a warning. */
export async function finalSmokeTest(run: SetupRun): Promise<void> {
  const {bus, config, report} = run
  const {checks, problems, whyNot} = await attempt(run)
  report.checks = [...report.checks, ...checks]
  if (whyNot !== undefined) bus.info(`smoke test not run: ${whyNot}`)
  if (problems.length > 0 && config.skip.length === 0) throw new ProblemsError(problems)
  for (const {fix, message, reason} of problems) {
    bus.warn(`${message}. ${reason} ${fix}`)
  }
}

/** A cluster that does not respond for a moment must not end a setup that has done its work. */
async function attempt({bus, host, node: config, signal}: SetupRun): Promise<SmokeOutcome> {
  try {
    return await smokeTest({bus, config, host, kubeconfig: await nodeKubeconfig({config, host}), signal})
  } catch (error) {
    if (!(error instanceof K8sWinError) || error.exitCode !== NOT_AVAILABLE_EXIT) throw error
    return notRun(`${error.message}. ${error.reason} Run "k8s-win verify --kubeconfig <file>" later`)
  }
}
