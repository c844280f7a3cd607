// All checks, side by side; every problem is told, not only the first.
import {type K8sWinError, ProblemsError} from '../errors/k8s-win-error.js'
import {checkBroken} from '../errors/program.js'
import {orAborted} from '../host/wait.js'
import type {Clock} from '../machine/clock.js'
import type {CheckResult} from '../pipeline/events.js'
import {explain} from '../pipeline/explain.js'
import type {Check} from './check.js'
import {clientCA, clusterAdministrator, clusterDNS, kubeconfigs} from './cluster-checks.js'
import {antivirus, localRules, longPaths, pendingRestart} from './condition-checks.js'
import {flannelDaemonSet, linuxDaemonSets} from './daemon-set-checks.js'
import {docker, dockerApi, dockerDisk, dockerLogs, dockerMode, dockerProxy, dockerService} from './docker-checks.js'
import type {HostFacts} from './facts.js'
import {flannelConfig} from './flannel-checks.js'
import {safeFolders} from './folder-checks.js'
import {baseDrive, disk, memory, processors} from './hardware-checks.js'
import {containersFeature, hnsService, hnsVersion, otherNetworks} from './hns-checks.js'
import {administrator, baseDirectory, networkInterface, nodeName, ports} from './host-checks.js'
import {credentials, nodeIdentity, permissions} from './identity-checks.js'
import {hostNetworks, interfaceAddress, virtualMachine} from './network-checks.js'
import {nodeObject, podNetwork, serviceNetwork} from './node-checks.js'
import {cniFolder, networks, rules, services} from './ownership-checks.js'
import {apiServer, serverClock, serverVersion} from './server-checks.js'
import {architecture, releaseWindows, windowsPatch, windowsVersion} from './windows-checks.js'

export const CHECKS: readonly Check[] = [
  administrator,
  windowsVersion,
  releaseWindows,
  windowsPatch,
  architecture,
  processors,
  memory,
  disk,
  pendingRestart,
  baseDirectory,
  safeFolders,
  baseDrive,
  longPaths,
  kubeconfigs,
  credentials,
  clusterAdministrator,
  nodeIdentity,
  clientCA,
  networkInterface,
  interfaceAddress,
  hostNetworks,
  virtualMachine,
  nodeName,
  containersFeature,
  hnsService,
  hnsVersion,
  docker,
  dockerService,
  dockerMode,
  dockerApi,
  dockerProxy,
  dockerDisk,
  dockerLogs,
  ports,
  services,
  rules,
  networks,
  otherNetworks,
  cniFolder,
  localRules,
  antivirus,
  apiServer,
  serverVersion,
  serverClock,
  permissions,
  nodeObject,
  clusterDNS,
  serviceNetwork,
  podNetwork,
  flannelConfig,
  flannelDaemonSet,
  linuxDaemonSets,
]

/** One that hangs must not hide the others. */
const CHECK_MS = 60_000

export interface PreflightOutcome {
  /** Why those that found a problem found it, by their id: more than fits into a message. */
  readonly causes: Readonly<Record<string, string>>
  readonly problems: readonly K8sWinError[]
  readonly results: readonly CheckResult[]
}

export async function runChecks(
  facts: HostFacts,
  clock: Clock,
  onResult: (result: CheckResult, cause?: string) => void,
  signal: AbortSignal,
  waitsFor: () => string | undefined = () => undefined,
  checks: readonly Check[] = CHECKS,
): Promise<PreflightOutcome> {
  const outcomes = await Promise.all(
    checks.map(async (check) => {
      const started = clock.now()
      const {cause, problems, ...verdict} = await judge(check, facts, clock, signal, waitsFor)
      const result = {durationMs: clock.now() - started, id: check.id, title: check.title, ...verdict}
      onResult(result, cause)
      return {cause, problems, result}
    }),
  )
  return {
    causes: Object.fromEntries(
      outcomes.flatMap(({cause, result}) => (cause === undefined ? [] : [[result.id, cause]])),
    ),
    problems: distinct(outcomes.flatMap((outcome) => outcome.problems)),
    results: outcomes.map((outcome) => outcome.result),
  }
}

type Judgement = Pick<CheckResult, 'fix' | 'looked' | 'message' | 'result'> & {
  cause?: string
  problems: readonly K8sWinError[]
}

async function judge(
  check: Check,
  facts: HostFacts,
  clock: Clock,
  signal: AbortSignal,
  waitsFor: () => string | undefined,
): Promise<Judgement> {
  const deadline = clock.deadline(CHECK_MS)
  try {
    return {...(await orAborted(check.run(facts), AbortSignal.any([signal, deadline.signal]))), problems: []}
  } catch (error) {
    signal.throwIfAborted()
    const problems =
      error instanceof ProblemsError
        ? error.problems
        : [explain(error, check.title, waitsFor()) ?? broken(check, error)]
    const cause = [...new Set(problems.map((problem) => problem.reason))].join(' ')
    const fix = joined(problems.map((problem) => problem.fix))
    const message = problems.map((problem) => problem.message).join('; ')
    return facts.config.ignoreChecks.includes(check.id)
      ? {cause, fix, message: `${message} (ignored: --ignore-check ${check.id})`, problems: [], result: 'warn'}
      : {cause, fix, message, problems, result: 'fail'}
  } finally {
    deadline.cancel()
  }
}

/** A fix that ends with commands keeps each on a line of its own. */
function joined(fixes: readonly string[]): string {
  return [...new Set(fixes)].reduce((all, fix) => `${all}${all.includes('\n') ? '\n' : ' '}${fix}`)
}

/** A bug of ours in one check must not hide what the others found. */
function broken({id}: Check, error: unknown): K8sWinError {
  return checkBroken({id, reason: error instanceof Error ? error.message : String(error)}, {cause: error})
}

/** Several checks may stumble over the same thing, a missing kubeconfig for one. */
function distinct(problems: readonly K8sWinError[]): K8sWinError[] {
  return problems.filter((problem, index) => problems.findIndex((other) => other.message === problem.message) === index)
}
