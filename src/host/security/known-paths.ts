// Everything on a node that k8s-win and its daemons read, run or write, in one table: what it is, and how what lies in it
// is judged. A path that is missing here is used unjudged; test/trust compares the table with what commands really use.
import {win32} from 'node:path'
import {DAEMONS} from '../../config/daemons.js'
import {
  CNI_STATE_FOLDER,
  conflistOf,
  CONTAINERD_DATA,
  DAEMON_FOLDERS,
  DOCKERSHIM,
  identityFile,
  IPAM_STORE,
  KUBELET_DRIVERS,
  KUBELET_PLUGINS,
  KUBELET_PODS,
  KUBELET_ROOT,
  layoutOf,
  ownPrograms,
  POD_LOGS,
} from '../../config/layout.js'
import {IDENTITIES, NETWORK_NAME} from '../../config/model.js'
import {remembered} from '../../machine/remembered.js'
import type {SurveyPlace} from '../../machine/win32.js'

/**
 * Own: closed or rewritten by the step base-dir. Daemon: closed by the step of its daemon, and nothing planted in it is
 * believed. Shared: pods' users need it, so it only must not be replaced.
 */
type PlaceRole = 'daemon' | 'own' | 'shared'
/**
 * Base: only libraries beside programs matter. Content: what a daemon believes. Program: looked into for programs by name. Driver: run whatever it is.
 * State: k8s-win's records. Log: content is never believed, but written through. The rest as above.
 */
export type InsideRole = 'base' | 'configuration' | 'content' | 'driver' | 'log' | 'own' | 'program' | 'state'

export interface Place {
  /** Undefined if its contents are not checked: another program's. */
  readonly inside?: InsideRole
  readonly kind: 'file' | 'folder'
  readonly path: string
  readonly role: PlaceRole
}

const LOG_FOLDERS = [...DAEMONS.map(({service}) => service), 'k8s-win']

export const placesOf: (baseDir: string) => readonly Place[] = remembered((baseDir) => {
  const layout = layoutOf(baseDir)
  const node = win32.dirname(layout.binaries)
  const {cniConfig, flanneld, journal, lock, nodeConfig, result, shawl} = layout
  return [
    folder(baseDir, 'own', 'base'),
    ...[win32.dirname(node), node, layout.downloads, layout.logs].map((path) => folder(path, 'own', 'own')),
    ...[layout.binaries, layout.cniBinaries, layout.containerd.bin, layout.programFolder].map((path) =>
      folder(path, 'own', 'program'),
    ),
    ...[win32.dirname(layout.containerd.bin), layout.containerd.lib].map((path) => folder(path, 'own', 'own')),
    folder(layout.containerd.certs, 'own', 'configuration'),
    folder(layout.cniConfigFolder, 'own', 'configuration'),
    folder(layout.state, 'own', 'state'),
    ...LOG_FOLDERS.map((name) => folder(win32.join(layout.logs, name), 'own', 'log')),
    ...[...ownFiles(baseDir), cniConfig, conflistOf(layout), flanneld, shawl].map((path) => file(path)),
    // Judged as all that is in their folder.
    ...[journal, lock, nodeConfig, result].map((path) => ({...file(path), inside: 'state' as const})),
    ...DAEMON_FOLDERS.filter((path) => path !== KUBELET_PLUGINS).map((path) => folder(path, 'daemon', 'content')),
    ...cniFolders().map((path) => folder(path, 'daemon', 'content')),
    ...driverFolders().map((path) => folder(path, 'daemon', path === KUBELET_DRIVERS ? 'driver' : undefined)),
    folder(KUBELET_ROOT, 'daemon', 'content'),
    ...POD_LOGS.map((path) => folder(path, 'daemon')),
    folder(KUBELET_PODS, 'shared'),
    folder(DOCKERSHIM, 'shared'),
    folder(CONTAINERD_DATA, 'shared'),
  ]
})

const folder = (path: string, role: PlaceRole, inside?: InsideRole): Place => ({
  ...(inside && {inside}),
  kind: 'folder',
  path,
  role,
})
const file = (path: string): Place => ({kind: 'file', path, role: 'own'})

/** Files in the base directory itself, its programs aside. */
export function ownFiles(baseDir: string): string[] {
  const {bootstrapKubeconfig, clientCA, kubeconfig, kubeletConfig} = layoutOf(baseDir)
  const identities = IDENTITIES.map((identity) => identityFile(baseDir, identity))
  return [bootstrapKubeconfig, clientCA, kubeconfig, kubeletConfig, ...identities]
}

export function surveyPlaces(baseDir: string): SurveyPlace[] {
  const folders = placesOf(baseDir).filter(({kind}) => kind === 'folder')
  const parents = [...parentFolders(baseDir)].map((path) => ({inside: false, path}))
  return [...parents, ...folders.map(({inside, path}) => ({inside: inside !== undefined, path}))]
}

/** Everything above the places, outermost first, that is not a place itself. */
export const parentFolders: (baseDir: string) => ReadonlySet<string> = remembered((baseDir) => {
  const places = placesOf(baseDir)
  const known = setOf(places.map(({path}) => path))
  return new Set(places.flatMap(({path}) => parentsOf(path)).filter((path) => !known.has(keyOf(path))))
})

/** Folders whose access list k8s-win may set, and folders whose content it may set one of. */
export function closedFolders(baseDir: string): Readonly<Record<'folders' | 'inside', ReadonlySet<string>>> {
  const folders = placesOf(baseDir).filter(({kind, role}) => kind === 'folder' && role !== 'shared')
  const inside = folders.filter(({inside: content, role}) => role === 'own' || content === 'driver')
  return {folders: setOf(folders.map(({path}) => path)), inside: setOf(inside.map(({path}) => path))}
}

/** What CNI plugins keep: addresses that are taken, results, flannel's delegates. */
const cniFolders = (): string[] => [
  IPAM_STORE,
  win32.join(IPAM_STORE, NETWORK_NAME),
  ...['cache', String.raw`cache\results`, 'flannel', 'results'].map((name) => win32.join(CNI_STATE_FOLDER, name)),
]

/** From the kubelet's plug-ins down to where its drivers are. */
function driverFolders(): string[] {
  const names = win32.relative(KUBELET_PLUGINS, KUBELET_DRIVERS).split('\\')
  return names.reduce((folders, name) => [...folders, win32.join(folders.at(-1) ?? '', name)], [KUBELET_PLUGINS])
}

/** The folders above a path, outermost first. */
export function parentsOf(path: string): string[] {
  const parent = win32.dirname(path)
  return parent === path ? [] : [...parentsOf(parent), parent]
}

/** In lower case, as Windows compares them. */
export const keyOf = (path: string): string => path.toLowerCase()
export const setOf = (paths: readonly string[]): ReadonlySet<string> => new Set(paths.map(keyOf))

export const isOwnProgram = (path: string, baseDir: string): boolean =>
  ownPrograms(baseDir).some((program) => keyOf(program) === keyOf(path))
