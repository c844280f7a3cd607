// The flags of all commands, and the table of setup's options, as oclif flags.
import {win32} from 'node:path'
import * as Flags from '@oclif/core/flags'
import type {OptionSpec} from '../../config/options/option-spec.js'
import {environmentVariable, type Given, type GivenOptions, optionOf, OPTIONS} from '../../config/options/options.js'
import {DRAIN_OPTIONS, type GivenReset, RESET_OPTIONS} from '../../config/options/reset-options.js'
import {RECOVER_OPTIONS, UPGRADE_OPTIONS} from '../../config/options/upgrade-options.js'
import {OWN_OPTIONS, type OwnFlag, SETUP_OPTIONS} from '../../config/options/userdata-options.js'

export const OUTPUT_FORMATS = ['text', 'json', 'ndjson'] as const
export type OutputFormat = (typeof OUTPUT_FORMATS)[number]

const DEFAULT_SIMULATE_DIR = '.k8s-win-sim'

/** Defaults are shown but not set: what was given, and what was not, is decided where the configuration is resolved. */
const shown = (value: string | undefined) => ({defaultHelp: async () => Promise.resolve(value)})

export const outputFlag = <Format extends string>(options: readonly Format[], summary: string) =>
  Flags.option({options})({
    ...shown('text'),
    helpGroup: 'GLOBAL',
    helpLabel: '-o, --output',
    helpValue: options.join('|'),
    summary,
  })

export const globalFlags = {
  json: Flags.boolean({helpGroup: 'GLOBAL', summary: 'Same as --output json.'}),
  output: outputFlag(OUTPUT_FORMATS, 'Output format: text, json (one document) or ndjson (one event per line).'),
  quiet: Flags.boolean({
    helpGroup: 'GLOBAL',
    helpLabel: '-q, --quiet',
    summary: 'Show less: only errors and the result.',
  }),
  simulate: Flags.string({
    env: environmentVariable('simulate'),
    helpGroup: 'GLOBAL',
    helpValue: '<profile>',
    summary:
      'Use a simulated Windows Server instead of this host. Profiles: ws2019, ws2022 (with Docker), ws2019-containerd, ws2022-containerd, ws2025 (without).',
  }),
  'simulate-dir': Flags.string({
    ...shown(DEFAULT_SIMULATE_DIR),
    env: environmentVariable('simulate-dir'),
    helpGroup: 'GLOBAL',
    helpValue: '<folder>',
    summary: 'Folder of the simulated host.',
  }),
  'simulate-speed': Flags.string({
    ...shown('0'),
    env: environmentVariable('simulate-speed'),
    helpGroup: 'GLOBAL',
    helpValue: '<factor>',
    summary: 'How fast time passes on the simulated host: 0 (no waiting), 1 (real time), 10 (ten times as fast).',
  }),
  verbose: Flags.boolean({
    helpGroup: 'GLOBAL',
    helpLabel: '-v, --verbose',
    summary: 'Show more: passed checks, changes of each step, and the stack of a bug.',
  }),
}

/** For commands about an existing node: they only need to know which one. */
export const nodeFlags = {
  'base-dir': Flags.string({
    ...shown(optionOf('base-dir').default),
    env: environmentVariable('base-dir'),
    helpValue: '<folder>',
    summary: 'Base directory that the node was set up in.',
  }),
  ...globalFlags,
}

export interface GlobalFlags {
  readonly json?: boolean | undefined
  readonly output?: OutputFormat | undefined
  readonly quiet?: boolean | undefined
  readonly simulate?: string | undefined
  readonly 'simulate-dir'?: string | undefined
  readonly 'simulate-speed'?: string | undefined
  readonly verbose?: boolean | undefined
}

export const outputFormat = <Format extends string>(flags: {
  readonly json?: boolean | undefined
  readonly output?: Format | undefined
}): Format | 'json' | 'text' => flags.output ?? (flags.json === true ? 'json' : 'text')

export const simulateDir = (flags: GlobalFlags): string => flags['simulate-dir'] ?? DEFAULT_SIMULATE_DIR

