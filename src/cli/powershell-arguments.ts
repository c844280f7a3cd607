// Turns a command line in PowerShell's or the usual style into one form for the parser, and finds everything wrong with it.
import {nearest, plainName} from '../config/nearest.js'
import type {K8sWinError} from '../errors/k8s-win-error.js'
import {badChoice, missingValue, repeatedFlag, unexpectedArgument, unknownFlag} from '../errors/usage.js'
import {isHelp} from './help-request.js'

export interface FlagSpec {
  readonly multiple?: boolean
  readonly name: string
  /** A switch that can be told to be off, --no-<name>, where something else may have put it on. */
  readonly negatable?: boolean
  /** The values that exist, where they are few. */
  readonly options?: readonly string[]
  readonly type: 'boolean' | 'option'
  /** What stands for the value in help. */
  readonly value?: string
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
  readonly help: boolean
  readonly problems: readonly K8sWinError[]
}

/** A token that starts with a dash, taken apart. */
interface FlagToken {
  readonly flag: FlagSpec | undefined
  readonly inline: string | undefined
  /** Spelled --no-<name>. */
  readonly negated: boolean
  readonly separator: string
  readonly spelled: string
}

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
  let help = false
  const readWord = (argument: string): void => {
    if (spec.arguments) words.push(argument)
    else problems.push(unexpectedArgument({argument, command: spec.id}))
  }

  for (let token = rest.shift(); token !== undefined; token = rest.shift()) {
    if (token === '--') rest.splice(0).forEach(readWord)
    else if (isHelp(token)) help = true
    else if (/^-./.test(token)) readFlag(takeApart(token, spec))
    else readWord(token)
  }
  const last = words.length === 0 ? [] : ['--', ...words]
  return {argv: [...given.values()].flat().concat(last), help, problems}

  function readFlag(token: FlagToken): void {
    if (token.flag === undefined) {
      problems.push(unknownFlag({command: spec.id, flag: token.spelled, suggestion: suggestFlag(token.spelled, spec)}))
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
    if (on === undefined) problems.push(badChoice({choices: '$true, $false', flag: token.spelled, value: text ?? ''}))
    else if (on !== token.negated) given.set(flag.name, [`--${flag.name}`])
    else if (flag.negatable) given.set(flag.name, [`--no-${flag.name}`])
    else given.delete(flag.name)
  }

  function readOption(flag: FlagSpec, token: FlagToken): void {
    const value = readValue(token)
    const before = given.get(flag.name)
    if (value === undefined) {
      problems.push(missingValue({flag: token.spelled, value: flag.options?.join('|') ?? flag.value ?? '<value>'}))
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
  const plain = plainName(spelled)
  const flag = spec.flags.find(({name}) =>
    spelled.startsWith('--') ? `--${name}` === spelled : plainName(name) === plain,
  )
  const off = flag ? undefined : spec.flags.find(({name, negatable}) => negatable && `--no-${name}` === spelled)
  return {
    flag: flag ?? off,
    inline: end === -1 ? undefined : token.slice(end + 1),
    negated: off !== undefined,
    separator: token.charAt(end),
    spelled,
  }
}

function isPowerShell(token: FlagToken): boolean {
  return !token.spelled.startsWith('--')
}

function isKnownFlag(token: string, spec: CommandSpec): boolean {
  return token.startsWith('-') && takeApart(token, spec).flag !== undefined
}

/** base-dir as a PowerShell user writes it: -BaseDir. */
export function powershellName(name: string): string {
  return `-${name.replaceAll(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase())}`
}

function suggestFlag(spelled: string, spec: CommandSpec): string {
  const wanted = plainName(spelled)
  const name = nearest(
    wanted,
    spec.flags.map((flag) => flag.name),
  )
  if (name === undefined) return ''
  return spelled.startsWith('--') ? `--${name}` : powershellName(name)
}
