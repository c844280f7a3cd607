// cni.conf, last on purpose: the kubelet calls the node Ready as soon as it is there.
import {cniConfiguration} from '../components/cni.js'
import {layoutOf} from '../config/layout.js'
import {foreignCniConfig} from '../errors/host.js'
import {applyFiles, type DesiredFile, inspectFiles, removeFiles} from '../pipeline/desired-file.js'
import type {Step, StepContext} from '../pipeline/step.js'

const ID = 'cni-config'

export const cniConfig: Step = {
  apply: (context) => applyFiles(context, ID, wanted(context)),
  deadlineMs: 60_000,
  id: ID,
  async inspect(context) {
    await demandFirst(context)
    return inspectFiles(context, wanted(context))
  },
  needs: ['kubeproxy-service'],
  remove: (context) => removeFiles(context, ID),
  title: 'Write cni.conf',
}

const wanted = ({config}: StepContext): DesiredFile[] => [
  {content: cniConfiguration(config), path: layoutOf(config.baseDir).cniConfig},
]

/** The kubelet takes the first file by name; a stray one before ours broke sig-windows-tools#128 and flannel#1437. */
async function demandFirst({config, host}: StepContext): Promise<void> {
  const {cniConfigFolder} = layoutOf(config.baseDir)
  const names = (await host.files.list(cniConfigFolder)).filter((name) => /\.(conf|conflist|json)$/i.test(name))
  const foreign = names.find((name) => name.toLowerCase() < 'cni.conf')
  if (foreign !== undefined) throw foreignCniConfig({file: foreign, folder: cniConfigFolder})
}