function optionFlag(option: OptionSpec) {
  const about = {
    // For the help; the environment is read where the configuration is resolved.
    ...(!option.typed && {env: environmentVariable(option.flag)}),
    summary: option.summary,
    ...(option.group && {helpGroup: option.group}),
    ...(option.default !== undefined && shown(option.default)),
  }
  // allowNo, so that "-Adopt:$false" can win over the environment and the file.
  if (option.kind === 'switch') return Flags.boolean({...about, allowNo: true, helpLabel: `--${option.flag}`})
  const valued = {...about, ...(option.value !== undefined && {helpValue: option.value})}
  return option.kind === 'text'
    ? Flags.string(valued)
    : Flags.string({...valued, multiple: true, multipleNonGreedy: true})
}

type OptionFlags = Readonly<Record<string, ReturnType<typeof optionFlag>>>

const flagsOf = (options: readonly OptionSpec[]): OptionFlags =>
  Object.fromEntries(options.map((option) => [option.flag, optionFlag(option)]))

/** setup's own flags, the common ones first. */
export const optionFlags = flagsOf(OPTIONS)

/** Those that describe a node, without those that describe one run. */
const CONFIGURATION = OPTIONS.filter(({flag, key}) => key !== undefined || flag === 'config')
export const configurationFlags = flagsOf(CONFIGURATION)

export const checkFlags = flagsOf(CONFIGURATION.filter(({unchecked}) => !unchecked))

export const resetFlags = flagsOf(RESET_OPTIONS)

export const upgradeFlags = flagsOf(UPGRADE_OPTIONS)

export const recoverFlags = flagsOf(RECOVER_OPTIONS)

/** Those of userdata. Variables of this machine are not for the host that the user data is for. */
export const userdataFlags: OptionFlags = Object.fromEntries(
  Object.entries(flagsOf([...OWN_OPTIONS, ...SETUP_OPTIONS])).map(([name, {env: _, ...flag}]) => [name, flag]),
)

export const drainFlags = flagsOf(DRAIN_OPTIONS)

const POD_NETWORK =
  'Pod network of the cluster: the --cluster-cidr of its controller manager. It is not read from the cluster.'

/** Those that describe the cluster's flannel. */
export const flannelFlags = flagsOf(
  (['cluster-cidr', 'flannel-version', 'flannel-cni-version'] as const).map((flag) => {
    const {group: _, ...option} = optionOf(flag)
    // This command does not read the cluster, as setup does.
    return flag === 'cluster-cidr' ? {...option, summary: POD_NETWORK} : option
  }),
)

/** The options that stand on the command line. */
export const givenOptions = (parsed: ParsedFlags): GivenOptions => typedOf(parsed, OPTIONS)

/** The same of reset's. */
export const givenReset = (parsed: ParsedFlags): GivenReset => typedOf(parsed, RESET_OPTIONS) as GivenReset

/** The same of userdata's own. */
export const givenUserdata = (parsed: ParsedFlags): Given<OwnFlag> => typedOf(parsed, OWN_OPTIONS) as Given<OwnFlag>

function typedOf({flags, raw}: ParsedFlags, options: readonly OptionSpec[]): GivenOptions {
  const typed = new Set(raw.map((token) => (token.type === 'flag' ? token.flag : '')))
  return Object.fromEntries(options.flatMap(({flag}) => (typed.has(flag) ? [[flag, flags[flag]]] : [])))
}

export interface ParsedFlags {
  readonly flags: Readonly<Record<string, unknown>>
  readonly raw: readonly ({readonly flag: string; readonly type: 'flag'} | {readonly type: 'arg'})[]
}

/** Where the run's log is. */
export const logFolder = (baseDir = optionOf('base-dir').default ?? ''): string =>
  win32.join(baseDir, 'logs', 'k8s-win')

/** One that has a single value. */
export const textOf = (value: GivenOptions['config']): string | undefined =>
  value === undefined ? undefined : String(value)
