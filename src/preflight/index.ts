// All checks, side by side; every problem is told, not only the first.
import {type K8sWinError, ProblemsError} from '../errors/k8s-win-error.js'
import {orAborted} from '../host/wait.js'
import type {Clock} from '../machine/clock.js'
import type {CheckResult} from '../pipeline/events.js'
import {explain} from '../pipeline/explain.js'
import type {Check} from './check.js'
import {apiServer, clientCA, clusterAdministrator, clusterDNS, kubeconfigs} from './cluster-checks.js'
import {docker} from './docker-checks.js'
import type {HostFacts} from './facts.js'
import {administrator, baseDirectory, networkInterface, nodeName, ports, windowsVersion} from './host-checks.js'
import {cniFolder, networks, rules, services} from './ownership-checks.js'

export const CHECKS: readonly Check[] = [
  administrator,
  windowsVersion,
  baseDirectory,
  kubeconfigs,
  clusterAdministrator,
  clientCA,
  networkInterface,
  nodeName,
  docker,
  ports,
  services,
  rules,
  networks,
  cniFolder,
  apiServer,
  clusterDNS,
]

/** One that hangs must not hide the others. */
const CHECK_MS = 60_000

export interface PreflightOutcome {
  readonly problems: readonly K8sWinError[]
  readonly results: readonly CheckResult[]
}

export async function runChecks(
  facts: HostFacts,
  clock: Clock,
  onResult: (result: CheckResult) => void,
  signal: AbortSignal,
): Promise<PreflightOutcome> {
  const outcomes = await Promise.all(
    CHECKS.map(async (check) => {
      const started = clock.now()
      const {problems, ...verdict} = await judge(check, facts, clock, signal)
      const result = {durationMs: clock.now() - started, id: check.id, title: check.title, ...verdict}
      onResult(result)
      return {problems, result}
    }),
  )
  return {
    problems: distinct(outcomes.flatMap((outcome) => outcome.problems)),
    results: outcomes.map((outcome) => outcome.result),
  }
}

async function judge(
  check: Check,
  facts: HostFacts,
  clock: Clock,
  signal: AbortSignal,
): Promise<Pick<CheckResult, 'fix' | 'message' | 'result'> & {problems: readonly K8sWinError[]}> {
  const deadline = clock.deadline(CHECK_MS)
  try {
    return {...(await orAborted(check.run(facts), AbortSignal.any([signal, deadline.signal]))), problems: []}
  } catch (error) {
    signal.throwIfAborted()
    const known =
      error instanceof ProblemsError
        ? error.problems
        : [explain(error, check.title)].filter((entry) => entry !== undefined)
    if (known.length === 0) throw error
    const fixes = [...new Set(known.map((problem) => problem.fix))]
    return {
      fix: fixes.join(' '),
      message: known.map((problem) => problem.message).join('; '),
      problems: known,
      result: 'fail',
    }
  } finally {
    deadline.cancel()
  }
}

/** Several checks may stumble over the same thing, a missing kubeconfig for one. */
function distinct(problems: readonly K8sWinError[]): K8sWinError[] {
  return problems.filter((problem, index) => problems.findIndex((other) => other.message === problem.message) === index)
}
