// From the command line to a command's exit code: finds the command, normalises its arguments, runs it, reports errors.
import type {Command, Interfaces} from '@oclif/core'
import {Config} from '@oclif/core/config'
import {settings} from '@oclif/core/settings'
import {DAEMON} from '../../config/daemons.js'
import {nearest} from '../../config/nearest.js'
import {environmentVariable} from '../../config/options/options.js'
import {optionVariables, TOKEN_VARIABLE, VARIABLE_FLAGS} from '../../config/options/variables.js'
import {type K8sWinError, ProblemsError} from '../../errors/k8s-win-error.js'
import {bug} from '../../errors/program.js'
import {quoted} from '../../errors/shortened.js'
import {contradictingFlags, missingCommand, unknownCommand} from '../../errors/usage.js'
import {withoutCredentials} from '../../machine/credentials.js'
import {openRealClock} from '../../machine/real/clock.js'
import {ascii, printable} from '../../output/text/text-shape.js'
import {daemonIn} from '../../runs/daemons/daemon-names.js'
import {demandMeant, isSimulated} from '../choose-machine.js'
import {globalFlags, type OutputFormat} from './flag-table.js'
import {pageOf} from './help-request.js'
import {type CommandSpec, normalizeArguments} from './powershell-arguments.js'
import {redactor} from '../redactor.js'
import {reportError} from '../report-error.js'
import {hideGivenSecrets} from './token-words.js'
import {hintLike} from './typed-commands.js'
import {commandMeant} from './words-of-others.js'

export type LoadPlugins = () => Promise<Interfaces.Plugin[]>

export interface CommandLineOptions {
  readonly packageRoot: string
  /** The commands, where oclif shall not look for them in the package's folder. */
  readonly plugins?: LoadPlugins
  readonly showHelp: (command: string) => Promise<boolean>
}

export async function runCommandLine(
  argv: readonly string[],
  {packageRoot, plugins, showHelp}: CommandLineOptions,
): Promise<number> {
  // Otherwise oclif looks for TypeScript sources wherever NODE_ENV says "test" or "development".
  settings.enableAutoTranspile = false
  const clock = openRealClock()
  const startedAt = clock.now()
  hideGivenSecrets(argv, process.env, redactor)
  let id = argv[0] ?? ''
  let normalized = normalizeArguments(id.startsWith('-') ? argv : argv.slice(1), specOf(id, globalFlags))
  hintLike(normalized.argv, process.platform, id)

  try {
    // Plugins would be loaded from the user's data folder (LOCALAPPDATA, XDG_DATA_HOME, K8S_WIN_DATA_DIR), and what is
    // there runs with the administrator's rights.
    const given = plugins && {plugins: new Map((await plugins()).map((plugin) => [plugin.name, plugin]))}
    const config = await Config.load({...given, devPlugins: false, root: packageRoot, userPlugins: false})
    const {command, words} = findCommand(config, argv)
    id = words.join(' ').replaceAll(':', ' ')
    if (command === undefined) {
      if (words.length === argv.length && isTopic(config, id) && (await showHelp(pageOf(words, false)))) return 0
      throw noSuchCommand(argv, config.commandIDs)
    }
    normalized = normalizeArguments(argv.slice(words.length), specOf(id, command.flags, command.args))
    if (normalized.help) {
      // Whoever asks for help must never get the deed.
      if (await showHelp(pageOf(words, normalized.help === 'all'))) return 0
      throw bug({log: '', message: `There is no help for "${id}".`})
    }
    const problems = [...normalized.problems, ...contradictions(normalized.argv)]
    if (problems.length > 0) throw new ProblemsError(problems)
    demandMeant(normalized.argv, process.env, process.platform)
    hintLike(normalized.argv, process.platform, id)
    for (const line of variableWarnings(process.env, process.platform)) process.stderr.write(`${line}\n`)
    const taken = id === IGNORES_VARIABLES ? [] : variablesTaken(process.env, normalized.argv, command.flags)
    if (taken.length > 0) process.stderr.write(`From the environment: ${redactor.redact(taken.join(', '))}\n`)
    return await config.runCommand<number>(command.id, [...normalized.argv])
  } catch (error) {
    return reportError(error, {
      command: id,
      format: formatOf(normalized.argv),
      now: clock.now,
      simulated: isSimulated(normalized.argv, process.env),
      startedAt,
      stderr: process.stderr,
      stdout: process.stdout,
      verbose: normalized.argv.includes('--verbose'),
    })
  }
}

