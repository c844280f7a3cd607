// Turns a command line in PowerShell's or the usual style into one form for the parser, and finds everything wrong with it.
import {nearest, plainName} from '../../config/nearest.js'
import type {K8sWinError} from '../../errors/k8s-win-error.js'
import {
  ambiguousFlag,
  badChoice,
  missingValue,
  repeatedFlag,
  unexpectedArgument,
  unknownFlag,
} from '../../errors/usage.js'
import {isHelp, isHelpAll} from './help-request.js'
import {flagMeant, otherMeant} from './words-of-others.js'

/** A flag in the form that oclif has it. */
interface FlagSpec {
  /** The switch can be turned off with --no-<name>, where the environment or a file may have turned it on. */
  readonly allowNo?: boolean | undefined
  readonly helpValue?: readonly string[] | string | undefined
  readonly multiple?: boolean | undefined
  readonly name: string
  readonly options?: readonly string[] | undefined
  readonly type: 'boolean' | 'option'
}

export interface CommandSpec {
  /** Words that belong to no flag: none where it is not set, else any number, which the command judges. */
  readonly arguments?: true
  readonly flags: readonly FlagSpec[]
  readonly id: string
}

export interface NormalizedArguments {
  /** `--flag=value` and `--switch` first, then the words that belong to no flag, after `--`. */
  readonly argv: readonly string[]
  readonly help: 'all' | 'common' | undefined
  readonly problems: readonly K8sWinError[]
}

/** Splits a token that starts with a dash. */
interface FlagToken extends NamedFlag {
  readonly inline: string | undefined
  readonly separator: string
  readonly spelled: string
}

interface NamedFlag {
  readonly flag: FlagSpec | undefined
  /** It is not the whole name: those that begin like it. */
  readonly matches?: readonly string[]
  /** It says the opposite: --no-<name>, -Confirm for --yes. */
  readonly negated: boolean
}

/** What PowerShell users type for flags that have another name here, and letters that kubectl has. */
const ALIASES: readonly {readonly alias: string; readonly name: string; readonly negated: boolean}[] = [
  {alias: 'Confirm', name: 'yes', negated: true},
  {alias: 'F', name: 'follow', negated: false},
  {alias: 'Force', name: 'yes', negated: false},
  {alias: 'O', name: 'output', negated: false},
  {alias: 'Q', name: 'quiet', negated: false},
  {alias: 'V', name: 'verbose', negated: false},
  {alias: 'W', name: 'watch', negated: false},
  {alias: 'WhatIf', name: 'dry-run', negated: false},
]

/** The original script documents it as "-Reset true", and does not prompt: so spelled, it means --yes, too. */
const RESET = 'reset'

/** PowerShell takes one letter too; here -h and the letters above have a meaning of their own. */
const SHORTEST_PREFIX = 2

const SWITCH_VALUES = new Map([
  ['$false', false],
  ['$true', true],
  ['false', false],
  ['true', true],
])

export function normalizeArguments(argv: readonly string[], spec: CommandSpec): NormalizedArguments {
  const rest = [...argv]
  const given = new Map<string, string[]>()
  const words: string[] = []
  const problems: K8sWinError[] = []
  let isAgreed = false
  let help: NormalizedArguments['help']
  const readWord = (argument: string): void => {
    if (spec.arguments) words.push(argument)
    else problems.push(unexpectedArgument({argument, command: spec.id}))
  }

  for (let token = rest.shift(); token !== undefined; token = rest.shift()) {
    if (token === '--') rest.splice(0).forEach(readWord)
    else if (isHelp(token)) help = isHelpAll(token) ? 'all' : (help ?? 'common')
    else if (/^-./.test(token)) readFlag(takeApart(token, spec))
    else readWord(token)
  }
  if (isAgreed && !given.has('yes')) given.set('yes', ['--yes'])
  const last = words.length === 0 ? [] : ['--', ...words]
  return {argv: [...given.values()].flat().concat(last), help, problems}

  function readFlag(token: FlagToken): void {
    if (token.flag === undefined) {
      problems.push(
        token.matches
          ? ambiguousFlag({flag: token.spelled, matches: token.matches.join(', ')})
          : unknownFlag({command: spec.id, flag: token.spelled, suggestion: suggestFlag(token.spelled, spec)}),
      )
      // Its value, most likely: not a second mistake.
      if (token.inline === undefined && rest[0] !== undefined && !rest[0].startsWith('-') && !isHelp(rest[0]))
        rest.shift()
    } else if (token.flag.type === 'boolean') readSwitch(token.flag, token)
    else readOption(token.flag, token)
  }

  function readSwitch(flag: FlagSpec, token: FlagToken): void {
    const apart = isPowerShell(token) && token.inline === undefined && SWITCH_VALUES.has(rest[0]?.toLowerCase() ?? '')
    const text = apart ? rest.shift() : token.inline
    const on = text === undefined ? true : SWITCH_VALUES.get(text.toLowerCase())
    if (flag.name === RESET) isAgreed = on === true && text !== undefined && isPowerShell(token)
    const choices = isPowerShell(token) ? '$true, $false' : 'true, false'
    if (on === undefined) problems.push(badChoice({choices, flag: token.spelled, value: text ?? ''}))
    else if (on !== token.negated) given.set(flag.name, [`--${flag.name}`])
    else if (flag.allowNo) given.set(flag.name, [`--no-${flag.name}`])
    else given.delete(flag.name)
  }

  function readOption(flag: FlagSpec, token: FlagToken): void {
    const value = readValue(token)
    const before = given.get(flag.name)
    if (value === undefined) {
      problems.push(
        missingValue({flag: token.spelled, value: flag.options?.join('|') ?? String(flag.helpValue ?? '<value>')}),
      )
    } else if (before !== undefined && flag.multiple !== true) problems.push(repeatedFlag({flag: token.spelled}))
    else if (flag.options !== undefined && !flag.options.includes(value)) {
      problems.push(badChoice({choices: flag.options.join(', '), flag: token.spelled, value}))
    } else given.set(flag.name, [...(before ?? []), `--${flag.name}=${value}`])
  }

  function readValue(token: FlagToken): string | undefined {
    // PowerShell hands "-Name:value" to a program in one piece or as "-Name:" and "value" (PowerShell issue 6360).
    if (token.inline === undefined || (token.separator === ':' && token.inline === '')) {
      const next = rest[0]
      return next === undefined || isHelp(next) || isKnownFlag(next, spec) ? undefined : rest.shift()
    }
    // PowerShell splits "-Release=1.21.5" before the first period (PowerShell issue 6291).
    const tail = isPowerShell(token) && /^\.[^./\\]/.test(rest[0] ?? '') ? (rest.shift() ?? '') : ''
    const value = token.inline + tail
    // The parser takes a flag's own name for a flag even here.
    return value.startsWith('--') && !value.includes('=') && takeApart(value, spec).flag ? undefined : value
  }
}

