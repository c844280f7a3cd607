// Files that setup writes: programs, configuration, kubeconfigs, downloads; and the kubelet's own keys.
import {win32} from 'node:path'
import {programsOf, shawlStep} from '../../../artifacts/programs.js'
import {cniConflist, cniFileOf} from '../../../components/cni.js'
import {mirrorPaths} from '../../../components/containerd.js'
import {netConf} from '../../../components/flanneld.js'
import {isWithin} from '../../../config/base-dir.js'
import {parseCidr} from '../../../config/cidr.js'
import {
  ASIDE,
  conflistOf,
  FLANNEL_CONFIG_FOLDER,
  identityFile,
  isMovedProgram,
  KUBELET_CERTIFICATE_FILES,
  KUBELET_KEYS,
  layoutOf,
  NET_CONF,
  ownContainerd,
  ownPrograms,
} from '../../../config/layout.js'
import type {Decided} from '../../../config/model.js'
import {NEWEST_MINOR} from '../../../config/version.js'
import {isText, listOf} from '../../../config/shape.js'
import {isCniConfigName} from '../../../host/cni-folder.js'
import {parseJson, textAt} from '../../../host/document.js'
import {keyOf, ownFiles, setOf} from '../../../host/security/known-paths.js'
import {isWrittenByKubelet} from '../cluster/join-state.js'
import {deleteMoved} from '../programs/delete-program.js'
import {removeKeys} from '../cluster/kubelet-store.js'
import {removePrevious} from '../programs/previous-programs.js'
import {removeStage} from '../programs/programs.js'
import {isOwnProgram} from '../programs/own-program.js'
import {removeFile} from './remove-path.js'
import type {StepId} from '../../run/step.js'
import {
  claimFolders,
  isChildOf,
  type Kind,
  leaveUnnamed,
  perConfig,
  readText,
  type Search,
  type Things,
  thingsOf,
} from '../../ledger/kind.js'

const PROGRAM_STEPS: readonly StepId[] = [
  'kubernetes-binaries',
  'containerd-binaries',
  'cni-binaries',
  'flannel-binary',
]
/** File names of the catalogue (artifacts/catalog.ts), of any version. */
const DOWNLOAD =
  /^(?:cni-plugins-windows-amd64-v[\w.+-]+\.tgz|(?:flannel-amd64|flanneld|shawl)-v[\w.+-]+\.exe|kubernetes-node-windows-amd64-v[\w.+-]+\.tar\.gz|(?:containerd-|crictl-v)[\w.+-]+-windows-amd64\.tar\.gz)$/

export const isDownloadName = (name: string): boolean => DOWNLOAD.test(name)

/** What setup writes, by step. */
export const filesOf = perConfig((config): Things => {
  const {bootstrapKubeconfig, clientCA, cniConfig, containerd, kubeletConfig} = layoutOf(config.baseDir)
  return new Map<string, StepId>([
    // The kubeconfigs: the other files of this list are named again below, and the last one counts.
    ...thingsOf('base-dir', ...ownFiles(config.baseDir), ...ownPrograms(config.baseDir)),
    ...thingsOf('kubelet-config', bootstrapKubeconfig, clientCA, kubeletConfig),
    ...programsOf(config).flatMap(({paths, step}) => thingsOf(step, ...paths)),
    ...thingsOf('kubelet-service', ...KUBELET_CERTIFICATE_FILES),
    ...thingsOf('net-conf', NET_CONF),
    ...thingsOf('cni-config', cniConfig, conflistOf(config.containerd)),
    ...thingsOf('containerd-config', config.containerd.config, containerd.config, containerd.crictlConfig),
    ...thingsOf('containerd-config', ...mirrorPaths(config.baseDir)),
  ])
})

/** A node that is set up with the other runtime, or with another release, keeps what was recorded before. */
const stepsOfFiles = perConfig((config): ReadonlyMap<unknown, ReadonlySet<StepId>> => {
  const newest = {major: 1, minor: NEWEST_MINOR, patch: 0, text: `1.${NEWEST_MINOR}.0`}
  const all = [
    config,
    {...config, runtime: 'docker'} as const,
    {...config, release: newest, runtime: 'containerd'} as const,
    {...config, containerd: ownContainerd(config.baseDir), release: newest, runtime: 'containerd'} as const,
  ].map((one) => filesOf(one))
  const paths = new Set(all.flatMap((files) => [...files.keys()]))
  return new Map([...paths].map((path) => [path, new Set(all.flatMap((files) => files.get(path) ?? []))]))
})