/** The longest beginning of the command line that is a command's name: "config show". */
function findCommand(config: Config, argv: readonly string[]): {command?: Command.Loadable; words: readonly string[]} {
  for (const length of [2, 1]) {
    const words = argv.slice(0, length)
    const command = config.findCommand(words.join(':'))
    if (command !== undefined && words.length === length) return {command, words}
  }

  return {words: argv.slice(0, 1)}
}

const isTopic = (config: Config, id: string): boolean => config.commandIDs.some((name) => name.startsWith(`${id}:`))

function noSuchCommand(argv: readonly string[], ids: readonly string[]): Error {
  const [first = '', second = ''] = argv
  if (/^[-/]/.test(first)) return missingCommand({argument: first})
  const known = ids.map((id) => id.replaceAll(':', ' '))
  const below = known.filter((name) => name.startsWith(`${first} `))
  if (below.length === 0) {
    const daemon = daemonIn(first)
    const meant = commandMeant(first) ?? (daemon && `run ${DAEMON[daemon].program}`) ?? nearest(first, known)
    return unknownCommand({command: first, suggestion: meant ?? ''})
  }
  const command = /^\w/.test(second) ? `${first} ${second}` : first
  return unknownCommand({command, suggestion: nearest(command, below) ?? below[0] ?? ''})
}

export function specOf(id: string, flags: Command.Loadable['flags'], args: Command.Loadable['args'] = {}): CommandSpec {
  return {
    ...(Object.keys(args).length > 0 && {arguments: true as const}),
    flags: Object.entries(flags).map(([name, flag]) => ({...flag, name})),
    id,
  }
}

const SIMULATION = ['simulate', 'simulate-dir', 'simulate-speed']

/** A mistyped variable would be ignored without a word. */
export function variableWarnings(environment: NodeJS.ProcessEnv, platform: NodeJS.Platform): string[] {
  const flags = [...VARIABLE_FLAGS, ...SIMULATION]
  const known = new Set(flags.map(environmentVariable))
  // Windows reads its variables in any case.
  const isKnown = (name: string): boolean => known.has(platform === 'win32' ? name.toUpperCase() : name)
  return Object.keys(environment)
    .filter((name) => /^K8S_WIN_/i.test(name) && !isKnown(name))
    .map((name) => {
      const meant = nearest(name.slice('K8S_WIN_'.length).replaceAll('_', '-'), flags)
      const hint = meant === undefined ? '' : ` Did you mean ${environmentVariable(meant)}?`
      return `Warning: the environment variable ${ascii(printable(name))} is not known and was ignored.${hint}`
    })
}

/** Options that this command takes from variables, for its first line. The value of a token is not shown. */
export function variablesTaken(
  environment: NodeJS.ProcessEnv,
  argv: readonly string[],
  flags: Readonly<Record<string, object>>,
): string[] {
  const isTyped = (flag: string): boolean => argv.some((word) => RegExp(`^--(?:no-)?${flag}(?:=|$)`).test(word))
  const taken = new Set(
    Object.keys(flags)
      .filter((flag) => !isTyped(flag))
      .map(environmentVariable),
  )
  return optionVariables(environment)
    .filter((name) => taken.has(name.toUpperCase()))
    .map((name) => {
      const value = quoted(withoutCredentials(environment[name] ?? ''), LONGEST_VALUE)
      return name.toUpperCase() === TOKEN_VARIABLE ? name : `${name}=${ascii(printable(value))}`
    })
}

const LONGEST_VALUE = 200
/** What it prints is for another machine. */
const IGNORES_VARIABLES = 'userdata'

function contradictions(argv: readonly string[]): K8sWinError[] {
  const format = argv.find((token) => token.startsWith('--output='))?.slice('--output='.length) ?? 'json'
  const pairs = [
    ['--json', argv.includes('--json') && format !== 'json' && `--output ${format}`],
    ['--quiet', argv.includes('--quiet') && argv.includes('--verbose') && '--verbose'],
  ] as const
  return pairs.flatMap(([one, other]) => (other ? [contradictingFlags({one, other})] : []))
}

/** The output format of errors, also if the rest of the command line is invalid. */
function formatOf(argv: readonly string[]): OutputFormat {
  if (argv.includes('--output=ndjson')) return 'ndjson'
  return argv.includes('--output=json') || (argv.includes('--json') && !argv.includes('--output=text'))
    ? 'json'
    : 'text'
}
