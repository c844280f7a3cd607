// The options that say how to run. They are of one run, so setup does not keep them.
import type {OptionSpec} from './option-spec.js'

export const RUN_OPTIONS = [
  {
    default: 'false',
    flag: 'adopt',
    group: 'RUN',
    key: 'adopt',
    kind: 'switch',
    stored: 'never',
    summary:
      "Take over services, firewall rules and networks with k8s-win's names that something else created, such as the original script.",
  },
  {
    absent: 'none',
    flag: 'skip',
    group: 'RUN',
    key: 'skip',
    kind: 'names',
    stored: 'never',
    summary: 'Skip a step; dependent steps treat it as done. Repeatable, or separated by commas.',
    value: '<step>',
  },
  {
    absent: 'none',
    flag: 'ignore-check',
    group: 'RUN',
    key: 'ignoreChecks',
    kind: 'names',
    stored: 'never',
    summary: 'Downgrade a failed check to a warning. Repeatable, or separated by commas.',
    value: '<check>',
  },
  {
    default: '30m',
    flag: 'timeout',
    group: 'RUN',
    key: 'timeout',
    kind: 'text',
    stored: 'never',
    summary: 'Time limit of the whole run: 90s, 15m, 1h.',
    value: '<duration>',
  },
  {
    absent: 'none',
    flag: 'config',
    kind: 'text',
    summary: 'Configuration file (YAML). Flags and environment variables take precedence.',
    value: '<file>',
  },
  {
    default: 'false',
    flag: 'dry-run',
    kind: 'switch',
    summary: 'Show what would change, and change nothing (-WhatIf).',
  },
  {
    default: 'false',
    flag: 'yes',
    kind: 'switch',
    summary: 'Do not prompt; assume yes (-Force, -Confirm:$false).',
  },
  {
    default: 'false',
    flag: 'reset',
    group: 'RUN',
    kind: 'switch',
    summary: 'Remove the node, as -Reset of the original script does. Same as "k8s-win reset".',
  },
] as const satisfies readonly OptionSpec[]
