// The state of the simulated containerd: what machine.json holds of it.
import {win32} from 'node:path'

import type {Stage} from '../model.js'
import type {World} from '../world.js'

/** What the running daemon read from its config.toml. */
export interface ContainerdConfig {
  /** Its pipe, e.g. \\.\pipe\containerd-containerd. */
  address: string
  cniBinDirs: string[]
  cniConfDir: string
  /** The folder was removed, and with it the watch: what is written there later is not read. Before 2.1 only. */
  cniConfDirLost?: boolean
  /** Why its CRI plugin is not loaded: no kubelet and no crictl can use it then. */
  criProblem?: string
  /** After how long without progress a pull is cancelled, e.g. "30m"; "0" for never. */
  pullProgressTimeout: string
  /** The folder with a hosts.toml per registry. */
  registryConfigPath: string
  root: string
  sandboxImage: string
  state: string
}

export interface ContainerdImage {
  /** As "repository@sha256:…". */
  digests: string[]
  id: string
  /** Labels of the image's configuration. */
  labels?: Record<string, string>
  /** k8s.io where absent. The kubelet and crictl see no other. */
  namespace?: string
  osVersion: string
  /** Kept by the kubelet's garbage collection: sandbox images. */
  pinned?: boolean
  size: number
  /** Full names; containerd completes none of them. */
  tags: string[]
}

export interface ContainerdContainer {
  attempt: number
  /** Milliseconds since 1970. */
  createdAt: number
  id: string
  image: string
  imageId: string
  labels: Record<string, string>
  name: string
  state: 'CONTAINER_EXITED' | 'CONTAINER_RUNNING'
}

export interface ContainerdSandbox {
  attempt: number
  containers: ContainerdContainer[]
  /** Milliseconds since 1970. */
  createdAt: number
  id: string
  /** Its address, while it has a network. */
  ip?: string
  labels: Record<string, string>
  name: string
  namespace: string
  state: 'SANDBOX_NOTREADY' | 'SANDBOX_READY'
  uid: string
}

export interface ContainerdState {
  /** On a twin: unknown tags are assumed to exist. */
  assumesTags?: boolean
  /** Containers that ctr made, which belong to no pod. */
  containers?: {id: string; image: string; namespace: string}[]
  config?: ContainerdConfig
  images: ContainerdImage[]
  /** Whether a service on this host runs containerd, or did until it was stopped. */
  installed: boolean
  /** The newest version that has opened its root, e.g. "v2.3.4". */
  openedBy?: string
  running: boolean
  sandboxes: ContainerdSandbox[]
  /** The program that runs once for each pod, beside containerd.exe. */
  shim?: string
  /** As containerd reports it, e.g. "v2.3.4". */
  version?: string
}

export const KUBERNETES_NAMESPACE = 'k8s.io'

export const makeContainerd = (): ContainerdState => ({images: [], installed: false, running: false, sandboxes: []})

/** core/runtime/v2/shim_manager.go, resolveRuntimePath */
export const shimBeside = (program: string): string =>
  win32.join(win32.dirname(program), 'containerd-shim-runhcs-v1.exe')

const isAlive = ({state}: ContainerdSandbox): boolean => state === 'SANDBOX_READY'

/** The shim of pods runs as long as one of them does, also where containerd itself has ended. */
export const runningShim = ({containerd: {sandboxes, shim}}: World): string | undefined =>
  sandboxes.some(isAlive) ? shim : undefined

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
  for (const sandbox of isStopped ? containerd.sandboxes : []) {
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
