// The programs of a node: where each is, what it comes from, and what was noted of it when it was verified.
import {win32} from 'node:path'
import {
  type Artifact,
  cniPluginsArtifact,
  flannelCniArtifact,
  flanneldArtifact,
  kubernetesArtifact,
  shawlArtifact,
} from '../../artifacts/catalog.js'
import {layoutOf} from '../../config/layout.js'
import type {SetupConfig} from '../../config/model.js'
import type {Journal} from '../ledger/journal.js'
import type {StepId} from '../run/step-id.js'

export interface InstalledProgram {
  readonly artifact: Artifact
  /** Undefined where the journal names no digest of it. */
  readonly noted?: {readonly sha256?: string; readonly version?: string}
  readonly path: string
  readonly step: StepId
}

export function installedPrograms(config: SetupConfig, journal: Pick<Journal, 'entries'>): InstalledProgram[] {
  const {binaries, cniBinaries, flanneld, shawl} = layoutOf(config.baseDir)
  const installed = (step: StepId, artifact: Artifact, ...paths: readonly string[]): InstalledProgram[] =>
    paths.map((path) => {
      const files = journal.entries(step, 'file')
      const noted = files.find((entry) => entry.path === path && entry.sha256 !== undefined)
      return {artifact, ...(noted && {noted}), path, step}
    })
  const [kubernetes, plugins] = [kubernetesArtifact(config), cniPluginsArtifact(config)]
  return [
    ...installed('kubernetes-binaries', kubernetes, ...members(kubernetes, binaries)),
    ...installed('cni-binaries', plugins, ...members(plugins, cniBinaries)),
    ...installed('cni-binaries', flannelCniArtifact(config), win32.join(cniBinaries, 'flannel.exe')),
    ...installed('flannel-binary', flanneldArtifact(config), flanneld),
    ...installed('flannel-binary', shawlArtifact(config), shawl),
  ]
}

const members = ({members: names = {}}: Artifact, folder: string): string[] =>
  Object.values(names).map((name) => win32.join(folder, name))
