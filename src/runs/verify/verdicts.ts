// What the containers of the smoke test say: each one's exit code is the verdict of one check.
import {curlProblem, NOT_RESOLVED} from '../../components/smoke-pod.js'
import type {SmokeCheckId} from '../../config/check-ids.js'
import {smokeDnsFailed, smokePodNotRun, smokePodsFailed, smokeServiceFailed} from '../../errors/health.js'
import type {K8sWinError} from '../../errors/k8s-win-error.js'
import type {ContainerReport, PodReport} from '../../host/cluster/pod-runs.js'

/** A pod of the cluster DNS on another node. */
export interface Peer {
  readonly address: string
  readonly node: string
  readonly port: number
}

/** Why no pod on another node is requested. */
export interface NoPeer {
  /** It could not be asked for; otherwise the cluster has none. */
  readonly isUnknown: boolean
  readonly why: string
}

export const isPeer = (found: NoPeer | Peer): found is Peer => 'address' in found

/** What the pod connects to. */
export interface SmokeTargets {
  readonly dnsName: string
  readonly dnsServer: string
  readonly node: string
  /** Where it could not be found out whether there is one, it is why. */
  readonly peer: Peer | NoPeer
  readonly serviceAddress: string
}

export type SmokeVerdict =
  | {
      readonly dependsOn?: SmokeCheckId
      readonly message: string
      readonly nothingToCheck?: true
      readonly result: 'not-checked' | 'pass'
    }
  | K8sWinError

/** Undefined: it did not finish. */
type ExitCode = number | undefined

export const TITLES: Readonly<Record<SmokeCheckId, string>> = {
  'smoke-dns': 'Cluster DNS from a pod',
  'smoke-pods': 'Pod on another node from a pod',
  'smoke-service': 'API server through its Service from a pod',
}

/** One verdict per check; or one error where the pod did not run, whose containers then say nothing. */
export function verdictsOf(targets: SmokeTargets, name: string, pod: PodReport): Record<SmokeCheckId, SmokeVerdict> {
  const codeOf = (id: SmokeCheckId): ExitCode => pod.containers.find((one) => one.name === id)?.exitCode
  const stuck = pod.containers.find(({exitCode}) => exitCode === undefined || isNoAnswer(exitCode))
  const asked: readonly SmokeCheckId[] = [
    'smoke-dns',
    'smoke-service',
    ...(isPeer(targets.peer) ? (['smoke-pods'] as const) : []),
  ]
  if (stuck || asked.some((id) => codeOf(id) === undefined)) {
    const error = smokePodNotRun({node: targets.node, pod: name, seen: seenOf(pod, stuck)})
    const depends = {
      dependsOn: 'smoke-service',
      message: 'the test pod does not run',
      result: 'not-checked',
    } as const
    return {'smoke-dns': depends, 'smoke-pods': depends, 'smoke-service': error}
  }

  return {
    'smoke-dns': dnsVerdict(targets, codeOf('smoke-dns') ?? 0, codeOf('smoke-service') ?? 0),
    'smoke-pods': podsVerdict(targets, codeOf('smoke-pods') ?? 0),
    'smoke-service': serviceVerdict(targets, codeOf('smoke-service') ?? 0),
  }
}

/** Neither a success nor a failure of the network: the program was not found, or was ended. */
const isNoAnswer = (exitCode: number): boolean => exitCode !== 0 && curlProblem(exitCode) === undefined

function seenOf({message, phase, reason}: PodReport, stuck: ContainerReport | undefined): string {
  const whole = [reason, message].filter(Boolean).join(': ')
  if (!stuck) return whole || `its phase is ${phase || 'unknown'}`
  const code = stuck.exitCode === undefined ? '' : ` with exit code ${stuck.exitCode}`
  const state = stuck.exitCode === undefined ? 'is' : 'ended'
  const why = [stuck.reason || 'not running', stuck.message].filter(Boolean).join(': ')
  const container = `the container ${stuck.name} ${state}${code} (${why})`
  return whole === '' ? container : `${whole}; ${container}`
}

/** What is waited for: "Pending (ContainerCreating)", "Running (1 of 3 requests done)". */
export function podState({containers, phase, reason}: PodReport): string {
  const waiting = containers.filter(({exitCode}) => exitCode === undefined)
  const done = containers.length - waiting.length
  const said = [...new Set([reason, ...waiting.map((one) => one.reason)])].filter(Boolean)
  const parts = [...said, ...(done === 0 ? [] : [`${done} of ${containers.length} requests done`])]
  return `${phase || 'Pending'}${parts.length === 0 ? '' : ` (${parts.join(', ')})`}`
}

const passed = (message: string): SmokeVerdict => ({message, result: 'pass'})
const failed = (exitCode: number): string => `${curlProblem(exitCode) ?? 'failed'} (exit code ${exitCode})`

function serviceVerdict({node, serviceAddress: address}: SmokeTargets, exitCode: number): SmokeVerdict {
  if (exitCode === 0) return passed(`${address}:443 responds`)
  return smokeServiceFailed({address, node, seen: failed(exitCode)})
}

/** Its request goes to the same Service: where that fails, only a name that is not resolved says something about DNS. */
function dnsVerdict(
  {dnsName: name, dnsServer: server, node}: SmokeTargets,
  exitCode: number,
  service: number,
): SmokeVerdict {
  if (exitCode === 0) return passed(`${server} resolves ${name}`)
  if (exitCode !== NOT_RESOLVED && service !== 0) {
    return {
      dependsOn: 'smoke-service',
      message: 'the API server does not respond through its Service',
      result: 'not-checked',
    }
  }
  return smokeDnsFailed({name, node, seen: failed(exitCode), server})
}

function podsVerdict({node, peer}: SmokeTargets, exitCode: number): SmokeVerdict {
  if (!isPeer(peer)) return {message: peer.why, result: 'not-checked', ...(!peer.isUnknown && {nothingToCheck: true})}
  const address = `${peer.address}:${peer.port}`
  if (exitCode === 0) return passed(`${address} on ${peer.node} responds`)
  return smokePodsFailed({address, node, peer: peer.node, seen: failed(exitCode)})
}
