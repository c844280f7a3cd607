// Where everything is on the node.
import {win32} from 'node:path'
import {remembered} from '../machine/remembered.js'
import {CONTAINERD, CONTAINERD_PIPE, type ContainerdPlace, type Identity} from './model.js'
import type {StepId} from './step-ids.js'

const {join} = win32

/** Where flanneld and host-local look by themselves: drive-less paths, which mean drive C for a service. */
export const NET_CONF = String.raw`C:\etc\kube-flannel\net-conf.json`
export const SUBNET_ENV = String.raw`C:\run\flannel\subnet.env`
export const IPAM_STORE = String.raw`C:\var\lib\cni\networks`
/** Folders of daemons that only administrators may touch: their configuration, state they believe, and keys. */
export const FLANNEL_CONFIG_FOLDER = win32.dirname(NET_CONF)
export const FLANNEL_STATE_FOLDER = win32.dirname(SUBNET_ENV)
export const CNI_STATE_FOLDER = win32.dirname(IPAM_STORE)
/** What the kubelet keeps for itself: checkpoints, the state of its managers, records of images, its own configuration. */
export const KUBELET_ROOT = String.raw`C:\var\lib\kubelet`
export const KUBELET_KEYS = join(KUBELET_ROOT, 'pki')
/**
 * Where the kubelet looks for its client certificate (certificate_store.go): a link to its newest one, on Windows too
 * (updateSymlink); the same link before it has its final name; a certificate and its key.
 */
export const KUBELET_CERTIFICATE_FILES = [
  win32.join(KUBELET_KEYS, 'kubelet-client-current.pem'),
  win32.join(KUBELET_KEYS, 'kubelet-client-updated.pem'),
  win32.join(KUBELET_KEYS, 'kubelet-client.crt'),
  win32.join(KUBELET_KEYS, 'kubelet-client.key'),
] as const
/** The kubelet runs, as SYSTEM, whatever it finds in the last of these folders (FlexVolume drivers). */
export const KUBELET_PLUGINS = String.raw`C:\usr\libexec\kubernetes`
export const KUBELET_DRIVERS = join(KUBELET_PLUGINS, 'kubelet-plugins', 'volume', 'exec')
/**
 * Where the kubelet looks for sockets of plug-ins, which it calls as SYSTEM: pluginmanager and devicemanager of
 * kubernetes 1.21 (pkg/kubelet/config/defaults.go, staging/src/k8s.io/kubelet/pkg/apis/deviceplugin/v1beta1/constants.go).
 */
export const KUBELET_SOCKETS: readonly string[] = [
  'device-plugins',
  'plugins',
  'plugins_registry',
  'pod-resources',
].map((name) => join(KUBELET_ROOT, name))
/** Volumes of pods, which SYSTEM writes and containers use. */
export const KUBELET_PODS = join(KUBELET_ROOT, 'pods')
export const POD_LOGS: readonly string[] = [String.raw`C:\var\log\pods`, String.raw`C:\var\log\containers`]
/** Checkpoints of dockershim, which is a part of the kubelet up to 1.23. */
export const DOCKERSHIM = String.raw`C:\var\lib\dockershim`
/** Where containerd keeps images, snapshots and the state of containers. */
export const CONTAINERD_DATA = String.raw`C:\ProgramData\containerd`
/** Its database, images and snapshots; a newer containerd changes them when it opens them. */
export const CONTAINERD_ROOT = join(CONTAINERD_DATA, 'root')
/**
 * Outermost first: where containerd finds its state, programs that it runs as SYSTEM (plugins/services/opt, whose bin comes
 * before the Path, and plugins/imageverifier), and its record of images and containers (plugins/metadata).
 */
export const CONTAINERD_FOLDERS: readonly string[] = [
  '',
  'state',
  'root',
  String.raw`root\opt`,
  String.raw`root\opt\bin`,
  String.raw`root\opt\image-verifier`,
  String.raw`root\opt\image-verifier\bin`,
  String.raw`root\io.containerd.metadata.v1.bolt`,
].map((name) => join(CONTAINERD_DATA, name))

