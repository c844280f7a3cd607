// What k8s-win and its daemons run and read, by folder: what has to be looked at, and what it is to us.
import {win32} from 'node:path'
import {DAEMON_FOLDERS, identityFile, KUBELET_DRIVERS, KUBELET_PLUGINS, layoutOf} from '../config/layout.js'
import type {SurveyPlace} from '../machine/win32.js'

export interface Places {
  readonly base: string
  /** Where the kubelet looks for CNI configurations. */
  readonly configurations: string
  /** Looked into for anything at all by the kubelet. */
  readonly drivers: ReadonlySet<string>
  /** Folders of ours, the base directory first. */
  readonly folders: ReadonlySet<string>
  /** Everything above these and the daemons' own. */
  readonly parents: ReadonlySet<string>
  /** Folders of daemons outside the base directory. */
  readonly outside: ReadonlySet<string>
  readonly result: string
  /** Looked into for programs by name. */
  readonly searched: ReadonlySet<string>
  readonly state: string
  /** Where only a folder will do. */
  readonly wanted: ReadonlySet<string>
  /** Where programs of ours lie. */
  readonly withPrograms: ReadonlySet<string>
}

const LOG_FOLDERS = ['flanneld', 'k8s-win', 'kubelet', 'kubeproxy']

/** All in lower case, as Windows compares them. */
export function placesOf(baseDir: string): Places {
  const layout = layoutOf(baseDir)
  return {
    base: keyOf(baseDir),
    configurations: keyOf(layout.cniConfigFolder),
    drivers: setOf([KUBELET_DRIVERS]),
    folders: setOf([baseDir, ...subfolders(baseDir)]),
    outside: setOf([...DAEMON_FOLDERS, ...driverFolders()]),
    parents: setOf(guarded(baseDir).flatMap(parentsOf)),
    result: keyOf(layout.result),
    searched: setOf([layout.binaries, layout.cniBinaries]),
    state: keyOf(layout.state),
    wanted: setOf([
      ...subfolders(baseDir),
      ...LOG_FOLDERS.map((name) => win32.join(layout.logs, name)),
      ...DAEMON_FOLDERS,
      ...driverFolders(),
      ...guarded(baseDir).flatMap(parentsOf),
    ]),
    withPrograms: setOf([baseDir, layout.binaries, layout.cniBinaries]),
  }
}

export function surveyPlaces(baseDir: string): SurveyPlace[] {
  const parents = [...new Set(guarded(baseDir).flatMap(parentsOf))]
  return [
    ...parents.map((path) => ({inside: false, path})),
    ...[baseDir, ...subfolders(baseDir), ...driverFolders()].map((path) => ({inside: true, path})),
    ...DAEMON_FOLDERS.filter((path) => path !== KUBELET_PLUGINS).map((path) => ({inside: false, path})),
  ]
}

/** What must not be put in another's place. */
export const guarded = (baseDir: string): string[] => [baseDir, ...DAEMON_FOLDERS]

/** Files that k8s-win writes or reads by name, its programs and records aside. */
export function ownFiles(baseDir: string): string[] {
  const {clientCA, cniConfig, kubeconfig, kubeletConfig} = layoutOf(baseDir)
  const identities = (['kubelet', 'kube-proxy', 'flanneld'] as const).map((identity) => identityFile(baseDir, identity))
  return [clientCA, cniConfig, kubeconfig, kubeletConfig, ...identities]
}

function subfolders(baseDir: string): string[] {
  const {binaries, cniBinaries, cniConfigFolder, downloads, logs, state} = layoutOf(baseDir)
  const node = win32.dirname(binaries)
  return [win32.dirname(node), node, binaries, cniBinaries, cniConfigFolder, downloads, state, logs]
}

/** From the kubelet's plug-ins down to where its drivers are. */
function driverFolders(): string[] {
  const names = win32.relative(KUBELET_PLUGINS, KUBELET_DRIVERS).split('\\')
  return names.reduce((folders, name) => [...folders, win32.join(folders.at(-1) ?? '', name)], [KUBELET_PLUGINS])
}

function parentsOf(path: string): string[] {
  const parent = win32.dirname(path)
  return parent === path ? [] : [...parentsOf(parent), parent]
}

export const keyOf = (path: string): string => path.toLowerCase()
export const setOf = (paths: readonly string[]): ReadonlySet<string> => new Set(paths.map(keyOf))
