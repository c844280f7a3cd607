// PATH and KUBECONFIG, so that users find kubectl and kubectl finds the cluster.
import {isToBeClaimed} from '../pipeline/desired/adoption.js'
import {isSameHome} from '../components/node-home.js'
import {layoutOf} from '../config/layout.js'
import {drifted, inPlace, missing, type Step, type StepContext} from '../pipeline/run/step.js'
import {announceForLastRun, isNotified, notified} from '../pipeline/desired/environment.js'

const ID = 'machine-environment'
const VARIABLE = 'KUBECONFIG'

export const machineEnvironment: Step = {
  async apply(context) {
    const {journal} = context
    await announceForLastRun(context)
    await setVariable(context)
    await putOnPath(context)
    await journal.record(ID, notified(true))
  },
  deadlineMs: 60_000,
  driftCause: 'PATH or KUBECONFIG was edited, or an installer overwrote PATH.',
  id: ID,
  async inspect(context) {
    const {config, host} = context
    const {binaries} = layoutOf(config.baseDir)
    const [onPath, variable] = await Promise.all([host.environment.isOnPath(binaries), host.environment.get(VARIABLE)])
    const pathProblem = onPath ? `${binaries} on PATH was not added by k8s-win alone` : `${binaries} is not on PATH`
    const evidence = [
      ...((await isPathRight(context, binaries)) ? [] : [pathProblem]),
      ...(isVariableRight(context, variable) ? [] : [`${VARIABLE} is ${variable ?? 'not set'}`]),
    ]
    if (evidence.length === 0 && !isNotified(context)) evidence.push('running programs were not notified')
    if (evidence.length === 0) return inPlace(`PATH and ${VARIABLE} are set`)
    return !onPath && variable === undefined ? missing(...evidence) : drifted(...evidence)
  },
  needs: ['base-dir'],
  removal: 'Restore PATH and KUBECONFIG',
  title: 'Set PATH and KUBECONFIG',
}

async function putOnPath(context: StepContext): Promise<void> {
  const {config, host, journal} = context
  const {binaries} = layoutOf(config.baseDir)
  if (await isPathRight(context, binaries)) return
  const isThere = await host.environment.isOnPath(binaries)
  await journal.record(ID, {folder: binaries, kind: 'path-entry'}, notified(false))
  await host.environment.addToPath(binaries)
  context.changed(isThere ? `take over ${binaries} on PATH, once` : `add ${binaries} to PATH`)
}

async function setVariable(context: StepContext): Promise<void> {
  const {config, host, journal} = context
  const {kubeconfig} = layoutOf(config.baseDir)
  const previous = await host.environment.get(VARIABLE)
  if (isVariableRight(context, previous)) return
  // The original script set the same file in another spelling; with --adopt it is taken over.
  const isOurs = previous === undefined || (config.adopt && isSameHome(previous, kubeconfig))
  const kept = isOurs ? {} : {previous}
  await journal.record(ID, {kind: 'environment', name: VARIABLE, ...kept}, notified(false))
  if (previous !== kubeconfig) await host.environment.set(VARIABLE, kubeconfig)
  context.changed(previous === kubeconfig ? `take over ${VARIABLE}` : `set ${VARIABLE} to ${kubeconfig}`)
}

/** With --adopt it is on PATH once, and managed by k8s-win; the original script added it with every run. */
async function isPathRight(context: StepContext, folder: string): Promise<boolean> {
  const {config, host} = context
  if (!config.adopt) return host.environment.isOnPath(folder)
  return (await host.environment.isOnPathOnce(folder)) && !isToBeClaimed(context, ID, 'path-entry')
}

const isVariableRight = (context: StepContext, value: string | undefined): boolean =>
  value === layoutOf(context.config.baseDir).kubeconfig && !isToBeClaimed(context, ID, 'environment')
