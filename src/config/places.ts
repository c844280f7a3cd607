// Everything on a node that k8s-win and its daemons read, run or write: what it is, which steps create it, and
// how what lies in it is judged. A path that is missing here is used unjudged; test/trust compares the table with what
// commands really use.
import {win32} from 'node:path'
import {remembered} from '../machine/remembered.js'
import {SERVED} from './daemons.js'
import {
  CNI_STATE_FOLDER,
  conflistOf,
  CONTAINERD_DATA,
  DOCKERSHIM,
  file,
  FLANNEL_CONFIG_FOLDER,
  FLANNEL_STATE_FOLDER,
  folder,
  IPAM_STORE,
  identityFile,
  KUBELET_DRIVERS,
  KUBELET_KEYS,
  KUBELET_PLUGINS,
  KUBELET_PODS,
  KUBELET_ROOT,
  KUBELET_SOCKETS,
  kubeconfig,
  layoutOf,
  NODE,
  NODE_CONTAINERD,
  type Place,
  POD_LOGS,
} from './layout.js'
import {IDENTITIES, NETWORK_NAME, type RuntimeName} from './model.js'
import type {StepId} from './step-ids.js'

const KUBELETS = {kind: 'folder', role: 'daemon', steps: ['kubelet-service']} as const
const CNIS = {inside: 'content', kind: 'folder', role: 'daemon', steps: ['cni-config']} as const
const VIPS = {inside: 'content', kind: 'folder', role: 'daemon', steps: ['source-vip']} as const
const inCniState = (name: string): string => win32.join(CNI_STATE_FOLDER, name)

/** The same on every node: the daemons look for them by themselves. */
export const DAEMON_PLACES: readonly Place[] = [
  {...CNIS, closed: true, path: FLANNEL_CONFIG_FOLDER, steps: ['net-conf']},
  {...CNIS, closed: true, path: FLANNEL_STATE_FOLDER, steps: ['flanneld-service']},
  // What CNI plugins keep: addresses that are taken, results, flannel's delegates.
  {...VIPS, closed: true, path: CNI_STATE_FOLDER},
  {...VIPS, path: IPAM_STORE},
  {...VIPS, path: win32.join(IPAM_STORE, NETWORK_NAME), tree: true},
  {...CNIS, path: inCniState('cache'), tree: true},
  {...CNIS, path: inCniState(String.raw`cache\results`), steps: []},
  {...CNIS, path: inCniState('flannel'), tree: true},
  {...CNIS, path: inCniState('results'), tree: true},
  {...KUBELETS, closed: true, inside: 'content', path: KUBELET_KEYS},
  ...KUBELET_SOCKETS.map((path) => ({...KUBELETS, closed: true, inside: 'content', path}) as const),
  {...KUBELETS, closed: true, inside: 'content', path: KUBELET_ROOT, tree: true},
  {...KUBELETS, closed: true, path: KUBELET_PODS, role: 'shared'},
  {...KUBELETS, path: DOCKERSHIM, role: 'shared', tree: true},
  ...POD_LOGS.map((path) => ({...KUBELETS, closed: true, path, tree: true}) as const),
  {...KUBELETS, closed: true, path: KUBELET_PLUGINS, tree: true},
  ...betweenPlugins().map((path) => ({...KUBELETS, path, steps: []})),
  {...KUBELETS, inside: 'driver', path: KUBELET_DRIVERS, steps: []},
  {closed: true, kind: 'folder', path: CONTAINERD_DATA, role: 'shared', steps: ['containerd-service'], tree: true},
]

const daemonPaths = (step: StepId, trait: 'closed' | 'tree'): readonly string[] =>
  DAEMON_PLACES.flatMap((place) => (place[trait] && place.steps?.includes(step) ? [place.path] : []))

/** What the kubelet makes by itself. */
export const KUBELET_TREES = daemonPaths('kubelet-service', 'tree')
/**
 * The kubelet's own state, keys, drivers that are run, sockets that are called: all as SYSTEM. And what it writes of pods: a
 * kubelet does not close a folder of logs that exists (CVE-2024-5321). Outermost first.
 */
export const KUBELET_CLOSED = daemonPaths('kubelet-service', 'closed').toSorted((a, b) => a.length - b.length)
/** What the CNI plugins make for pods, with either runtime: a node may have had the other one before. */
export const ALL_CNI_TREES = daemonPaths('cni-config', 'tree')
/** dockershim names the folder of results, cache; containerd's libcni has its own (containernetworking/cni, libcni/api.go). */
export const CNI_TREES: Readonly<Record<RuntimeName, readonly string[]>> = {
  containerd: ALL_CNI_TREES,
  docker: ALL_CNI_TREES.filter((path) => path !== inCniState('results')),
}

export const placesOf: (baseDir: string) => readonly Place[] = remembered((baseDir) => {
  const layout = layoutOf(baseDir)
  const rows: readonly (Place | string)[] = [...Object.values(NODE), ...Object.values(NODE_CONTAINERD)]
  return [
    folder(baseDir, 'base', 'base-dir', 'kubelet-config'),
    ...rows.flatMap((row) => (typeof row === 'string' ? [] : [{...row, path: win32.join(baseDir, row.path)}])),
    ...SERVED.map(({service, step}) => folder(win32.join(layout.logs, service), 'log', step)),
    ...IDENTITIES.map((identity) => kubeconfig(identityFile(baseDir, identity), 'base-dir')),
    file(conflistOf(layout), 'cni-config'),
    ...DAEMON_PLACES,
  ]
})

/** The folders between the kubelet's plug-ins and its drivers. */
function betweenPlugins(): string[] {
  const folder = win32.dirname(KUBELET_DRIVERS)
  return [win32.dirname(folder), folder]
}
