// Which programs end up where on the node.
import {win32} from 'node:path'
import {layoutOf} from '../config/layout.js'
import type {SetupConfig} from '../config/model.js'
import {cniPluginsArtifact, kubernetesArtifact} from './catalog.js'

/** All of them are compared with their digests by their steps. */
export function programPaths(config: SetupConfig): string[] {
  const {binaries, cniBinaries, flanneld, shawl} = layoutOf(config.baseDir)
  const inside = (folder: string, names: readonly string[]): string[] => names.map((name) => win32.join(folder, name))
  return [
    ...inside(binaries, Object.values(kubernetesArtifact(config).members ?? {})),
    ...inside(cniBinaries, [...Object.values(cniPluginsArtifact(config).members ?? {}), 'flannel.exe']),
    flanneld,
    shawl,
  ]
}
