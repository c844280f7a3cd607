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
      'Take over services, firewall rules and networks of our names that something else made, such as the original script.',
  },
  {
    absent: 'none',
    flag: 'skip',
    group: 'RUN',
    key: 'skip',
    kind: 'names',
    stored: 'never',
    summary: 'Leave a step out; for those that need it, it counts as done. Repeatable, or with commas.',
    value: '<step>',
  },
  {
    absent: 'none',
    flag: 'ignore-check',
    group: 'RUN',
    key: 'ignoreChecks',
    kind: 'names',
    stored: 'never',
    summary: 'Let a check of the host only warn. Repeatable, or with commas.',
    value: '<check>',
  },
  {
    default: '30m',
    flag: 'timeout',
    group: 'RUN',
    key: 'timeout',
    kind: 'text',
    stored: 'never',
    summary: 'How long the whole run may take: 90s, 15m, 1h.',
    value: '<duration>',
  },
  {
    absent: 'none',
    flag: 'config',
    group: 'RUN',
    kind: 'text',
    summary: 'Configuration file (YAML). Flags and environment variables win over it.',
    value: '<file>',
  },
  {
    default: 'false',
    flag: 'dry-run',
    group: 'RUN',
    kind: 'switch',
    summary: 'Show what would be changed, and change nothing.',
  },
  {
    default: 'false',
    flag: 'yes',
    group: 'RUN',
    kind: 'switch',
    summary: 'Ask nothing.',
  },
  {
    default: 'false',
    flag: 'reset',
    group: 'RUN',
    kind: 'switch',
    summary: 'Take the node apart again, as the original script does with -Reset: the same as "k8s-win reset".',
  },
] as const satisfies readonly OptionSpec[]