/**
 * Base: only libraries beside programs matter. Content: what a daemon believes. Program: looked into for programs by name. Driver: run whatever it is.
 * State: k8s-win's records. Log: content is never believed, but written through. The rest as in `Place.role`.
 */
export type InsideRole = 'base' | 'configuration' | 'content' | 'driver' | 'log' | 'own' | 'program' | 'state'

export interface Place {
  /** Its step creates it, and restricts it to administrators. */
  readonly closed?: true
  /** Of a file: what it is judged as. Undefined if the contents of a folder are not checked: another program's. */
  readonly inside?: InsideRole
  readonly kind: 'file' | 'folder'
  readonly path: string
  /**
   * Own: closed or rewritten by the step base-dir. Daemon: closed by the step of its daemon, and nothing planted in it is
   * believed. Shared: pods' users need it, so it only must not be replaced.
   */
  readonly role: 'daemon' | 'own' | 'shared'
  /** The steps that create it, or whose daemon does: reset accepts it in the journal of these only. */
  readonly steps?: readonly StepId[]
  /** A daemon creates it by itself, with everything in it. */
  readonly tree?: true
}

export const folder = (path: string, inside: InsideRole, ...steps: readonly StepId[]): Place => ({
  inside,
  kind: 'folder',
  path,
  role: 'own',
  steps,
})
export const file = (path: string, ...steps: readonly StepId[]): Place => ({kind: 'file', path, role: 'own', steps})
/** Believed as it is: to close one that others could write would make their content trusted. */
export const kubeconfig = (path: string, ...steps: readonly StepId[]): Place => ({
  ...file(path, ...steps),
  inside: 'configuration',
})
/** Judged as all that is in its folder. */
const record = (name: string): Place => ({...file(join('k8s-win', name)), inside: 'state'})

/** Everything in the base directory by its path there, outermost first. A text is judged by the row of its folder alone. */
export const NODE = {
  kubernetes: folder('kubernetes', 'own'),
  kubernetesNode: folder(String.raw`kubernetes\node`, 'own'),
  downloads: folder('downloads', 'own', 'kubernetes-binaries', 'containerd-binaries', 'cni-binaries', 'flannel-binary'),
  logs: folder('logs', 'own'),
  binaries: folder(String.raw`kubernetes\node\bin`, 'program', 'kubernetes-binaries'),
  cniBinaries: folder('cni', 'program', 'cni-binaries'),
  cniConfigFolder: folder(String.raw`cni\config`, 'configuration', 'containerd-config', 'cni-config'),
  /** What k8s-win keeps about itself. */
  state: folder('k8s-win', 'state'),
  programFolder: folder(String.raw`k8s-win\bin`, 'program', 'base-dir'),
  /** The copy of k8s-win, where setup was started from a temporary folder. */
  program: String.raw`k8s-win\bin\k8s-win.exe`,
  /** Runs the copy of k8s-win as a service. */
  runShawl: String.raw`k8s-win\bin\shawl.exe`,
  /** Removed when the node has its certificate. */
  bootstrapKubeconfig: kubeconfig('bootstrap-kubeconfig', 'kubelet-config'),
  clientCA: file('client-ca.crt', 'kubelet-config'),
  kubeletConfig: file('kubelet-config.yaml', 'kubelet-config'),
  kubeconfig: kubeconfig('kubeconfig', 'base-dir'),
  cniConfig: file(String.raw`cni\config\cni.conf`, 'cni-config'),
  flanneld: file('flanneld.exe'),
  shawl: file('shawl.exe'),
  /** What the service k8s-win has found, for whoever monitors the node. */
  health: record('health.json'),
  journal: record('journal.ndjson'),
  /** Who is at work just now. */
  lock: record('lock.json'),
  /** What the last setup stored. */
  nodeConfig: record('node.yaml'),
  /** The same once more: used where node.yaml cannot be read and the journal says that it is of the last setup. */
  nodeConfigCopy: record('node-copy.yaml'),
  /** Until when watch repairs nothing. */
  pause: record('pause.json'),
  /** The copy of what --registry-config named. */
  registries: {...record('registries.json'), steps: ['base-dir']},
  /** What a run that continues as a service is to do, what only a file can have, and the token for it, until it is read. */
  request: record('run.json'),
  requestConfig: record('run.yaml'),
  requestToken: record('run-token'),
  result: record('result.json'),
  /** Which daemons a command has stopped, until they are started again. */
  stopped: record('stopped.json'),
} as const

