// Which step notes what. Whatever else a journal has under a step's name was not written by a setup.
import {win32} from 'node:path'
import {programPaths} from '../../artifacts/programs.js'
import {EXTERNAL_NETWORK, FLANNELD} from '../../components/flanneld.js'
import {KUBE_PROXY} from '../../components/kube-proxy.js'
import {KUBELET} from '../../components/kubelet.js'
import {
  CNI_STATE_FOLDER,
  CNI_TREES,
  FLANNEL_CONFIG_FOLDER,
  FLANNEL_STATE_FOLDER,
  IPAM_STORE,
  KUBELET_CERTIFICATE_FILES,
  KUBELET_KEYS,
  KUBELET_PLUGINS,
  KUBELET_SOCKETS,
  KUBELET_TREES,
  layoutOf,
  NET_CONF,
  POD_FOLDERS,
  SUBNET_ENV,
} from '../../config/layout.js'
import {NETWORK_NAME, type SetupConfig} from '../../config/model.js'
import {keyOf, ownFiles, setOf} from '../../host/security/known-paths.js'
import type {JournalKind} from './journal.js'
import type {StepId} from '../run/step-id.js'

/** By their names or paths, these in lower case. */
type Things = ReadonlyMap<unknown, StepId>

const PROGRAM_STEPS: readonly StepId[] = ['kubernetes-binaries', 'cni-binaries', 'flannel-binary']
const SAFE_FOLDER_STEPS: readonly StepId[] = ['net-conf', 'kubelet-service', 'flanneld-service', 'source-vip']

/** What of these each of several steps notes is told below. */
export const STEPS_OF_KIND: Readonly<Record<JournalKind, readonly StepId[]>> = {
  'configuration-read': ['net-conf', 'kubelet-config'],
  directory: ['base-dir', ...PROGRAM_STEPS, 'kubelet-config', ...SAFE_FOLDER_STEPS, 'kubeproxy-service', 'cni-config'],
  'docker-network': ['pause-image'],
  download: PROGRAM_STEPS,
  environment: ['machine-environment'],
  'environment-told': ['machine-environment'],
  file: ['base-dir', ...PROGRAM_STEPS, 'net-conf', 'kubelet-config', 'kubelet-service', 'cni-config'],
  'files-before': ['kubelet-service'],
  'firewall-rule': ['firewall-rules'],
  'image-proof': ['base-images'],
  'image-pull': ['base-images'],
  'image-tag': ['base-images', 'pause-image'],
  loss: ['base-dir'],
  network: ['external-network', 'overlay-network'],
  // Whichever is the first to make a network, or to take one away.
  'network-before': ['external-network', 'flanneld-service', 'overlay-network'],
  'network-verified': ['overlay-network'],
  node: ['node-registered'],
  'path-entry': ['machine-environment'],
  reservation: ['source-vip'],
  reset: ['base-dir'],
  security: ['base-dir', ...SAFE_FOLDER_STEPS],
  service: ['kubelet-service', 'flanneld-service', 'kubeproxy-service'],
  setup: ['base-dir'],
  tree: ['kubelet-service', 'flanneld-service', 'source-vip', 'cni-config'],
}

export const SERVICES: Things = new Map([
  [KUBELET, 'kubelet-service'],
  [FLANNELD, 'flanneld-service'],
  [KUBE_PROXY, 'kubeproxy-service'],
])

/** Services by the step that writes what they read. */
export const CONFIGURED: Things = new Map([
  [FLANNELD, 'net-conf'],
  [KUBELET, 'kubelet-config'],
])

export const NETWORKS: Things = new Map([
  [EXTERNAL_NETWORK, 'external-network'],
  [NETWORK_NAME, 'overlay-network'],
])

export const TREES: Things = new Map<string, StepId>([
  ...thingsOf('kubelet-service', ...KUBELET_TREES),
  ...thingsOf('flanneld-service', SUBNET_ENV),
  ...thingsOf('source-vip', win32.join(IPAM_STORE, NETWORK_NAME)),
  ...thingsOf('cni-config', ...CNI_TREES),
])

