// flanneld, and shawl, which runs it as a service.
import {flanneldArtifact, shawlArtifact} from '../artifacts/catalog.js'
import {FLANNELD} from '../components/flanneld.js'
import {
  applyPrograms,
  type DesiredPrograms,
  discardDownloads,
  inspectPrograms,
  removePrograms,
} from '../pipeline/desired/programs.js'
import type {Step, StepContext} from '../pipeline/run/step.js'

const ID = 'flannel-binary'

export const flannelBinary: Step = {
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
  title: 'Install flanneld',
}

function wanted({config, host}: StepContext): DesiredPrograms[] {
  return [
    {artifact: flanneldArtifact(config), folder: config.baseDir, name: 'flanneld.exe', usedBy: [FLANNELD]},
    {
      artifact: shawlArtifact(config),
      folder: config.baseDir,
      name: 'shawl.exe',
      read: () => host.assets.shawl(),
      usedBy: [FLANNELD],
    },
  ]
}
