// The flags of all commands, and the table of setup's options, as oclif flags.
import {win32} from 'node:path'
import {Flags} from '@oclif/core'
import {environmentVariable, type GivenOptions, OPTIONS, type OptionSpec} from '../config/options.js'

export const OUTPUT_FORMATS = ['text', 'json', 'ndjson'] as const
export type OutputFormat = (typeof OUTPUT_FORMATS)[number]

const DEFAULT_SIMULATE_DIR = '.k8s-win-sim'

/** Defaults are shown but not set: what was given, and what was not, is decided where the configuration is resolved. */
export const globalFlags = {
  json: Flags.boolean({helpGroup: 'GLOBAL', summary: 'The same as --output json.'}),
  output: Flags.option({options: OUTPUT_FORMATS})({
    defaultHelp: async () => Promise.resolve('text'),
    helpGroup: 'GLOBAL',
    helpValue: '<format>',
    summary: 'Text for people, one JSON document at the end, or one JSON object a line as things happen.',
  }),
  simulate: Flags.string({
    env: environmentVariable('simulate'),
    helpGroup: 'GLOBAL',
    helpValue: '<profile>',
    summary: 'Run against a simulated Windows Server instead of this machine: ws2019.',
  }),
  'simulate-dir': Flags.string({
    defaultHelp: async () => Promise.resolve(DEFAULT_SIMULATE_DIR),
    env: environmentVariable('simulate-dir'),
    helpGroup: 'GLOBAL',
    helpValue: '<folder>',
    summary: 'Where the simulated machine is kept.',
  }),
  verbose: Flags.boolean({helpGroup: 'GLOBAL', summary: 'Show more: passed checks, and the stack of a bug.'}),
}

export interface GlobalFlags {
  readonly json?: boolean | undefined
  readonly output?: OutputFormat | undefined
  readonly simulate?: string | undefined
  readonly 'simulate-dir'?: string | undefined
  readonly verbose?: boolean | undefined
}

export function outputFormat(flags: GlobalFlags): OutputFormat {
  return flags.output ?? (flags.json === true ? 'json' : 'text')
}

export function simulateDir(flags: GlobalFlags): string {
  return flags['simulate-dir'] ?? DEFAULT_SIMULATE_DIR
}

function optionFlag(option: OptionSpec) {
  const shared = {
    env: environmentVariable(option.flag),
    helpGroup: option.group,
    helpValue: option.value,
    summary: option.summary,
    ...(option.default === undefined ? {} : {defaultHelp: async () => Promise.resolve(option.default)}),
  }
  return option.multiple ? Flags.string({...shared, multiple: true, multipleNonGreedy: true}) : Flags.string(shared)
}

/** setup's own flags. */
export const optionFlags = Object.fromEntries(OPTIONS.map((option: OptionSpec) => [option.flag, optionFlag(option)]))

/** Of all parsed flags, the options that were given. */
export function givenOptions(flags: Readonly<Record<string, unknown>>): GivenOptions {
  return Object.fromEntries(OPTIONS.flatMap(({flag}) => (flags[flag] === undefined ? [] : [[flag, flags[flag]]])))
}

/** Where the run's log is. */
export function logFolder(given: GivenOptions): string {
  const byDefault = OPTIONS.find((option: OptionSpec) => option.flag === 'base-dir') as OptionSpec | undefined
  return win32.join(String(given['base-dir'] ?? byDefault?.default ?? ''), 'logs', 'k8s-win')
}
