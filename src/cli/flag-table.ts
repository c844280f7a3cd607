// The flags of all commands, and the table of setup's options, as oclif flags.
import {win32} from 'node:path'
import {Flags} from '@oclif/core'
import type {OptionSpec} from '../config/option-spec.js'
import {environmentVariable, type GivenOptions, optionOf, OPTIONS} from '../config/options.js'
import {type GivenReset, RESET_OPTIONS} from '../config/reset-options.js'

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
    summary: 'Run against a simulated Windows Server instead of this machine: ws2019, ws2022 or ws2025.',
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

/** For commands about a node that is there: which one, without anything that would make it another. */
export const nodeFlags = {
  'base-dir': Flags.string({
    defaultHelp: async () => Promise.resolve(optionOf('base-dir').default),
    env: environmentVariable('base-dir'),
    helpValue: '<folder>',
    summary: 'The base directory the node was set up in.',
  }),
  ...globalFlags,
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
    // For the help; what the environment says is read where the configuration is put together.
    env: environmentVariable(option.flag),
    helpGroup: option.group,
    summary: option.summary,
    ...(option.default === undefined ? {} : {defaultHelp: async () => Promise.resolve(option.default)}),
  }
  // allowNo, so that "-Adopt:$false" can win over the environment and the file.
  if (option.kind === 'switch') return Flags.boolean({...shared, allowNo: true, helpLabel: `--${option.flag}`})
  const valued = {...shared, ...(option.value === undefined ? {} : {helpValue: option.value})}
  return option.kind === 'text'
    ? Flags.string(valued)
    : Flags.string({...valued, multiple: true, multipleNonGreedy: true})
}

/** setup's own flags. */
export const optionFlags = Object.fromEntries(OPTIONS.map((option) => [option.flag, optionFlag(option)]))

/** Those that say what a node is to be, without those of one run. */
export const configurationFlags = Object.fromEntries(
  OPTIONS.filter(({flag, key}) => key !== undefined || flag === 'config').map(({flag}) => [flag, optionFlags[flag]]),
) as typeof optionFlags

/** No check goes by these. */
const UNCHECKED = ['cni-version', 'digest', 'flannel-cni-version', 'image-registry', 'skip', 'timeout']

/** Those that a check of the host goes by. */
export const checkFlags: typeof optionFlags = Object.fromEntries(
  Object.entries(configurationFlags).filter(([flag]) => !UNCHECKED.includes(flag)),
)

/** reset's own flags. */
export const resetFlags = Object.fromEntries(RESET_OPTIONS.map((option) => [option.flag, optionFlag(option)]))

/** Those that say what the cluster's flannel is. */
export const flannelFlags = Object.fromEntries(
  (['cluster-cidr', 'flannel-version', 'flannel-cni-version'] as const).map((flag) => [flag, optionFlags[flag]]),
) as typeof optionFlags

/** Of all parsed flags, the options that stand on the command line. */
export const givenOptions = (parsed: ParsedFlags): GivenOptions => typedOf(parsed, OPTIONS)

/** The same of reset's. */
export const givenReset = (parsed: ParsedFlags): GivenReset => typedOf(parsed, RESET_OPTIONS) as GivenReset

function typedOf({flags, raw}: ParsedFlags, options: readonly OptionSpec[]): GivenOptions {
  const typed = new Set(raw.map((token) => (token.type === 'flag' ? token.flag : '')))
  return Object.fromEntries(options.flatMap(({flag}) => (typed.has(flag) ? [[flag, flags[flag]]] : [])))
}

interface ParsedFlags {
  readonly flags: Readonly<Record<string, unknown>>
  readonly raw: readonly ({readonly flag: string; readonly type: 'flag'} | {readonly type: 'arg'})[]
}

/** Where the run's log is. */
export function logFolder(given: GivenOptions): string {
  return win32.join(String(given['base-dir'] ?? optionOf('base-dir').default), 'logs', 'k8s-win')
}
