// The Windows feature Containers, which pod networks require. Only with --enable-features; reset keeps it, because other
// programs may use it by then, and because removing it would need another restart.
import {containersMissing} from '../errors/host.js'
import {restartRequired} from '../errors/restart.js'
import {FEATURE_PENDING, type FeatureState} from '../host/windows-features.js'
import {inPlace, missing, type Step, type StepContext} from '../pipeline/run/step.js'

export const windowsFeatures: Step = {
  applies: ({enableFeatures}) => enableFeatures,
  async apply(context) {
    const {host, signal} = context
    context.progress({text: 'dism.exe enables the Windows feature Containers'})
    const outcome = await host.features.enableContainers(signal)
    context.changed('enable the Windows feature Containers')
    if (outcome === 'enabled' && (await stateOf(context)) !== 'pending') return
    throw restartRequired({reasons: FEATURE_PENDING})
  },
  deadlineMs: 16 * 60_000,
  id: 'windows-features',
  inspect: async (context) =>
    (await stateOf(context)) === 'installed'
      ? inPlace('the Windows feature Containers is installed')
      : missing('the Windows feature Containers is not installed'),
  // The log and the result of a run that stops here are in the base directory.
  needs: ['base-dir'],
  title: 'Enable Windows features',
}

async function stateOf({host}: StepContext): Promise<FeatureState> {
  let hasLibrary = true
  try {
    await host.hns.version()
  } catch (error) {
    // HNS may not be running, or refuse the call: that is not about the feature.
    hasLibrary = !containersMissing.is(error)
  }
  return host.features.containers(hasLibrary)
}
