// Where everything is on the node.
import {win32} from 'node:path'
import {remembered} from '../machine/remembered.js'
import {CONTAINERD, CONTAINERD_PIPE, type ContainerdPlace, type Identity} from './model.js'

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

interface ContainerdLayout {
  readonly bin: string
  /** One folder per registry, with its hosts.toml. */
  readonly certs: string
  readonly config: string
  readonly crictl: string
  readonly crictlConfig: string
  readonly ctr: string
  /** containerd creates it beside `bin`. */
  readonly lib: string
  readonly program: string
  /** Starts each pod. */
  readonly shim: string
}

export interface Layout {
  readonly binaries: string
  /** Removed when the node has its certificate. */
  readonly bootstrapKubeconfig: string
  readonly clientCA: string
  readonly cniBinaries: string
  readonly cniConfig: string
  readonly cniConfigFolder: string
  readonly containerd: ContainerdLayout
  readonly downloads: string
  readonly flanneld: string
  readonly journal: string
  readonly kubeconfig: string
  readonly kubeletConfig: string
  /** Who is at work just now. */
  readonly lock: string
  readonly logs: string
  /** What the last setup stored. */
  readonly nodeConfig: string
  /** The copy of k8s-win, where setup was started from a temporary folder. */
  readonly program: string
  readonly programFolder: string
  /** What a run that continues as a service is to do, and the token for it, until it is read. */
  readonly request: string
  readonly requestToken: string
  readonly result: string
  /** Runs the copy of k8s-win as a service. */
  readonly runShawl: string
  readonly shawl: string
  readonly state: string
}

export const layoutOf = remembered((baseDir: string): Layout => {
  const state = join(baseDir, 'k8s-win')
  const cniBinaries = join(baseDir, 'cni')
  const cniConfigFolder = join(cniBinaries, 'config')
  const programFolder = join(state, 'bin')
  return {
    binaries: join(baseDir, 'kubernetes', 'node', 'bin'),
    bootstrapKubeconfig: join(baseDir, 'bootstrap-kubeconfig'),
    clientCA: join(baseDir, 'client-ca.crt'),
    cniBinaries,
    cniConfig: join(cniConfigFolder, 'cni.conf'),
    cniConfigFolder,
    containerd: containerdLayout(join(baseDir, 'containerd')),
    downloads: join(baseDir, 'downloads'),
    flanneld: join(baseDir, 'flanneld.exe'),
    journal: join(state, 'journal.ndjson'),
    kubeconfig: join(baseDir, 'kubeconfig'),
    kubeletConfig: join(baseDir, 'kubelet-config.yaml'),
    lock: join(state, 'lock.json'),
    logs: join(baseDir, 'logs'),
    nodeConfig: join(state, 'node.yaml'),
    program: join(programFolder, 'k8s-win.exe'),
    programFolder,
    request: join(state, 'run.json'),
    requestToken: join(state, 'run-token'),
    result: join(state, 'result.json'),
    runShawl: join(programFolder, 'shawl.exe'),
    shawl: join(baseDir, 'shawl.exe'),
    state,
  }
})

function containerdLayout(folder: string): ContainerdLayout {
  const bin = join(folder, 'bin')
  return {
    bin,
    certs: join(folder, 'certs.d'),
    config: join(folder, 'config.toml'),
    crictl: join(bin, 'crictl.exe'),
    crictlConfig: join(folder, 'crictl.yaml'),
    ctr: join(bin, 'ctr.exe'),
    lib: join(folder, 'lib'),
    program: join(bin, 'containerd.exe'),
    shim: join(bin, 'containerd-shim-runhcs-v1.exe'),
  }
}

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
