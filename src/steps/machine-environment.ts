// PATH and KUBECONFIG, so that people find kubectl and it finds the cluster.
import {layoutOf} from '../config/layout.js'
import {drifted, inPlace, missing, type Step} from '../pipeline/step.js'

const ID = 'machine-environment'

export const machineEnvironment: Step = {
  async apply(context) {
    const {config, host, journal} = context
    const {binaries, kubeconfig} = layoutOf(config.baseDir)
    if (!(await host.environment.isOnPath(binaries))) {
      await journal.record(ID, {folder: binaries, kind: 'path-entry'})
      await host.environment.addToPath(binaries)
      context.changed(`add ${binaries} to PATH`)
    }

    const previous = await host.environment.get('KUBECONFIG')
    if (previous === kubeconfig) return
    const before = previous === undefined ? {} : {previous}
    await journal.record(ID, {kind: 'environment', name: 'KUBECONFIG', ...before})
    await host.environment.set('KUBECONFIG', kubeconfig)
    context.changed(`set KUBECONFIG to ${kubeconfig}`)
  },
  deadlineMs: 60_000,
  id: ID,
  async inspect({config, host}) {
    const {binaries, kubeconfig} = layoutOf(config.baseDir)
    const [onPath, variable] = await Promise.all([
      host.environment.isOnPath(binaries),
      host.environment.get('KUBECONFIG'),
    ])
    if (onPath && variable === kubeconfig) return inPlace('PATH and KUBECONFIG are set')
    const evidence = [
      ...(onPath ? [] : [`${binaries} is not on PATH`]),
      ...(variable === kubeconfig ? [] : [`KUBECONFIG is ${variable ?? 'not set'}`]),
    ]
    return !onPath && variable === undefined ? missing(...evidence) : drifted(...evidence)
  },
  needs: ['base-dir'],
  async remove(context) {
    const {config, host, journal} = context
    for (const {folder} of journal.entries(ID, 'path-entry')) {
      if (!(await host.environment.isOnPath(folder))) continue
      await host.environment.removeFromPath(folder)
      context.changed(`remove ${folder} from PATH`)
    }

    const [newest] = journal.entries(ID, 'environment')
    // Somebody else's value, set since, stays.
    if (!newest || (await host.environment.get(newest.name)) !== layoutOf(config.baseDir).kubeconfig) return
    const {name, previous} = newest
    await host.environment.set(name, previous)
    context.changed(previous === undefined ? `remove ${name}` : `set ${name} back to ${previous}`)
  },
  title: 'Set PATH and KUBECONFIG',
}
