// Files that are ours by where they lie and what is in them, where no journal says so.
import {win32} from 'node:path'
import {programPaths} from '../../artifacts/programs.js'
import {netConf} from '../../components/flanneld.js'
import {parseCidr} from '../../config/cidr.js'
import {
  FLANNEL_CONFIG_FOLDER,
  FLANNEL_STATE_FOLDER,
  identityFile,
  IPAM_STORE,
  layoutOf,
  NET_CONF,
  SUBNET_ENV,
} from '../../config/layout.js'
import {NETWORK_NAME, type SetupConfig} from '../../config/model.js'
import {parseJson, textAt} from '../../host/document.js'
import type {Host} from '../../host/host.js'
import type {JournalEntry} from './journal.js'
import {stepOfDownload, stepOfProgram} from './entry-owners.js'
import {ASIDE, isDownloadName} from './entry-rules.js'
import type {StepId} from '../run/step-id.js'

/** A look at the host: what is found is claimed, as the step would have noted it, or left, in words. */
export interface Marks {
  readonly config: SetupConfig
  readonly host: Host
  claim(step: StepId, ...entries: readonly JournalEntry[]): void
  /** By what is left of the journal. */
  isNamed(entry: JournalEntry): boolean
  /** What setup may have created: reset reports it, and does not remove it. */
  leave(what: string): void
  /** What belongs to another node. */
  remark(what: string): void
}

/** What flanneld writes, and nobody else: subnet.env has these lines only. */
const SUBNET_LINES = /^(?:FLANNEL_(?:IPMASQ|IPV6_NETWORK|IPV6_SUBNET|MTU|NETWORK|SUBNET)=.*\r?\n?)+$/
/** What host-local writes: a file an address, the last one given, and its lock. */
const RESERVED = /^(?:\d{1,3}(?:\.\d{1,3}){3}|last_reserved_ip\.\d+|lock)$/

/** In a base directory that is ours: every program and configuration is written anew by setup, whoever had it before. */
export async function findMarkedFiles(marks: Marks): Promise<void> {
  const {config, host} = marks
  const layout = layoutOf(config.baseDir)
  const {binaries, cniBinaries, cniConfigFolder, downloads} = layout
  const node = win32.dirname(binaries)
  await claimFolders(marks, 'kubernetes-binaries', win32.dirname(node), node, binaries, downloads)
  await claimFolders(marks, 'cni-binaries', cniBinaries, downloads)
  await claimFolders(marks, 'flannel-binary', downloads)
  await claimFolders(marks, 'cni-config', cniConfigFolder)
  await claimFolders(marks, 'kubelet-service', win32.join(layout.logs, 'kubelet'))
  await claimFolders(marks, 'flanneld-service', win32.join(layout.logs, 'flanneld'))
  await claimFolders(marks, 'kubeproxy-service', win32.join(layout.logs, 'kubeproxy'))
  for (const path of programPaths(config)) await claimFile(marks, stepOfProgram(config, path), path)
  for (const path of [layout.clientCA, layout.kubeletConfig]) await claimFile(marks, 'kubelet-config', path)
  await claimFile(marks, 'cni-config', layout.cniConfig)
  for (const name of await host.files.list(downloads)) {
    if (isDownloadName(name)) marks.claim(stepOfDownload(name), {kind: 'download', path: win32.join(downloads, name)})
  }

  await tellKubeconfigs(marks)
}

/** A copy that setup made, or the user's own: only the journal told. */
async function tellKubeconfigs({config, host, isNamed, leave}: Marks): Promise<void> {
  const {baseDir} = config
  const {kubeconfig} = layoutOf(baseDir)
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
    // Where the journal still has what the first step did, one that setup was not told to copy is the user's.
    if (isFirstNamed && given === undefined) continue
    const aside = `${path}${ASIDE}`
    const isCopy = (await host.files.status(aside)) !== undefined
    leave(
      isCopy
        ? `${path}, a copy that setup made, and ${aside}, which was there before. Both may hold a private key: keep the one you need, and remove the other by hand`
        : `${path}, which may be your own, or a copy that setup made. It may hold a private key: if you do not need it, remove it by hand`,
    )
  }
}

/** Outside of the base directory: only what our daemons, and nobody else, would have written so. */
export async function findMarkedState(marks: Marks, isFlannelOurs: boolean): Promise<void> {
  const {files} = marks.host
  const written = (await readText(marks, NET_CONF)) ?? ''
  const network = textAt(parseJson(written), 'Network')
  const isOurs = parseCidr(network) !== undefined && written === netConf({...marks.config, clusterCIDR: network})
  const leaveUnnamed = async (kind: 'file' | 'tree', path: string): Promise<void> => {
    if (marks.isNamed({kind, path}) || !(await files.status(path))) return
    marks.leave(`${path}, for it is not as k8s-win or its daemons write it`)
  }

  if (isOurs) {
    await claimFolders(marks, 'net-conf', FLANNEL_CONFIG_FOLDER)
    await claimFile(marks, 'net-conf', NET_CONF)
  } else await leaveUnnamed('file', NET_CONF)

  if (!isFlannelOurs && !isOurs) return
  if (SUBNET_LINES.test((await readText(marks, SUBNET_ENV)) ?? '')) {
    await claimFolders(marks, 'flanneld-service', FLANNEL_STATE_FOLDER)
    marks.claim('flanneld-service', {kind: 'tree', path: SUBNET_ENV})
  } else await leaveUnnamed('tree', SUBNET_ENV)

  const store = win32.join(IPAM_STORE, NETWORK_NAME)
  const names = await files.list(store)
  if (names.every((name) => RESERVED.test(name))) {
    if (await files.status(store)) marks.claim('source-vip', {kind: 'tree', path: store})
  } else await leaveUnnamed('tree', store)
}

async function readText({host}: Pick<Marks, 'host'>, path: string): Promise<string | undefined> {
  const status = await host.files.status(path)
  return status?.kind === 'file' ? (await host.files.read(path))?.toString('utf8') : undefined
}

/** Taken away only if nothing is left in them. */
async function claimFolders({claim, host}: Marks, step: StepId, ...paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    if ((await host.files.status(path))?.kind === 'directory') claim(step, {kind: 'directory', path})
  }
}

/** One that is kept aside comes back. */
async function claimFile({claim, host}: Marks, step: StepId, path: string): Promise<void> {
  const previous = `${path}${ASIDE}`
  const isKept = (await host.files.status(previous)) !== undefined
  const kind = (await host.files.status(path))?.kind
  if (kind === 'file' || isKept) claim(step, {kind: 'file', path, ...(isKept && {previous})})
}
