// Downloads: they stay for the next setup, unfinished unpacked files do not.
import {win32} from 'node:path'
import {programsOf, SHAWL_STEP} from '../../../artifacts/programs.js'
import {layoutOf} from '../../../config/layout.js'
import type {Decided} from '../../../config/model.js'
import {setOf} from '../../../host/security/known-paths.js'
import {removePrevious} from './previous-programs.js'
import {removeStage} from './programs.js'
import type {StepId} from '../../run/step.js'
import {isChildOf, type Kind, type Search} from '../../ledger/kind.js'

/** File names of the catalogue (artifacts/catalog.ts), of any version. */
const DOWNLOAD =
  /^(?:cni-plugins-windows-amd64-v[\w.+-]+\.tgz|(?:flannel-amd64|flanneld|shawl)-v[\w.+-]+\.exe|kubernetes-node-windows-amd64-v[\w.+-]+\.tar\.gz|(?:containerd-|crictl-v)[\w.+-]+-windows-amd64\.tar\.gz)$/

export const isDownloadName = (name: string): boolean => DOWNLOAD.test(name)

function stepOfDownload(name: string, config: Pick<Decided, 'runtime'>): StepId {
  if (name.startsWith('shawl')) return SHAWL_STEP[config.runtime]
  if (name.startsWith('kubernetes')) return 'kubernetes-binaries'
  if (/^(?:containerd|crictl)-/.test(name)) return 'containerd-binaries'
  return /^(?:cni-plugins|flannel-)/.test(name) ? 'cni-binaries' : 'flannel-binary'
}

/** Downloads stay for the next setup, unfinished unpacked files do not. */
export const download: Kind = {
  accepts({path}, step, config) {
    if (!isChildOf(setOf([layoutOf(config.baseDir).downloads]), path)) return false
    const name = win32.basename(path)
    if (!isDownloadName(name)) return false
    return (['docker', 'containerd'] as const).some((runtime) => stepOfDownload(name, {runtime}) === step)
  },
  find: {place: "the node's files", search: findDownloads},
  async remove(context, step) {
    if (context.journal.entries(step, 'download').length === 0) return
    for (const {artifact, step: own} of programsOf(context.config)) {
      if (own === step) await removeStage(context, artifact.id)
    }
    await removePrevious(context)
  },
}

async function findDownloads({claim, config, host}: Search): Promise<void> {
  const {downloads} = layoutOf(config.baseDir)
  for (const name of await host.files.list(downloads)) {
    if (isDownloadName(name)) claim(stepOfDownload(name, config), {kind: 'download', path: win32.join(downloads, name)})
  }
}
