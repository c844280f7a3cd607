// Runs all checks at once and reports every problem, not only the first.
import type {CheckId} from '../config/check-ids.js'
import {type Decided, fits} from '../config/model.js'
import {kubeconfigMissing, kubeconfigUnreadable} from '../errors/cluster.js'
import {kubeconfigUntrusted} from '../errors/folders.js'
import * as join from '../errors/join.js'
import {
  containersMissing,
  interfaceAmbiguous,
  interfaceDown,
  interfaceMissing,
  interfaceWithoutAddress,
} from '../errors/host.js'
import {type K8sWinError, ProblemsError} from '../errors/k8s-win-error.js'
import {checkBroken} from '../errors/program.js'
import * as secrets from '../errors/secrets.js'
import type {CheckResult} from '../pipeline/run/events.js'
import {toUserError} from '../pipeline/run/to-user-error.js'
import {type Check, dependsOn} from './check.js'
import {failedRow, foundRow, type Row} from './check-row.js'
import {CLUSTER_CHECKS} from './checks/kubeconfig-checks.js'
import {CONDITION_CHECKS} from './checks/condition-checks.js'
import {CONTAINERD_CHECKS} from './checks/containerd-checks.js'
import {CREDENTIAL_CHECKS} from './checks/credential-provider.js'
import {ACCESS_CHECKS} from './checks/kubelet-access.js'
import {DOCKER_CHECKS} from './checks/docker-checks.js'
import type {Facts} from './facts.js'
import {FLANNEL_CHECKS} from './checks/flannel-checks.js'
import {HARDWARE_CHECKS} from './checks/hardware-checks.js'
import {HNS_CHECKS} from './checks/hns-checks.js'
import {HOST_CHECKS} from './checks/host-checks.js'
import {IDENTITY_CHECKS} from './checks/identity-checks.js'
import {NETWORK_CHECKS} from './checks/network-checks.js'
import {NODE_CHECKS} from './checks/cluster-network-checks.js'
import {OWNERSHIP_CHECKS} from './checks/ownership-checks.js'
import {type RanCheck, runCheck} from './run-check.js'
import {SERVER_CHECKS} from './checks/server-checks.js'
import {WINDOWS_CHECKS} from './checks/windows-checks.js'

export const CHECKS: readonly Check[] = [
  ...HOST_CHECKS,
  ...WINDOWS_CHECKS,
  ...HARDWARE_CHECKS,
  ...CONDITION_CHECKS,
  ...CLUSTER_CHECKS,
  ...IDENTITY_CHECKS,
  ...NETWORK_CHECKS,
  ...HNS_CHECKS,
  ...DOCKER_CHECKS,
  ...CONTAINERD_CHECKS,
  ...CREDENTIAL_CHECKS,
  ...ACCESS_CHECKS,
  ...OWNERSHIP_CHECKS,
  ...SERVER_CHECKS,
  ...NODE_CHECKS,
  ...FLANNEL_CHECKS,
]

/** A check that hangs must not hide the others. */
const CHECK_MS = 60_000

/**
 * The check that reports an error which other checks meet too: those say that they depend on it. Only for errors of facts
 * that are read once for all checks, because then the owner fails with the same error and nothing is hidden.
 */
const OWNERS: Readonly<Record<string, CheckId>> = {
  [containersMissing.id]: 'containers-feature',
  [interfaceAmbiguous.id]: 'interface',
  [interfaceDown.id]: 'interface',
  [interfaceMissing.id]: 'interface',
  [interfaceWithoutAddress.id]: 'interface',
  [kubeconfigMissing.id]: 'kubeconfig',
  [kubeconfigUnreadable.id]: 'kubeconfig',
  [kubeconfigUntrusted.id]: 'kubeconfig',
  ...Object.fromEntries([...Object.values(join), ...Object.values(secrets)].map(({id}) => [id, 'kubeconfig'] as const)),
}

/** What a check found: its row, and the problems that are its own. */
export interface JudgedCheck {
  readonly check: Check
  readonly problems: readonly K8sWinError[]
  readonly row: Row
}

export interface PreflightOutcome {
  readonly judged: readonly JudgedCheck[]
  readonly problems: readonly K8sWinError[]
  /** The rows without their causes: more than fits into a message. */
  readonly results: readonly CheckResult[]
}

export interface ChecksRun {
  readonly checks?: readonly Check[]
  /** For each check. */
  readonly deadlineMs?: number
  onRow?(row: Row): void
  /** Aborted on Ctrl-C. */
  readonly signal: AbortSignal
  waitsFor?(): string | undefined
}

export async function runChecks(facts: Facts, run: ChecksRun): Promise<PreflightOutcome> {
  const {checks = CHECKS, deadlineMs = CHECK_MS, onRow, signal, waitsFor = () => undefined} = run
  const applying = checks.filter((check) => fits(check, facts.config))
  const judged = await Promise.all(
    applying.map(async (check) => {
      const {clock} = facts.host
      const one = judge(check, facts, await runCheck(check, {clock, deadlineMs, facts: () => facts, signal, waitsFor}))
      onRow?.(one.row)
      return one
    }),
  )
  return {
    judged,
    problems: distinct(judged.flatMap(({problems}) => problems)),
    results: judged.map(({row: {cause: _, ...result}}) => result),
  }
}

function judge(check: Check, {config}: Facts, ran: RanCheck<unknown>): JudgedCheck {
  const {id, title} = check
  const about = {durationMs: ran.durationMs, id, title}
  if (ran.finding) return {check, problems: [], row: {...about, ...foundRow(check, ran.finding)}}
  const {error, waiting} = ran
  const problems =
    error instanceof ProblemsError ? error.problems : [toUserError(error, title, waiting) ?? broken(check, error)]
  const owner = ownerOf(config, check, problems)
  const row = {...about, ...failedRow(problems.map(({fix, message, reason: cause}) => ({cause, fix, message})))}
  if (owner) return {check, problems: [], row: {...about, ...dependsOn(owner.id, row.message)}}
  if (!config.ignoreChecks.includes(id)) return {check, problems, row}
  return {check, problems: [], row: {...row, message: `${row.message} (ignored: --ignore-check ${id})`, result: 'warn'}}
}

/** The check that reports all of these, unless --ignore-check names it: then nothing else would stop setup. */
function ownerOf(config: Decided, check: Check, problems: readonly K8sWinError[]): Check | undefined {
  const owners = new Set(problems.map(({id}) => OWNERS[id] ?? check.id))
  const [only] = owners
  if (owners.size !== 1 || only === check.id || config.ignoreChecks.includes(String(only))) return undefined
  return CHECKS.find(({id}) => id === only)
}

/** A bug in one check must not hide what the others found. */
function broken({id}: Check, error: unknown): K8sWinError {
  return checkBroken({id, reason: error instanceof Error ? error.message : String(error)}, {cause: error})
}

/** Several checks can fail for the same reason, such as a missing kubeconfig. */
function distinct(problems: readonly K8sWinError[]): K8sWinError[] {
  return problems.filter((problem, index) => problems.findIndex((other) => other.message === problem.message) === index)
}
