// The CNI plugins: win-overlay and host-local, and flannel's own, which left their archive with 1.0.0.
import {cniPluginsArtifact, flannelCniArtifact} from '../artifacts/catalog.js'
import {layoutOf} from '../config/layout.js'
import {
  applyPrograms,
  type DesiredPrograms,
  discardDownloads,
  inspectPrograms,
  removePrograms,
} from '../pipeline/desired/programs.js'
import type {Step, StepContext} from '../pipeline/run/step.js'

const ID = 'cni-binaries'

export const cniBinaries: Step = {
  apply: (context) => applyPrograms(context, ID, wanted(context)),
  deadlineMs: 45 * 60_000,
  id: ID,
  inspect: (context) => inspectPrograms(context, ID, wanted(context)),
  leaves: {
    claims: ['download'],
    discard: (context) => discardDownloads(context, ID),
    kind: 'downloads',
  },
  needs: ['base-dir'],
  remove: (context) => removePrograms(context, ID, wanted(context)),
  title: 'Install CNI plugins',
}

function wanted({config}: StepContext): DesiredPrograms[] {
  const folder = layoutOf(config.baseDir).cniBinaries
  return [
    {artifact: cniPluginsArtifact(config), folder},
    {artifact: flannelCniArtifact(config), folder, name: 'flannel.exe'},
  ]
}
