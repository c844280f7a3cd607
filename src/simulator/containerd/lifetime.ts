// When the simulated containerd and the shim of its pods run, what answers on its pipe, and what goes with them.
import {win32} from 'node:path'

import type {Stage} from '../model.js'
import type {World} from '../world.js'
import {type ContainerdSandbox, makeContainerd} from './state.js'

/** core/runtime/v2/shim_manager.go, resolveRuntimePath */
export const shimBeside = (program: string): string =>
  win32.join(win32.dirname(program), 'containerd-shim-runhcs-v1.exe')

const isAlive = ({state}: ContainerdSandbox): boolean => state === 'SANDBOX_READY'

/** The shim of pods and of ctr's containers runs as long as one of them does, also where containerd itself has ended. */
export const runningShim = ({containerd: {containers = [], sandboxes, shim}}: World): string | undefined =>
  sandboxes.some(isAlive) || containers.some(({isRunning}) => isRunning) ? shim : undefined

/** A pipe as the ports in machine.json are written, e.g. "npipe/containerd-containerd". Names of pipes compare without case. */
export const pipeKey = (path: string): string =>
  `npipe/${path
    .replaceAll('\\', '/')
    .replace(/^(?:npipe:\/\/)?\/\/\.\/pipe\//i, '')
    .toLowerCase()}`

/** What answers on a pipe: containerd, a program outside the simulation, or nothing. */
export function pipeOwner({containerd, os, services}: World, path: string): 'containerd' | 'other' | undefined {
  const key = pipeKey(path)
  const isOpen = Object.values(services).some(({listening, state}) => state !== 'stopped' && listening?.includes(key))
  if (isOpen && containerd.running) return 'containerd'
  return os.listening.includes(key) ? 'other' : undefined
}

/**
 * The process of a service has ended, and its pipe with it. A stop reaches the shims too, which share the wrapper's
 * console (docs/facts.md#a-node-with-containerd); they survive a crash.
 */
export function closeContainerd(
  {containerd}: World,
  {listening = []}: {readonly listening?: readonly string[]},
  isStopped: boolean,
): void {
  if (!containerd.config || !listening.includes(pipeKey(containerd.config.address))) return
  containerd.running = false
  if (isStopped) endShims(containerd)
}

/** With the shims everything ends that runs in containerd. No process outlives a restart of Windows. */
export function endShims({containers = [], sandboxes}: Pick<World['containerd'], 'containers' | 'sandboxes'>): void {
  for (const container of containers) delete container.isRunning
  for (const sandbox of sandboxes) {
    sandbox.state = 'SANDBOX_NOTREADY'
    for (const container of sandbox.containers) container.state = 'CONTAINER_EXITED'
  }
}

export const isOnDriveC = (path: string): boolean => /^c:/i.test(path)

/** What goes with its service, and with its root folder: images, snapshots and containers are kept there. True if something went. */
export async function forgetContainerd({files, world}: Stage): Promise<boolean> {
  const {containerd, services} = world
  if (containerd.running || !containerd.config) return false
  const isService = Object.values(services).some(({config}) =>
    config.imagePath.toLowerCase().includes('containerd.exe'),
  )
  const isKept = !isOnDriveC(containerd.config.root) || (await files.status(containerd.config.root)) !== undefined
  if (isKept) {
    const wasInstalled = containerd.installed
    containerd.installed = isService
    return wasInstalled !== isService
  }

  world.containerd = {...makeContainerd(), ...(containerd.assumesTags && {assumesTags: true}), installed: isService}
  return true
}
