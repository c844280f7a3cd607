// The options of `upgrade` and `recover`: of setup's the ones that concern one run of them. The rest is stored.
import {askedLayers, isOn, type Layered, layered} from './layers.js'
import {Resolver} from './option-resolver.js'
import {type OptionSpec, text, toggle} from './option-spec.js'
import {type GivenOptions, type OptionFlag, optionOf} from './options.js'
import * as parse from './parse-option.js'
import {DRAIN_OPTIONS} from './reset-options.js'

const ungrouped = (flag: OptionFlag) => {
  const {group: _, ...option} = optionOf(flag)
  return option
}

export const UPGRADE_OPTIONS: readonly OptionSpec[] = [
  text(
    'release',
    '<version>',
    'Kubernetes release, newer or older than the installed one: 1.36.4, or 1.36 for its newest known patch.',
    {absent: "the newest known patch of the API server's minor version"},
  ),
  ...DRAIN_OPTIONS,
  ...(
    ['containerd-version', 'digest', 'ignore-check', 'timeout', 'launcher', 'detach', 'report', 'dry-run'] as const
  ).map(ungrouped),
  toggle('yes', 'With --drain, also evict pods that have no controller to recreate them (-Force, -Confirm:$false).'),
]

export const RECOVER_OPTIONS = [
  ...(['timeout', 'dry-run', 'detach'] as const).map(ungrouped),
  toggle(
    'yes',
    'Do not prompt, and restart a containerd that does not respond: its pods end (-Force, -Confirm:$false).',
  ),
] as const

interface AskedRecover {
  readonly asked: Pick<Layered, 'given'>
  readonly dryRun: boolean
  readonly timeoutMs: number | undefined
  readonly yes: boolean
}

/** The command line wins over the environment. Throws a ProblemsError that lists everything that is wrong. */
export function resolveRecover(
  typed: GivenOptions,
  environment: Readonly<Record<string, string | undefined>>,
): AskedRecover {
  const asked = layered<OptionFlag>(askedLayers(RECOVER_OPTIONS, typed, environment))
  const options = new Resolver<OptionFlag>(RECOVER_OPTIONS, asked)
  for (const flag of ['detach', 'dry-run', 'yes'] as const) options.value(flag, parse.truth)
  const timeoutMs = options.value('timeout', parse.timeout)
  options.demandNoProblem()
  return {asked, dryRun: isOn(asked, 'dry-run'), timeoutMs, yes: isOn(asked, 'yes')}
}