function stepOfDownload(name: string, config: Pick<Decided, 'runtime'>): StepId {
  if (name.startsWith('shawl')) return shawlStep(config)
  if (name.startsWith('kubernetes')) return 'kubernetes-binaries'
  if (/^(?:containerd|crictl)-/.test(name)) return 'containerd-binaries'
  return /^(?:cni-plugins|flannel-)/.test(name) ? 'cni-binaries' : 'flannel-binary'
}

export const file: Kind = {
  accepts: ({path, previous}, step, config) =>
    typeof path === 'string' &&
    (stepsOfFiles(config).get(keyOf(path))?.has(step) === true ||
      (step === 'base-dir' && isMovedProgram(path) && isOnDriveOf(config, path)) ||
      (step === 'containerd-config' && previous !== undefined && isOtherCniFile(config, path))) &&
    (previous === undefined || previous === `${path}${ASIDE}`),
  find: {home: findInBaseDir, host: findNetConf},
  place: "the node's files",
  async remove(context, step) {
    const {config, host, journal} = context
    const kept = new Map<string, string | undefined>()
    for (const {path, previous} of journal.entries(step, 'file')) kept.set(path, previous ?? kept.get(path))
    for (const [path, previous] of kept) {
      // They may be what runs this reset, and a next run may need them: --purge removes them last.
      const isKept = isOwnProgram(path, config.baseDir) && (await host.files.status(path)) !== undefined
      if (isKept) continue
      // Its name was never written to, so there are no temporary files: what looks like one there is not k8s-win's.
      if (isMovedProgram(path)) await deleteMoved(context, path)
      else await removeFile(context, path, previous)
    }
  },
  steps: [
    'base-dir',
    ...PROGRAM_STEPS,
    'containerd-config',
    'net-conf',
    'kubelet-config',
    'kubelet-service',
    'cni-config',
  ],
}

/** Where a program of k8s-win that ran was moved to. */
const isOnDriveOf = ({baseDir}: Decided, path: string): boolean =>
  keyOf(win32.parse(path).root) === keyOf(win32.parse(baseDir).root)

/** Put aside in the folder of a containerd that was there before. */
const isOtherCniFile = ({containerd}: Decided, path: string): boolean =>
  !containerd.isOurs && isChildOf(setOf([containerd.cniConfigFolder]), path) && isCniConfigName(win32.basename(path))

/** Downloads stay for the next setup, unfinished unpacked files do not. */
export const download: Kind = {
  accepts({path}, step, config) {
    if (!isChildOf(setOf([layoutOf(config.baseDir).downloads]), path)) return false
    const name = win32.basename(path)
    if (!isDownloadName(name)) return false
    return (['docker', 'containerd'] as const).some((runtime) => stepOfDownload(name, {runtime}) === step)
  },
  find: {
    async home({claim, config, host}) {
      const {downloads} = layoutOf(config.baseDir)
      for (const name of await host.files.list(downloads)) {
        if (isDownloadName(name))
          claim(stepOfDownload(name, config), {kind: 'download', path: win32.join(downloads, name)})
      }
    },
  },
  place: "the node's files",
  async remove(context, step) {
    if (context.journal.entries(step, 'download').length === 0) return
    for (const {artifact, step: own} of programsOf(context.config)) {
      if (own === step) await removeStage(context, artifact.id)
    }
    await removePrevious(context)
  },
  steps: PROGRAM_STEPS,
}

export const filesBefore: Kind = {
  accepts: ({names, path}) => typeof path === 'string' && keyOf(path) === keyOf(KUBELET_KEYS) && listOf(isText)(names),
  async remove(context, step) {
    if (step === 'kubelet-service') await removeKeys(context)
  },
  steps: ['kubelet-service'],
}