/** The same for the containerd that setup installs. */
export const NODE_CONTAINERD = {
  folder: folder('containerd', 'own'),
  bin: folder(String.raw`containerd\bin`, 'program', 'containerd-binaries'),
  /** containerd creates it beside `bin`. */
  lib: folder(String.raw`containerd\lib`, 'own', 'containerd-config'),
  /** One folder per registry, with its hosts.toml. */
  certs: folder(String.raw`containerd\certs.d`, 'configuration'),
  config: file(String.raw`containerd\config.toml`, 'containerd-config'),
  crictlConfig: file(String.raw`containerd\crictl.yaml`, 'containerd-config'),
  crictl: String.raw`containerd\bin\crictl.exe`,
  ctr: String.raw`containerd\bin\ctr.exe`,
  program: String.raw`containerd\bin\containerd.exe`,
  /** Starts each pod. */
  shim: String.raw`containerd\bin\containerd-shim-runhcs-v1.exe`,
} as const

type Rows<K extends string> = Readonly<Record<K, Place | string>>

const below = <K extends string>(baseDir: string, rows: Rows<K>): Readonly<Record<K, string>> => {
  const paths = Object.entries<Place | string>(rows).map(([name, row]) => [
    name,
    join(baseDir, typeof row === 'string' ? row : row.path),
  ])
  return Object.fromEntries(paths) as Record<K, string>
}

export type Layout = ReturnType<typeof layoutOf>

export const layoutOf = remembered((baseDir: string) => ({
  ...below(baseDir, NODE),
  containerd: below(baseDir, NODE_CONTAINERD),
}))

/** The containerd that setup installs. */
export function ownContainerd(baseDir: string): ContainerdPlace {
  const {cniBinaries, cniConfigFolder, containerd} = layoutOf(baseDir)
  const {config, ctr, program} = containerd
  return {
    cniBinaries,
    cniConfigFolder,
    config,
    ctr,
    data: CONTAINERD_DATA,
    isOurs: true,
    pipe: CONTAINERD_PIPE,
    program,
    service: CONTAINERD,
  }
}

/** The CNI configuration of a containerd. */
export const conflistOf = ({cniConfigFolder}: Pick<ContainerdPlace, 'cniConfigFolder'>): string =>
  join(cniConfigFolder, '10-flannel.conflist')

/** Reserves addresses for the plugins beside it, and the source VIP of kube-proxy. */
export const hostLocalOf = ({cniBinaries}: Pick<ContainerdPlace, 'cniBinaries'>): string =>
  join(cniBinaries, 'host-local.exe')

/** k8s-win's own programs in the base directory: reset --purge removes them last. */
export function ownPrograms(baseDir: string): readonly string[] {
  const {program, runShawl} = layoutOf(baseDir)
  return [runShawl, program]
}

const MOVED_PROGRAM = /^[a-z]:\\k8s-win-[\da-f]{8}\.deleted$/i

/** Where a program that runs is moved to, out of the base directory, until Windows deletes it at its next restart. `digits`: 8 hexadecimal ones. */
export const movedProgram = (program: string, digits: string): string =>
  join(win32.parse(program).root, `k8s-win-${digits}.deleted`)

export const isMovedProgram = (path: string): boolean => MOVED_PROGRAM.test(path)

/** Where a daemon's own kubeconfig is kept, if it was given one. */
export function identityFile(baseDir: string, identity: Identity): string {
  return join(baseDir, `${identity}.kubeconfig`)
}

/** Added to the name of a file that was there before setup, until reset restores it. */
export const ASIDE = '.before-k8s-win'
