// The components that have logs, their other names, and the folders of their logs.
import {win32} from 'node:path'
import type {Decided} from '../config/model.js'

export const COMPONENTS = ['containerd', 'flanneld', 'kubelet', 'kubeproxy', 'k8s-win'] as const
export type Component = (typeof COMPONENTS)[number]

/** Shown where none is named. k8s-win's own log of every call to Windows would hide their lines. */
export const daemonLogs = ({containerd, runtime}: Pick<Decided, 'containerd' | 'runtime'>): readonly Component[] =>
  runtime === 'containerd' && containerd.isOurs ? ['containerd', ...DAEMONS] : DAEMONS

const DAEMONS: readonly Component[] = ['flanneld', 'kubelet', 'kubeproxy']

/** Other names: of the program, its file, its service. */
const ALIASES: Readonly<Record<string, Component>> = {
  'containerd.exe': 'containerd',
  cri: 'containerd',
  'flanneld.exe': 'flanneld',
  flannel: 'flanneld',
  k8swin: 'k8s-win',
  'kube-proxy': 'kubeproxy',
  'kube-proxy.exe': 'kubeproxy',
  'kubelet.exe': 'kubelet',
  proxy: 'kubeproxy',
  shawl: 'flanneld',
}

/** Every word that names a component, for "Did you mean". */
export const COMPONENT_WORDS: readonly string[] = [...COMPONENTS, ...Object.keys(ALIASES)]

/** Undefined for any other word. */
export function componentNamed(word: string): Component | undefined {
  const name = word.toLowerCase()
  const known = COMPONENTS.find((component) => component === name)
  return known ?? (Object.hasOwn(ALIASES, name) ? ALIASES[name] : undefined)
}

export interface LogFolder {
  readonly component: Component
  /** Created by k8s-win; the others are read where they exist. */
  readonly own: boolean
  readonly path: string
}

export function logFolders(logs: string, components: readonly Component[]): LogFolder[] {
  return components.flatMap((component) => {
    const own = {component, own: true, path: win32.join(logs, component)}
    // The name in the original script (swapnil-nirmata/windows-nodes).
    return component === 'kubeproxy' ? [own, {component, own: false, path: win32.join(logs, 'kube-proxy')}] : [own]
  })
}