function takeApart(token: string, spec: CommandSpec): FlagToken {
  const end = token.search(token.startsWith('--') ? /=/ : /[:=]/)
  const spelled = end === -1 ? token : token.slice(0, end)
  const named = spelled.startsWith('--') ? flagNamed(spelled, spec) : powershellFlag(plainName(spelled), spec)
  return {...named, inline: end === -1 ? undefined : token.slice(end + 1), separator: token.charAt(end), spelled}
}

/** In full, but in any case and with or without dashes: --BaseDir. */
function flagNamed(spelled: string, {flags}: CommandSpec): NamedFlag {
  const plain = plainName(spelled)
  const flag = flags.find(({name}) => plainName(name) === plain)
  const off = flag ? undefined : flags.find(({allowNo, name}) => allowNo && plainName(`no-${name}`) === plain)
  return {flag: flag ?? off, negated: off !== undefined}
}

/** As PowerShell does: any case, and any beginning of a name that no other flag begins with. */
function powershellFlag(plain: string, {flags}: CommandSpec): NamedFlag {
  const names = [
    ...flags.map((flag) => ({flag, name: flag.name, negated: false})),
    ...ALIASES.flatMap(({alias, name, negated}) =>
      flags.filter((flag) => flag.name === name).map((flag) => ({flag, name: alias, negated})),
    ),
  ]
  const exact = names.find(({name}) => plainName(name) === plain)
  if (exact) return exact
  const begun = plain.length < SHORTEST_PREFIX ? [] : names.filter(({name}) => plainName(name).startsWith(plain))
  const matches = begun.map(({name}) => powershellName(name))
  const [only = {flag: undefined, negated: false}] = begun.length > 1 ? [] : begun
  return {...only, ...(matches.length > 0 && {matches})}
}

function isPowerShell(token: FlagToken): boolean {
  return !token.spelled.startsWith('--')
}

/** In full: what only begins like a flag may be a value. */
function isKnownFlag(token: string, spec: CommandSpec): boolean {
  const {flag, matches} = takeApart(token, spec)
  return token.startsWith('-') && flag !== undefined && matches === undefined
}

/** base-dir as a PowerShell user writes it: -BaseDir. */
export function powershellName(name: string): string {
  return `-${name.replaceAll(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase())}`
}

function suggestFlag(spelled: string, {flags}: CommandSpec): string {
  const wanted = plainName(spelled)
  const names = flags.map(({name}) => name)
  const known = wanted.length > 1 && ALIASES.find(({alias}) => plainName(alias) === wanted)
  // "--force" means "-Force"; a command without --yes has nothing like it.
  if (known) return names.includes(known.name) ? powershellName(known.alias) : ''
  const name = flagMeant(wanted, names) ?? (otherMeant(wanted) ? undefined : nearest(wanted, names))
  if (name === undefined) return otherMeant(wanted) ?? ''
  return spelled.startsWith('--') || wanted.length === 1 ? `--${name}` : powershellName(name)
}
