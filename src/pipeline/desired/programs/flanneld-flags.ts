// The user's flags for a flanneld whose flags k8s-win does not know: its program is asked, once its bytes are verified, and
// before anything else of the node is changed.
import {asksFlanneld, placeOf} from '../../../config/settings/daemon-settings.js'
import {nearest} from '../../../config/nearest.js'
import {flagUnknown} from '../../../errors/host.js'
import {ProgramNotFoundError} from '../../../machine/run.js'
import type {StepContext} from '../../run/step.js'

export async function demandFlanneldFlags(
  {config, host, signal, warn}: Pick<StepContext, 'config' | 'host' | 'signal' | 'warn'>,
  program: string,
  whereOf = (name: string): string => placeOf(config.origin, 'flanneld-arg', name),
): Promise<void> {
  if (!asksFlanneld(config)) return
  const {args, versions} = config
  const known = await host.flanneld.flags(program, signal).catch((error: unknown) => {
    // In a preview it has not been downloaded.
    if (error instanceof ProgramNotFoundError) return new Set<string>()
    throw error
  })
  const given = Object.keys(args.flanneld)
  if (known.size === 0)
    return warn(
      `not checked: whether flanneld ${versions.flannel.text} has ${given.map((name) => `--${name}`).join(', ')}`,
    )
  const unknown = given.filter((name) => !known.has(name))
  const [first = ''] = unknown
  if (unknown.length === 0) return
  const suggestion = (unknown.length === 1 && nearest(first, [...known])) || ''
  throw flagUnknown({flags: unknown.join(', '), suggestion, version: versions.flannel.text, where: whereOf(first)})
}
