// The files that containerd, its registry client and crictl read.
import {
  containerdConfiguration,
  containerdSettings,
  crictlConfiguration,
  mirrorFiles,
  registryFiles,
} from '../components/containerd.js'
import {win32} from 'node:path'
import {layoutOf} from '../config/layout.js'
import {CONTAINERD} from '../config/model.js'
import {isBelow} from '../config/version.js'
import {isOfRegistry} from '../host/containerd/registry-config.js'
import {keyOf, setOf} from '../host/security/known-paths.js'
import {ADMINISTRATORS_ONLY} from '../host/security/security.js'
import {applyFiles, type DesiredFile, inspectFiles, restoreFiles} from '../pipeline/desired/files/file.js'
import {ensureFolder} from '../pipeline/desired/files/folder.js'
import {
  otherCniFiles,
  putAside,
  repairedFile,
  restartContainerd,
} from '../pipeline/desired/containers/present-containerd.js'
import {removeIfEmpty, removePath} from '../pipeline/desired/files/remove-path.js'
import {removes} from '../pipeline/owned/kinds.js'
import {noteUnread, noteWritten} from '../pipeline/desired/services/configuration-read.js'
import {drifted, type Step, type StepContext} from '../pipeline/run/step.js'

const ID = 'containerd-config'

export const containerdConfig: Step = {
  runtime: 'containerd',
  async apply(context) {
    await provideCniFolder(context)
    if (context.config.containerd.isOurs)
      await ensureFolder(context, ID, layoutOf(context.config.baseDir).containerd.lib)
    for (const path of await otherCniFiles(context)) await putAside(context, ID, path)
    const [unreadable] = context.config.registries?.problems ?? []
    if (unreadable) throw unreadable
    for (const path of await otherRegistryFiles(context)) await putAside(context, ID, path)
    await applyFiles(context, ID, await wanted(context))
    for (const path of await formerRegistryFiles(context)) {
      await removePath(context, path)
      // Where a folder is, containerd does not look for _default.
      await removeIfEmpty(context, win32.dirname(path))
    }
  },
  deadlineMs: 60_000,
  id: ID,
  async inspect(context) {
    const finding = await inspectFiles(context, ID, await wanted(context))
    const others = (await otherCniFiles(context)).map((path) => `${path} is another CNI configuration`)
    const {problems = []} = context.config.registries ?? {}
    const registries = [
      ...problems.map(({message}) => message),
      ...(await formerRegistryFiles(context)).map(
        (path) => `${path} is of a former --image-registry or --registry-config`,
      ),
      ...(await otherRegistryFiles(context)).map((path) => `${path} is not of --registry-config`),
    ]
    const more = [...(await lostCniFolder(context)), ...others, ...registries]
    return more.length === 0 ? finding : drifted(...(finding.state === 'in-place' ? [] : finding.evidence), ...more)
  },
  // It creates the folder that both are in.
  needs: ['containerd-binaries'],
  async remove(context, isLast) {
    const {config, isOurs} = context.config.containerd
    const isRepaired = context.journal.entries(ID, 'file').some(({path}) => !isOurs && keyOf(path) === keyOf(config))
    await removes(ID)(context, isLast)
    // It has read what was restored only then.
    if (isRepaired) await restartContainerd(context)
  },
  removal: 'Remove the containerd configuration',
  // What a user's own containerd reads is not k8s-win's to write.
  async restore(context) {
    const {config, host, journal} = context
    const crictl = crictlFile(context)
    const isRecorded = journal.entries(ID, 'file').some(({path}) => path === crictl.path)
    const there = isRecorded ? await host.files.read(crictl.path) : undefined
    // Without it, or with another one, crictl fails.
    if (isRecorded && there?.toString('utf8') !== crictl.content) await applyFiles(context, ID, [crictl])
    if (config.containerd.isOurs) await restoreFiles(context, ID, await wanted(context))
  },
  title: 'Write containerd configuration',
}

const crictlFile = ({config}: StepContext): DesiredFile => ({
  content: crictlConfiguration(config.containerd),
  path: layoutOf(config.baseDir).containerd.crictlConfig,
})

async function wanted(context: StepContext): Promise<DesiredFile[]> {
  const {config} = context
  const {containerd} = layoutOf(config.baseDir)
  const crictl = crictlFile(context)
  const repaired = await repairedFile(context)
  if (!config.containerd.isOurs) return [crictl, ...(repaired ? [repaired] : [])]
  return [
    {content: containerdConfiguration(containerdSettings(config)), path: containerd.config, readBy: CONTAINERD},
    crictl,
    ...registryFilesOf(config),
  ]
}

/** containerd watches it, and creates it when it starts (internal/cri/server/cni_conf_syncer.go). */
async function provideCniFolder(context: StepContext): Promise<void> {
  const isLost = (await lostCniFolder(context)).length > 0
  if (isLost && context.config.containerd.isOurs) await noteUnread(context, ID, CONTAINERD)
  const {cniConfigFolder, isOurs} = context.config.containerd
  await ensureFolder(context, ID, cniConfigFolder, isOurs ? undefined : ADMINISTRATORS_ONLY)
  if (isLost && isOurs) await noteWritten(context, ID, CONTAINERD)
}

/**
 * A folder that was removed while containerd was running. Before 2.1 the watch is lost with it, so that a configuration
 * that is written later is not loaded, and the node stays NotReady; newer ones exit, and are restarted (0c2805a6e).
 */
async function lostCniFolder({config, host}: StepContext): Promise<string[]> {
  const folder = config.containerd.cniConfigFolder
  if (!config.containerd.isOurs) return (await host.files.status(folder)) ? [] : [`${folder} does not exist`]
  if (!isBelow(config.versions.containerd, 2, 1) || (await host.files.status(folder))) return []
  const isRunning = (await host.services.status(CONTAINERD))?.state === 'running'
  return isRunning ? [`${folder} does not exist, and containerd no longer watches it`] : []
}

/** containerd reads whatever is there, at every pull. */
async function formerRegistryFiles({config, host, journal}: StepContext): Promise<string[]> {
  if (config.registries?.problems.length) return []
  const wanted = setOf(registryFilesOf(config).map(({path}) => path))
  const recorded = new Set(journal.entries(ID, 'file').map(({path}) => path))
  const former = [...recorded].filter((path) => isOfRegistry(config.baseDir, path) && !wanted.has(keyOf(path)))
  const found = await Promise.all(former.map((path) => host.files.status(path)))
  return former.filter((_, index) => found[index] !== undefined)
}

/** In a folder of --registry-config without hosts.toml containerd reads certificates by their names, or a hosts.toml. */
async function otherRegistryFiles({config, host, journal}: StepContext): Promise<string[]> {
  const wanted = registryFilesOf(config).map(({path}) => path)
  const known = setOf([...wanted, ...journal.entries(ID, 'file').map(({path}) => path)])
  const others: string[] = []
  for (const folder of new Set(wanted.map((path) => win32.dirname(path)))) {
    if (setOf(wanted).has(keyOf(win32.join(folder, 'hosts.toml')))) continue
    const paths = (await host.files.list(folder)).map((name) => win32.join(folder, name))
    others.push(...paths.filter((path) => isOfRegistry(config.baseDir, path) && !known.has(keyOf(path))))
  }

  return others
}

const registryFilesOf = (config: StepContext['config']): DesiredFile[] =>
  config.containerd.isOurs ? [...mirrorFiles(config), ...registryFiles(config)] : []
