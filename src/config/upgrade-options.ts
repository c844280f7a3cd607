// The options of `upgrade`: those of draining, and of setup's the ones that concern one upgrade. The rest is stored.
import {type OptionFlag, optionOf, type OptionSpec, text, toggle} from './options.js'
import {DRAIN_OPTIONS} from './reset-options.js'

const ungrouped = (flag: OptionFlag): OptionSpec => {
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
