// The variables of the environment that set options: one for each flag that has one.
import type {OptionSpec} from './option-spec.js'
import {environmentVariable, OPTIONS} from './options.js'
import {RESET_OPTIONS} from './reset-options.js'

const ALL: readonly OptionSpec[] = [...OPTIONS, ...RESET_OPTIONS]

/** Of setup and reset, which have those of all other commands. */
export const VARIABLE_FLAGS: readonly string[] = ALL.flatMap(({flag, typed}) => (typed ? [] : [flag]))

const VARIABLES = new Set(VARIABLE_FLAGS.map(environmentVariable))
export const TOKEN_VARIABLE = environmentVariable('token')

/** Names of those that are set. Windows reads its variables in any case. */
export const optionVariables = (environment: Readonly<Record<string, string | undefined>>): string[] =>
  Object.keys(environment).filter((name) => environment[name] && VARIABLES.has(name.toUpperCase()))
