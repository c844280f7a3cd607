// The commands of crictl about pods, containers and the runtime (cri-tools cmd/crictl/sandbox.go, container.go, info.go).
import {demandSandbox, removeSandbox, stopSandbox} from '../containerd/sandboxes.js'
import {loadCniConfig} from '../containerd/cni.js'
import {RpcError} from '../containerd/cri-endpoint.js'
import type {ContainerdContainer, ContainerdSandbox} from '../containerd/state.js'
import type {Stage} from '../model.js'
import {isAtLeast} from '../versions.js'
import {type Call, demandJson, Failure, prettyJson, type Printer} from './go-program.js'

/** The CRI counts in nanoseconds. */
const nanoseconds = (ms: number): string => `${Math.round(ms)}000000`
const newestFirst = <T extends {createdAt: number}>(all: readonly T[]): T[] =>
  [...all].sort((one, other) => other.createdAt - one.createdAt)

export function listPods({flags, printer, stage}: Call): void {
  demandJson(flags)
  printer.write(prettyJson({items: newestFirst(stage.world.containerd.sandboxes).map(listedPod)}))
}

export const listedPod = ({attempt, createdAt, id, labels, name, namespace, state, uid}: ContainerdSandbox) => ({
  id,
  metadata: {name, uid, namespace, attempt},
  state,
  createdAt: nanoseconds(createdAt),
  labels,
  annotations: {},
  runtimeHandler: '',
})

export function listContainers({flags, printer, stage}: Call): void {
  const all = stage.world.containerd.sandboxes.flatMap((pod) =>
    pod.containers.map((container) => ({...container, podSandboxId: pod.id})),
  )
  const shown = newestFirst(all).filter(({state}) => flags.has('all') || state === 'CONTAINER_RUNNING')
  demandJson(flags)
  printer.write(prettyJson({containers: shown.map(listedContainer)}))
}

export const listedContainer = (container: ContainerdContainer & {readonly podSandboxId: string}) => {
  const {attempt, createdAt, id, image, imageId, labels, name, podSandboxId, state} = container
  return {
    id,
    podSandboxId,
    metadata: {name, attempt},
    image: {image, annotations: {}, userSpecifiedImage: image, runtimeHandler: '', imageRef: ''},
    imageRef: imageId,
    state,
    createdAt: nanoseconds(createdAt),
    labels,
    annotations: {},
    imageId: '',
  }
}

export async function removePods({flags, printer, rest, stage}: Call): Promise<void> {
  const ids = flags.has('all') ? stage.world.containerd.sandboxes.map(({id}) => id) : rest
  if (ids.length === 0 && flags.has('all')) printer.log('info', 'No pods to remove')
  const problems: string[] = []
  for (const id of ids) {
    try {
      await removePod(stage, printer, id, flags.has('force'))
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      problems.push(error.message)
    }
  }

  if (problems.length > 0) throw new Failure(problems.join('\n'))
}

async function removePod(stage: Stage, printer: Printer, id: string, isForced: boolean): Promise<void> {
  const shown = JSON.stringify(id)
  const {state} = await ask(`getting sandbox status of pod ${shown}`, async () => demandSandbox(stage.world, id))
  if (state === 'SANDBOX_READY') {
    if (!isForced) throw new Failure(`pod sandbox ${shown} is running, please stop it first`)
    await ask(`stopping the pod sandbox ${shown} failed`, () => stopSandbox(stage, id))
    printer.write(`Stopped sandbox ${id}\n`)
  }

  await ask(`removing the pod sandbox ${shown}`, () => removeSandbox(stage, id))
  printer.write(`Removed sandbox ${id}\n`)
}

/** A call of the CRI; its error is shown behind what it was for. */
async function ask<T>(purpose: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    if (error instanceof RpcError) throw new Failure(`${purpose}: ${error.text}`)
    throw error
  }
}

/** internal/cri/server/status.go: what k8s-win reads of it. */
export async function runtimeInfo({flags, printer, stage}: Call): Promise<void> {
  demandJson(flags, 'json')
  const {config, version = ''} = stage.world.containerd
  if (!config) return
  const {error} = await loadCniConfig(stage)
  const isOld = !isAtLeast(version, '2.0')
  printer.write(
    prettyJson({
      config: {
        cni: {confDir: config.cniConfDir},
        containerdEndpoint: config.address,
        containerdRootDir: config.root,
        ...(isOld && {registry: {configPath: config.registryConfigPath}, sandboxImage: config.sandboxImage}),
      },
      golang: 'go1.24.4',
      lastCNILoadStatus: error === undefined ? 'OK' : `cni config load failed: ${error}: failed to load cni config`,
      status: {
        conditions: [
          {message: '', reason: '', status: true, type: 'RuntimeReady'},
          error === undefined
            ? {message: '', reason: '', status: true, type: 'NetworkReady'}
            : {
                message: 'Network plugin returns error: cni plugin not initialized',
                reason: 'NetworkPluginNotReady',
                status: false,
                type: 'NetworkReady',
              },
          {message: '', reason: '', status: true, type: 'ContainerdHasNoDeprecationWarnings'},
        ],
      },
    }),
  )
}
