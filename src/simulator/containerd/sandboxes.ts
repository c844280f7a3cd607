// Sandboxes of pods in the simulated containerd, as the CRI stops and removes them.
import type {Stage} from '../model.js'
import type {World} from '../world.js'
import {RpcError} from './rpc.js'
import type {ContainerdSandbox} from './state.js'

/** By ID or the beginning of one that only it has. */
export function findSandbox({containerd}: World, id: string): ContainerdSandbox | undefined {
  const found = containerd.sandboxes.filter((sandbox) => id !== '' && sandbox.id.startsWith(id))
  return found.length === 1 ? found[0] : undefined
}

export function demandSandbox(world: World, id: string): ContainerdSandbox {
  const found = findSandbox(world, id)
  if (!found) throw new RpcError('NotFound', 'an error occurred when try to find sandbox: not found')
  return found
}

/** Idempotent: a sandbox that does not exist is stopped. */
export function stopSandbox({world}: Stage, id: string): void {
  const sandbox = findSandbox(world, id)
  if (!sandbox) return
  for (const container of sandbox.containers) container.state = 'CONTAINER_EXITED'
  sandbox.state = 'SANDBOX_NOTREADY'
}

export function removeSandbox({world}: Stage, id: string): void {
  const {containerd} = world
  containerd.sandboxes = containerd.sandboxes.filter((sandbox) => sandbox !== findSandbox(world, id))
}
