// The options of `stop` and `restart`.
import {askedLayers, isOn, layered} from './layers.js'
import {Resolver} from './option-resolver.js'
import {type GivenOptions, toggle} from './options.js'
import * as parse from './parse-option.js'
import {DRAIN_OPTIONS, type GivenReset, resolveDrain} from './reset-options.js'

const YES = [
  toggle(
    'yes',
    'Stop containerd, which ends the pods; with --drain, also evict pods that have no controller (-Force).',
  ),
] as const

export const STOP_OPTIONS = [...DRAIN_OPTIONS, ...YES] as const

type StopFlag = (typeof STOP_OPTIONS)[number]['flag']

/** The command line wins over the environment. Throws a ProblemsError that lists everything that is wrong. */
export function resolveStop(
  typed: Pick<GivenReset, StopFlag>,
  environment: Readonly<Record<string, string | undefined>>,
): {readonly drainMs: number | undefined; readonly yes: boolean} {
  const asked = layered(askedLayers(YES, typed as GivenOptions, environment))
  const options = new Resolver(YES, asked)
  options.value('yes', parse.truth)
  options.demandNoProblem()
  return {drainMs: resolveDrain(typed, environment), yes: isOn(asked, 'yes')}
}
