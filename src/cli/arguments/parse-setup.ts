// The arguments of setup, parsed as the command line is, without running the command: what a rehearsed script starts.
import {parse} from '@oclif/core/parser'
import type {GivenOptions} from '../../config/options/options.js'
import {ProblemsError} from '../../errors/k8s-win-error.js'
import {givenOptions, globalFlags, optionFlags, type ParsedFlags} from './flag-table.js'
import {normalizeArguments} from './powershell-arguments.js'
import {specOf} from './run-command-line.js'

export async function parseSetup(argv: readonly string[]): Promise<GivenOptions> {
  const flags = {...optionFlags, ...globalFlags}
  const {argv: normal, problems} = normalizeArguments(argv, specOf('setup', flags))
  if (problems.length > 0) throw new ProblemsError(problems)
  return givenOptions((await parse([...normal], {flags, strict: true})) as ParsedFlags)
}
