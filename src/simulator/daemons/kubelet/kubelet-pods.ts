// Pods of this node that were created through the API: the kubelet starts their containers, and reports how they ended.
import type {ClusterPod, ContainerState} from '../../cluster/state.js'
import type {Stage} from '../../model.js'
import type {KubeletConfig} from './kubelet-config.js'
import {curlExitCode, isCurl} from './pod-curl.js'

/** What the container runtime has for them. */
export interface PodRuntime {
  /** Undefined while the pod has no sandbox. */
  addressOf(pod: ClusterPod): string | undefined
  hasImage(reference: string): boolean
  /** How a container ends whose program is not in its image. */
  readonly notStarted: {readonly exitCode: number; readonly reason: string}
}

interface Container {
  readonly args?: readonly string[]
  readonly command?: readonly string[]
  readonly image?: string
  readonly imagePullPolicy?: string
  readonly name: string
}

const CREATING: ContainerState = {waiting: {reason: 'ContainerCreating'}}

export const podsWithSpec = ({world}: Stage, node: string): ClusterPod[] =>
  (world.cluster.pods ?? []).filter(
    ({deletedAt, node: where, phase, spec}) =>
      spec !== undefined && where === node && deletedAt === undefined && (phase === 'Pending' || phase === 'Running'),
  )

/** One round of the kubelet: between two of them curl tries again, as long as its options say. */
export function runPods(stage: Stage, config: KubeletConfig, node: string, runtime: PodRuntime): void {
  for (const pod of podsWithSpec(stage, node)) {
    const now = stage.now()
    pod.startedAt ??= now
    const ip = runtime.addressOf(pod)
    if (ip !== undefined) pod.ip = ip
    const before = pod.containers ?? {}
    const states = containersOf(pod).map((container): [string, ContainerState] => {
      const state = before[container.name] ?? CREATING
      return [container.name, ip === undefined ? state : advance(stage, {config, container, runtime, state})]
    })
    pod.containers = Object.fromEntries(states)
    pod.phase = phaseOf(Object.values(pod.containers))
    if (pod.phase === 'Pending' || pod.phase === 'Running') endLate(pod, now)
  }
}

const containersOf = ({spec}: ClusterPod): readonly Container[] => (spec?.['containers'] ?? []) as Container[]

interface Running {
  readonly config: KubeletConfig
  readonly container: Container
  readonly runtime: PodRuntime
  readonly state: ContainerState
}

function advance(stage: Stage, {config, container, runtime, state}: Running): ContainerState {
  const {args = [], command: [program = '', ...rest] = [], image = '', imagePullPolicy} = container
  if (state.terminated) return state
  const now = stage.now()
  if (!state.running && !runtime.hasImage(image)) return withoutImage(image, imagePullPolicy)
  const startedAt = state.running?.startedAt ?? now
  const ended = (exitCode: number, reason: string): ContainerState => ({
    terminated: {exitCode, finishedAt: now, reason, startedAt},
  })
  if (!isCurl(program)) return ended(runtime.notStarted.exitCode, runtime.notStarted.reason)
  // It takes a moment until it has its first answer.
  if (!state.running) return {running: {startedAt}}
  const all = [...rest, ...args]
  const dns = config['clusterDNS'] as string[] | undefined
  const exitCode = curlExitCode(stage, all, dns?.[0] ?? '')
  const patienceMs = Number(all[all.indexOf('--retry-max-time') + 1] ?? 0) * 1000
  if (exitCode !== 0 && all.includes('--retry-max-time') && now - startedAt < patienceMs) return state
  return ended(exitCode, exitCode === 0 ? 'Completed' : 'Error')
}

/** pkg/kubelet/images/image_manager.go; no other image is pulled for a pod here. */
function withoutImage(image: string, policy: string | undefined): ContainerState {
  return policy === 'Never'
    ? {
        waiting: {
          message: `Container image "${image}" is not present with pull policy of Never`,
          reason: 'ErrImageNeverPull',
        },
      }
    : {waiting: {message: `Back-off pulling image "${image}"`, reason: 'ImagePullBackOff'}}
}

/** pkg/kubelet/kubelet_pods.go, getPhase, of containers that are not restarted. */
function phaseOf(states: readonly ContainerState[]): NonNullable<ClusterPod['phase']> {
  if (states.some(({waiting}) => waiting)) return 'Pending'
  if (states.some(({running}) => running)) return 'Running'
  return states.every(({terminated}) => terminated?.exitCode === 0) ? 'Succeeded' : 'Failed'
}

/** pkg/kubelet/active_deadline.go. */
function endLate(pod: ClusterPod, now: number): void {
  const seconds = pod.spec?.['activeDeadlineSeconds']
  if (typeof seconds !== 'number' || now - (pod.startedAt ?? now) < seconds * 1000) return
  pod.phase = 'Failed'
  pod.problem = {
    message: 'Pod was active on the node longer than the specified deadline',
    reason: 'DeadlineExceeded',
  }
}
