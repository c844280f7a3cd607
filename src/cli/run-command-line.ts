// From the command line to a command's exit code: finds the command, normalises its arguments, runs it, reports errors.
import {type Command, Config, settings} from '@oclif/core'
import {ProblemsError} from '../errors/k8s-win-error.js'
import {missingCommand, unknownCommand} from '../errors/usage.js'
import {openRealClock} from '../machine/real/clock.js'
import {globalFlags, type OutputFormat} from './flag-table.js'
import {type CommandSpec, nearest, normalizeArguments} from './powershell-arguments.js'
import {reportError} from './report-error.js'

export interface CommandLineOptions {
  readonly packageRoot: string
  readonly showHelp: (command: string) => Promise<boolean>
}

export async function runCommandLine(
  argv: readonly string[],
  {packageRoot, showHelp}: CommandLineOptions,
): Promise<number> {
  // Otherwise oclif looks for TypeScript sources wherever NODE_ENV says "test" or "development".
  settings.enableAutoTranspile = false
  const clock = openRealClock()
  const startedAt = clock.now()
  const [id = '', ...rest] = argv
  let normalized = normalizeArguments(id.startsWith('-') ? argv : rest, specOf(id, globalFlags))

  try {
    const config = await Config.load({root: packageRoot})
    const command = config.findCommand(id)
    if (command === undefined) throw noSuchCommand(id, config.commandIDs)
    normalized = normalizeArguments(rest, specOf(id, command.flags))
    if (normalized.help && (await showHelp(id))) return 0
    const [problem, ...more] = normalized.problems
    if (problem !== undefined) throw more.length === 0 ? problem : new ProblemsError(normalized.problems)
    return await config.runCommand<number>(id, [...normalized.argv])
  } catch (error) {
    return reportError(error, {
      command: id,
      format: formatOf(normalized.argv),
      now: clock.now,
      startedAt,
      stderr: process.stderr,
      stdout: process.stdout,
      verbose: normalized.argv.includes('--verbose'),
    })
  }
}

function noSuchCommand(id: string, known: readonly string[]): Error {
  if (/^[-/]/.test(id)) return missingCommand({argument: id})
  return unknownCommand({command: id, suggestion: nearest(id, known) ?? ''})
}

export function specOf(id: string, flags: Command.Loadable['flags']): CommandSpec {
  return {
    flags: Object.entries(flags).map(([name, flag]) => ({
      name,
      type: flag.type,
      ...(flag.type === 'option' && flag.multiple === true ? {multiple: true} : {}),
      ...(flag.type === 'option' && flag.options !== undefined ? {options: flag.options} : {}),
      ...(flag.type === 'option' && typeof flag.helpValue === 'string' ? {value: flag.helpValue} : {}),
    })),
    id,
  }
}

/** The format an error is told in: known even where the rest of the command line is wrong. */
function formatOf(argv: readonly string[]): OutputFormat {
  if (argv.includes('--output=ndjson')) return 'ndjson'
  return argv.includes('--output=json') || (argv.includes('--json') && !argv.includes('--output=text'))
    ? 'json'
    : 'text'
}
