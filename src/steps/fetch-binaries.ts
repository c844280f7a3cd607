// Before an upgrade stops anything: the new programs are downloaded and verified, the old ones are kept for the way back.
import {isFetched} from '../artifacts/fetch.js'
import {type Programs, programsOf} from '../artifacts/programs.js'
import {crictlConfiguration} from '../components/containerd.js'
import {layoutOf} from '../config/layout.js'
import {asksFlanneld} from '../config/settings/daemon-settings.js'
import {replacesPrograms} from '../config/upgrade.js'
import {containerdStopped} from '../errors/host.js'
import {keepPrograms, programsToKeep} from '../pipeline/desired/programs/previous-programs.js'
import {demandFlanneldFlags} from '../pipeline/desired/programs/flanneld-flags.js'
import {demandBefore, fetchPrograms, isInstalled} from '../pipeline/desired/programs/programs.js'
import {drifted, inPlace, isInPlan, type Step, type StepContext} from '../pipeline/run/step.js'
import {sandboxImage} from './sandbox-image.js'

export const fetchBinaries: Step = {
  applies: replacesPrograms,
  async apply(context) {
    for (const programs of replaced(context)) await keepPrograms(context, programs)
    for (const programs of await unfetched(context)) {
      await fetchPrograms(context, programs)
      context.changed(`download ${programs.artifact.id} ${programs.artifact.version}`)
    }
    if (await lacksSandboxImage(context)) await sandboxImage.apply(context)
  },
  deadlineMs: 60 * 60_000,
  id: 'fetch-binaries',
  async inspect(context) {
    const evidence = (await unfetched(context)).map(
      ({artifact}) => `${artifact.id} ${artifact.version} is not here yet`,
    )
    for (const programs of replaced(context))
      evidence.push(...(await programsToKeep(context, programs)).map(({path}) => `${path} is not kept yet`))
    if (await lacksSandboxImage(context)) evidence.push('the sandbox image is not here yet')
    return evidence.length > 0 ? drifted(...evidence) : inPlace('the programs of both releases are here')
  },
  needs: ['base-dir'],
  // Before the node is drained.
  async prove(context) {
    const {config} = context
    const asked = asksFlanneld(config) ? programsOf(config).find(({artifact}) => artifact.id === 'flanneld') : undefined
    if (asked) await demandBefore(context, {...asked, demand: demandFlanneldFlags})
    return inPlace()
  },
  title: 'Download new binaries, keep the old ones',
}

/** The programs of the old release that the new one has in another version, or not at all. */
function replaced({config}: StepContext): Programs[] {
  const wanted = programsOf(config).map(({artifact}) => `${artifact.id} ${artifact.version}`)
  const before = config.upgrade ? programsOf(config.upgrade.from) : []
  return before.filter(({artifact}) => !wanted.includes(`${artifact.id} ${artifact.version}`))
}

async function unfetched(context: StepContext): Promise<Programs[]> {
  const {files, http} = context.host
  const folder = layoutOf(context.config.baseDir).downloads
  const fetching = {files, folder, http, onProgress: () => {}, signal: context.signal}
  const found: Programs[] = []
  for (const programs of programsOf(context.config)) {
    // It comes with this package.
    if (programs.artifact.id === 'shawl') continue
    const isHere = (await isInstalled(context, programs)) || (await isFetched(programs.artifact, fetching))
    if (!isHere) found.push(programs)
  }

  return found
}

/** Without a containerd that responds, crictl and its file nothing can be pulled now: the step of the image does so later. */
async function lacksSandboxImage(context: StepContext): Promise<boolean> {
  const {config, host} = context
  const status = isInPlan(sandboxImage, config) ? await host.services.status(config.containerd.service) : undefined
  if (status?.state !== 'running') return false
  const {crictl, crictlConfig} = layoutOf(config.baseDir).containerd
  const settings = (await host.files.read(crictlConfig))?.toString('utf8')
  if (settings !== crictlConfiguration(config.containerd) || !(await host.files.status(crictl))) return false
  return sandboxImage.inspect(context).then(
    ({state}) => state !== 'in-place',
    (error: unknown) => {
      if (containerdStopped.is(error)) return false
      throw error
    },
  )
}
