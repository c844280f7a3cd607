// A daemon in the foreground of a console, for debugging: what its service runs, without what only a service needs.
import {win32} from 'node:path'
import type {Daemon} from '../config/daemons.js'
import {quotePart} from '../host/command-line.js'
import type {ServiceSpec} from '../host/services/services.js'

export interface ForegroundCommand {
  readonly args: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  readonly program: string
}

/** They make it connect to the service manager, and write to files instead of the console. */
export const OF_SERVICE: readonly string[] = ['windows-service', 'log-dir', 'logtostderr', 'log-file']
/** Of a service, so that setup sees what its process has read. */
const MARK = 'K8S_WIN_CONFIGURATION'
/** cmd/containerd/command/main.go: containerd's short flags. */
const SHORT: Readonly<Record<string, string>> = {a: 'address', c: 'config', l: 'log-level'}

/** Of one flag and its value, where that is the next argument. */
type FlagWords = readonly string[]

/** "config" of "--config=x", "-config" and, of containerd, "-c". */
export function flagName(word: string): string {
  const name = /^--?([^=]*)/.exec(word)?.[1] ?? ''
  return SHORT[name] ?? name
}

/** What the user has given replaces the flags of the same name. */
export function foregroundOf(
  {command, environment}: Pick<ServiceSpec, 'command'> & Pick<ForegroundCommand, 'environment'>,
  {program}: Pick<Daemon, 'program'>,
  extra: readonly string[],
): ForegroundCommand {
  const at = command.findIndex((word) => win32.basename(word).toLowerCase() === `${program}.exe`)
  const [file = '', ...own] = command.slice(at)
  const given = extra.filter((word) => word.startsWith('-')).map((word) => flagName(word))
  const isLeft = ([word = '']: FlagWords): boolean => ![...OF_SERVICE, ...given].includes(flagName(word))
  const {[MARK]: _, ...rest} = environment
  return {args: [...flagsIn(own).filter(isLeft).flat(), ...extra], environment: rest, program: file}
}

export function flagsIn(words: readonly string[]): FlagWords[] {
  return words.reduce<FlagWords[]>((flags, word) => {
    const last = flags.at(-1)
    if (word.startsWith('-') || last === undefined) return [...flags, [word]]
    return [...flags.slice(0, -1), [...last, word]]
  }, [])
}

/** To paste into cmd: one line for each variable, and one for the program. */
export const cmdLines = ({args, environment, program}: ForegroundCommand): string[] => [
  ...Object.entries(environment).map(([name, value]) => `set "${name}=${value}"`),
  [program, ...args].map((word) => inCmd(word)).join(' '),
]

/** Inside of quotes cmd acts on % only; a quote of the word itself would end them for it. */
function inCmd(word: string): string {
  if (/^[\w.\\/:=,@+-]+$/.test(word)) return word
  const quoted = quotePart(word)
  return /["%]/.test(word) ? quoted.replaceAll(/[()%!^"<>&|]/g, '^$&') : quoted
}

/** The same for PowerShell, which passes texts in single quotes on as they are. */
export const powershellLines = ({args, environment, program}: ForegroundCommand): string[] => [
  ...Object.entries(environment).map(([name, value]) => `$env:${name} = ${inPowerShell(value)}`),
  ['&', ...[program, ...args].map((word) => inPowerShell(word))].join(' '),
]

/** It takes the typographic ones for quotes, too (tokenizer, IsSingleQuote). */
const inPowerShell = (word: string): string => `'${word.replaceAll(/['\u2018-\u201B]/g, '$&$&')}'`
