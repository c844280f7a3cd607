// Which programs end up where on the node, and which step installs them.
import {win32} from 'node:path'
import {layoutOf} from '../config/layout.js'
import type {Decided, RuntimeName} from '../config/model.js'
import type {StepId} from '../config/step-ids.js'
import {
  type Artifact,
  cniPluginsArtifact,
  containerdArtifact,
  crictlArtifact,
  flannelCniArtifact,
  flanneldArtifact,
  kubernetesArtifact,
  shawlArtifact,
} from './catalog.js'

export interface Programs {
  readonly artifact: Artifact
  readonly folder: string
  readonly paths: readonly string[]
  readonly step: StepId
}

export function programsOf(config: Decided): Programs[] {
  const {baseDir} = config
  const {binaries, containerd} = layoutOf(baseDir)
  const {cniBinaries} = config.containerd
  return [
    programs('kubernetes-binaries', kubernetesArtifact(config), binaries),
    ...RUNTIME_ARTIFACTS[config.runtime](config).map((one) => programs('containerd-binaries', one, containerd.bin)),
    programs('cni-binaries', cniPluginsArtifact(config), cniBinaries),
    programs('cni-binaries', flannelCniArtifact(config), cniBinaries, 'flannel.exe'),
    programs('flannel-binary', flanneldArtifact(config), baseDir, 'flanneld.exe'),
    programs(SHAWL_STEP[config.runtime], shawlArtifact(config), baseDir, 'shawl.exe'),
  ]
}

const RUNTIME_ARTIFACTS: Readonly<Record<RuntimeName, (config: Decided) => Artifact[]>> = {
  containerd: (config) => [...(config.containerd.isOurs ? [containerdArtifact(config)] : []), crictlArtifact(config)],
  docker: () => [],
}

/** The first step whose service runs under shawl. */
export const SHAWL_STEP: Readonly<Record<RuntimeName, StepId>> = {
  containerd: 'containerd-binaries',
  docker: 'flannel-binary',
}

/** All of them are compared with their digests by their steps. */
export function programPaths(config: Decided): string[] {
  return programsOf(config).flatMap(({paths}) => paths)
}

/** `name`: of an artifact that is the program itself. */
function programs(step: StepId, artifact: Artifact, folder: string, name = ''): Programs {
  const names = artifact.members ? Object.values(artifact.members) : [name]
  return {artifact, folder, paths: names.map((one) => win32.join(folder, one)), step}
}
