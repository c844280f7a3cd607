// Sandboxes of pods in the simulated containerd, as the CRI runs, stops and removes them
// (containerd internal/cri/server/sandbox_run.go, sandbox_stop.go, sandbox_remove.go).
import {fitsHost} from '../docker/containers.js'
import {sha256} from '../docker/registry.js'
import type {Stage} from '../model.js'
import type {World} from '../world.js'
import {setUpNetwork, tearDownNetwork} from './cni.js'
import {resolveImage} from './images.js'
import {pullImage} from './pull.js'
import {RpcError} from './cri-endpoint.js'
import type {ContainerdImage, ContainerdSandbox} from './state.js'

export type PodMetadata = Pick<ContainerdSandbox, 'attempt' | 'name' | 'namespace' | 'uid'>

/** By ID or the beginning of one that only it has. */
function findSandbox({containerd}: World, id: string): ContainerdSandbox | undefined {
  const found = containerd.sandboxes.filter((sandbox) => id !== '' && sandbox.id.startsWith(id))
  return found.length === 1 ? found[0] : undefined
}

export function demandSandbox(world: World, id: string): ContainerdSandbox {
  const found = findSandbox(world, id)
  if (!found) throw new RpcError('NotFound', 'an error occurred when try to find sandbox: not found')
  return found
}

/** A sandbox with one container of the pod; rejects with an RpcError. */
export async function runSandbox(stage: Stage, pod: PodMetadata): Promise<ContainerdSandbox> {
  const {world} = stage
  const {attempt, name, namespace, uid} = pod
  const id = sha256(`sandbox ${uid} ${attempt} ${stage.now()}`)
  const image = await sandboxImage(stage)
  const ip = await setUpNetwork(stage, id)
  if (!fitsHost(image.osVersion, world.os.build)) {
    await tearDownNetwork(stage, id)
    const mismatch = 'The container operating system does not match the host operating system.'
    const failed = `failed to start sandbox ${JSON.stringify(id)}: failed to create containerd task`
    throw new RpcError(
      'Unknown',
      `${failed}: failed to create shim task: hcs::CreateComputeSystem ${id}: ${mismatch}: unknown`,
    )
  }

  const createdAt = stage.now()
  const labels = {
    'io.kubernetes.pod.name': name,
    'io.kubernetes.pod.namespace': namespace,
    'io.kubernetes.pod.uid': uid,
  }
  const container = {
    attempt,
    createdAt,
    id: sha256(`container ${id}`),
    image: world.containerd.config?.sandboxImage ?? '',
    imageId: image.id,
    labels: {...labels, 'io.kubernetes.container.name': name},
    name,
    state: 'CONTAINER_RUNNING',
  } as const
  const sandbox: ContainerdSandbox = {
    ...pod,
    containers: [container],
    createdAt,
    id,
    ip,
    labels,
    state: 'SANDBOX_READY',
  }
  world.containerd.sandboxes.push(sandbox)
  return sandbox
}

/** ensureImageExists: containerd pulls it where it is missing. A daemon lets no time pass here. */
async function sandboxImage(stage: Stage): Promise<ContainerdImage> {
  const name = stage.world.containerd.config?.sandboxImage ?? ''
  const known = resolveImage(stage.world, name)
  if (known) return known
  try {
    await pullImage({...stage, elapse: async () => {}}, name)
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
    const failed = `failed to get sandbox image ${JSON.stringify(name)}: failed to pull image ${JSON.stringify(name)}`
    throw new RpcError(error.code, `${failed}: ${error.message}`)
  }

  const pulled = resolveImage(stage.world, name)
  if (!pulled) throw new RpcError('NotFound', `failed to get sandbox image ${JSON.stringify(name)}: not found`)
  return pulled
}

/** Idempotent: a sandbox that does not exist is stopped. */
export async function stopSandbox(stage: Stage, id: string): Promise<void> {
  const sandbox = findSandbox(stage.world, id)
  if (!sandbox) return
  for (const container of sandbox.containers) container.state = 'CONTAINER_EXITED'
  sandbox.state = 'SANDBOX_NOTREADY'
  if (sandbox.ip !== undefined) await tearDownNetwork(stage, sandbox.id)
  delete sandbox.ip
}

/** A sandbox that is not stopped yet is stopped first. */
export async function removeSandbox(stage: Stage, id: string): Promise<void> {
  await stopSandbox(stage, id)
  const {containerd} = stage.world
  const gone = findSandbox(stage.world, id)
  containerd.sandboxes = containerd.sandboxes.filter((sandbox) => sandbox !== gone)
}
