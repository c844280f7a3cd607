// A kubelet since 1.24 and the container runtime behind its CRI endpoint: whether it can use it, and the pods it runs there.
import {loadCniConfig} from '../../containerd/cni.js'
import {criProblem, RpcError} from '../../containerd/cri-endpoint.js'
import {resolveImage} from '../../containerd/images.js'
import {removeSandbox, runSandbox} from '../../containerd/sandboxes.js'
import {uidOf} from '../../cluster/pods.js'
import type {Stage} from '../../model.js'
import {windowsPath} from '../../windows/names.js'
import type {ClusterPod} from '../../cluster/state.js'
import type {KlogProcess} from '../klog.js'
import {type KubeletConfig, resolvConfOf} from './kubelet-config.js'
import type {PodRuntime} from './kubelet-pods.js'

/** The field came with 1.27, with a default that is Linux' on Windows too (pkg/kubelet/apis/config/v1beta1/defaults.go). */
function endpointOf({flags, version}: KlogProcess, config: KubeletConfig): string {
  const flag = flags.get('container-runtime-endpoint')
  if (flag !== undefined || version.minor < 27) return flag ?? ''
  const field = config['containerRuntimeEndpoint']
  return typeof field === 'string' ? field : 'unix:///run/containerd/containerd.sock'
}

/** Why the kubelet cannot use its runtime, or undefined. */
export function containerdProblem(process: KlogProcess, config: KubeletConfig): string | undefined {
  const endpoint = endpointOf(process, config)
  if (endpoint === '') {
    const advice = 'use --container-runtime-endpoint to set'
    return `the container runtime endpoint address was not specified or empty, ${advice}`
  }

  // It runs as LocalSystem.
  const ask = (api?: 'v1alpha2') => criProblem(process.stage.world, 'runtime', endpoint, true, api)?.message
  const message = ask()
  if (process.version.minor > 25 || message === undefined) return message
  const isMissing = message.includes('code = Unimplemented')
  const old = isMissing ? ask('v1alpha2') : message
  return old && inOldWords(old, isMissing)
}

/**
 * pkg/kubelet/cri/remote/remote_runtime.go of all patches of 1.24 and 1.25, determineAPIVersion: it asks for version 1 of
 * the CRI first, and only without that continues with v1alpha2, which it then asks for its version (kuberuntime_manager.go).
 * grpc-go has no colon there yet.
 */
function inOldWords(message: string, isMissing: boolean): string {
  const failed = isMissing ? 'get remote runtime typed version failed' : 'unable to determine runtime API version'
  return message
    .replace(/^validate .*?: rpc error:/, `${failed}: rpc error:`)
    .replace('Error while dialing: ', 'Error while dialing ')
}

/** The condition NetworkReady of the CRI (containerd internal/cri/server/status.go), where it is false. */
export async function networkProblem(stage: Stage): Promise<string | undefined> {
  const {error} = await loadCniConfig(stage)
  if (error === undefined) return undefined
  const message = 'Network plugin returns error: cni plugin not initialized'
  return `NetworkReady=false reason:NetworkPluginNotReady message:${message}`
}

/** Runs the pods of this node that have no sandbox, and removes the sandboxes of others. Returns what failed. */
export async function syncPods(process: KlogProcess, config: KubeletConfig, node: string): Promise<string[]> {
  const {flags, stage, version} = process
  const problems: string[] = []
  // A twin knows the sandboxes of the host, but not the pods that its cluster has scheduled there.
  if (stage.world.containerd.assumesTags) return problems
  const attempt = async (work: () => Promise<unknown>): Promise<void> => {
    try {
      await work()
    } catch (error) {
      if (!(error instanceof RpcError)) throw error
      problems.push(error.text)
    }
  }

  const pods = podsOn(stage, node)
  const wanted = new Set(pods.map(({uid}) => uid))
  const sandboxes = stage.world.containerd.sandboxes.filter(({labels}) => 'io.kubernetes.pod.uid' in labels)
  for (const {id} of sandboxes.filter(({uid}) => !wanted.has(uid))) await attempt(() => removeSandbox(stage, id))
  const resolvConf = resolvConfOf(config, flags, version.minor)
  const isReadable = resolvConf === '' || (await stage.files.status(windowsPath(resolvConf))) !== undefined
  for (const pod of pods) {
    const all = sandboxes.filter(({uid}) => uid === pod.uid)
    if (all.some(({state}) => state === 'SANDBOX_READY')) continue
    if (!isReadable) {
      problems.push(`open ${resolvConf}: The system cannot find the path specified.`)
      continue
    }

    await attempt(() => runSandbox(stage, {...pod, attempt: all.length}))
    // Of a pod whose runtime was stopped: the old sandbox goes when the new one runs.
    for (const {id} of all) await attempt(() => removeSandbox(stage, id))
  }

  return problems
}

/** Those that the API server has, until they are gone. */
function podsOn({now, world}: Stage, node: string): (Pick<ClusterPod, 'name' | 'namespace'> & {uid: string})[] {
  return (world.cluster.pods ?? [])
    .filter(
      (pod) => pod.node === node && pod.deletedAt === undefined && (pod.goneAt === undefined || pod.goneAt > now()),
    )
    .filter(({phase = 'Running'}) => phase === 'Running' || phase === 'Pending')
    .map((pod) => ({name: pod.name, namespace: pod.namespace, uid: uidOf(pod)}))
}

/** containerd internal/cri/server/helpers.go: errorStartExitCode and errorStartReason. */
export const containerdPods = ({world}: Stage): PodRuntime => ({
  addressOf: (pod) =>
    world.containerd.sandboxes.find(({state, uid}) => uid === uidOf(pod) && state === 'SANDBOX_READY')?.ip,
  hasImage: (reference) => resolveImage(world, reference) !== undefined,
  notStarted: {exitCode: 128, reason: 'StartError'},
})
