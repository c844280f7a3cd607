// The components that have logs, their other names, and the folders of their logs.
import {win32} from 'node:path'
import {DAEMONS, daemonsOf, type DaemonService} from '../config/daemons.js'
import type {Decided} from '../config/model.js'

export type Component = DaemonService | 'k8s-win'

export const COMPONENTS: readonly Component[] = [...DAEMONS.map(({service}) => service).sort(), 'k8s-win']

/** Shown where none is named. k8s-win's own log of every call to Windows would hide their lines. */
export const daemonLogs = (config: Pick<Decided, 'containerd' | 'runtime'>): readonly Component[] =>
  daemonsOf(config)
    .map(({service}) => service)
    .sort()

/** Other names: of the program, its file, its service. */
const ALIASES: Readonly<Record<string, Component>> = {
  k8swin: 'k8s-win',
  ...Object.fromEntries(
    DAEMONS.flatMap(({aliases, program, service}) =>
      [program, `${program}.exe`, ...aliases].map((name) => [name, service] as const),
    ),
  ),
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
    const former = DAEMONS.find(({service}) => service === component)?.formerNames ?? []
    return [component, ...former].map((name) => ({component, own: name === component, path: win32.join(logs, name)}))
  })
}