/** Setup overwrites every program and configuration in a base directory of k8s-win. */
async function findInBaseDir(search: Search): Promise<void> {
  const {config} = search
  const {bootstrapKubeconfig, clientCA, containerd, kubeletConfig} = layoutOf(config.baseDir)
  const isInside = (path: string): boolean => isWithin(keyOf(path), keyOf(config.baseDir))
  for (const {paths, step} of programsOf(config))
    for (const path of paths.filter(isInside)) await claimFile(search, step, path)
  for (const path of ownPrograms(config.baseDir)) await claimFile(search, 'base-dir', path)
  for (const path of [bootstrapKubeconfig, clientCA, kubeletConfig]) await claimFile(search, 'kubelet-config', path)
  if (isInside(cniFileOf(config))) await claimFile(search, 'cni-config', cniFileOf(config))
  else await findInPresent(search)
  if (config.runtime !== 'containerd') return reportKubeconfigs(search)
  for (const path of [containerd.config, containerd.crictlConfig, ...mirrorPaths(config.baseDir)])
    await claimFile(search, 'containerd-config', path)
  await reportKubeconfigs(search)
}

/** In the folders of a containerd that was there before: only what exactly k8s-win would have written. */
async function findInPresent(search: Search): Promise<void> {
  const {config, host, isNamed, leave} = search
  const conflist = conflistOf(config.containerd)
  if ((await readText(search, conflist)) === cniConflist(config)) await claimFile(search, 'cni-config', conflist)
  const paths = programsOf(config).flatMap(({folder, paths: own}) =>
    folder === config.containerd.cniBinaries ? own : [],
  )
  const found = await Promise.all(paths.map((path) => host.files.status(path)))
  const unnamed = paths.filter((path, index) => found[index] !== undefined && !isNamed({kind: 'file', path}))
  if (unnamed.length > 0) leave(`${unnamed.join(', ')}, because it is unknown whether they existed before setup`)
}

/** Only the journal knew whether it is a copy that setup made, or the user's own. */
async function reportKubeconfigs(search: Search): Promise<void> {
  const {claim, config, host, isNamed, leave} = search
  const {baseDir} = config
  const {kubeconfig} = layoutOf(baseDir)
  const written = {kind: 'tree', path: kubeconfig} as const
  // The kubelet of a node that joined with a token writes it.
  const isKubelets = config.join !== undefined && isWrittenByKubelet((await readText(search, kubeconfig)) ?? '')
  if (isKubelets) claim('kubelet-service', written)
  const closed = [baseDir, kubeconfig].map((path) => ({kind: 'security', path, previous: ''}) as const)
  const isFirstNamed = [...closed, {kind: 'directory', path: baseDir} as const].some((entry) => isNamed(entry))
  const copies = new Map<string, string | undefined>([
    [kubeconfig, config.kubeconfig],
    ...(['kubelet', 'kube-proxy', 'flanneld'] as const).map(
      (identity) => [identityFile(baseDir, identity), config.identityFiles[identity]] as const,
    ),
  ])
  for (const [path, given] of copies) {
    if (isNamed({kind: 'file', path}) || !(await host.files.status(path))) continue
    if (path === kubeconfig && (isKubelets || isNamed(written))) continue
    // Where the journal still has the entries of the first step, one that setup was not asked to copy is the user's.
    if (isFirstNamed && given === undefined) continue
    const aside = `${path}${ASIDE}`
    const isCopy = (await host.files.status(aside)) !== undefined
    leave(
      isCopy
        ? `${path}, a copy that setup created, and ${aside}, which existed before. Both may contain a private key: keep the one that you need, and remove the other by hand`
        : `${path}, which may be yours, or a copy that setup created. It may contain a private key: if you do not need it, remove it by hand`,
    )
  }
}

/** Outside of the base directory: only what exactly k8s-win would have written. */
async function findNetConf(search: Search): Promise<void> {
  const written = (await readText(search, NET_CONF)) ?? ''
  const network = textAt(parseJson(written), 'Network')
  search.isNetConfOurs =
    parseCidr(network) !== undefined && written === netConf({...search.config, clusterCIDR: network})
  if (!search.isNetConfOurs) return leaveUnnamed(search, 'file', NET_CONF)
  await claimFolders(search, 'net-conf', FLANNEL_CONFIG_FOLDER)
  await claimFile(search, 'net-conf', NET_CONF)
}

async function claimFile({claim, host}: Search, step: StepId, path: string): Promise<void> {
  const previous = `${path}${ASIDE}`
  const isKept = (await host.files.status(previous)) !== undefined
  const kind = (await host.files.status(path))?.kind
  if (kind === 'file' || isKept) claim(step, {kind: 'file', path, ...(isKept && {previous})})
}