/** Which a step closes beside the base directory's own. */
export const SAFE_FOLDERS: Things = new Map<string, StepId>([
  ...thingsOf('net-conf', FLANNEL_CONFIG_FOLDER),
  ...thingsOf('kubelet-service', KUBELET_KEYS, KUBELET_PLUGINS, ...KUBELET_SOCKETS),
  ...thingsOf('flanneld-service', FLANNEL_STATE_FOLDER),
  ...thingsOf('source-vip', CNI_STATE_FOLDER),
])

export function filesOf(config: SetupConfig): Things {
  const {clientCA, cniConfig, kubeletConfig} = layoutOf(config.baseDir)
  return new Map<string, StepId>([
    // The kubeconfigs: the others of these are named again below, and the last one counts.
    ...thingsOf('base-dir', ...ownFiles(config.baseDir)),
    ...thingsOf('kubelet-config', clientCA, kubeletConfig),
    ...programPaths(config).flatMap((path) => thingsOf(stepOfProgram(config, path), path)),
    ...thingsOf('kubelet-service', ...KUBELET_CERTIFICATE_FILES),
    ...thingsOf('net-conf', NET_CONF),
    ...thingsOf('cni-config', cniConfig),
  ])
}

/** Those that a step makes, with all they are in: which of them were there is different on every host. */
export const foldersOf = (config: SetupConfig): ReadonlyMap<StepId, ReadonlySet<string>> =>
  new Map(madeFolders(config).map(([step, folders]) => [step, setOf(folders.flatMap(withParents))]))

/** Of these the base directory itself, and what is outside of it. */
export function outerFolders(config: SetupConfig): string[] {
  const all = madeFolders(config).flatMap(([, folders]) => folders.flatMap(withParents))
  const inside = `${keyOf(config.baseDir)}\\`
  const byKey = new Map(all.map((path) => [keyOf(path), path]))
  return [...byKey].filter(([key]) => !key.startsWith(inside)).map(([, path]) => path)
}

function madeFolders({baseDir}: SetupConfig): readonly (readonly [StepId, readonly string[]])[] {
  const {binaries, cniBinaries, cniConfigFolder, downloads, logs} = layoutOf(baseDir)
  const inLogs = (name: string): string => win32.join(logs, name)
  return [
    ['base-dir', [baseDir]],
    ['kubernetes-binaries', [binaries, downloads]],
    ['cni-binaries', [cniBinaries, downloads]],
    ['flannel-binary', [downloads]],
    ['kubelet-config', [baseDir]],
    ['net-conf', [FLANNEL_CONFIG_FOLDER]],
    [
      'kubelet-service',
      [
        inLogs(KUBELET),
        KUBELET_KEYS,
        KUBELET_PLUGINS,
        ...KUBELET_SOCKETS,
        ...POD_FOLDERS,
        ...KUBELET_TREES.map(win32.dirname),
      ],
    ],
    ['flanneld-service', [inLogs(FLANNELD), FLANNEL_STATE_FOLDER]],
    ['source-vip', [IPAM_STORE]],
    ['kubeproxy-service', [inLogs(KUBE_PROXY)]],
    ['cni-config', [cniConfigFolder, ...CNI_TREES.map(win32.dirname)]],
  ]
}

export function stepOfProgram({baseDir}: SetupConfig, path: string): StepId {
  const {binaries, cniBinaries} = layoutOf(baseDir)
  const folder = win32.dirname(path)
  if (folder === binaries) return 'kubernetes-binaries'
  return folder === cniBinaries ? 'cni-binaries' : 'flannel-binary'
}

export function stepOfDownload(name: string): StepId {
  if (name.startsWith('kubernetes')) return 'kubernetes-binaries'
  return /^(?:cni-plugins|flannel-)/.test(name) ? 'cni-binaries' : 'flannel-binary'
}

function thingsOf(step: StepId, ...paths: readonly string[]): [string, StepId][] {
  return paths.map((path) => [keyOf(path), step])
}

/** Drives have no folder of their own that could be made or removed. */
function withParents(path: string): string[] {
  const parent = win32.dirname(path)
  return parent === path ? [] : [path, ...withParents(parent)]
}
