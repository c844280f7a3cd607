// The options of logs: all problems are reported at once, before anything is read.
import {nearest} from '../../config/nearest.js'
import {type OptionParser, parsedFlag, wholeNumber} from '../../config/options/parse-option.js'
import {badValue} from '../../errors/input.js'
import {K8sWinError, ProblemsError} from '../../errors/k8s-win-error.js'
import {slowPattern, unknownComponent} from '../../errors/logs.js'
import {contradictingFlags} from '../../errors/usage.js'
import {type Component, COMPONENT_WORDS, componentNamed, COMPONENTS} from '../../logs/components.js'
import type {LogLevel} from '../../logs/entry.js'
import {isSearchable, type Match, type Wanted} from '../../logs/filter.js'
import {isAge, parseAge, parseMoment} from '../../logs/time-range.js'
import type {Zone} from '../../logs/zone.js'
import {openPatternMatch, SlowPatternError} from '../../machine/real/pattern-match.js'

export interface LogsFlags {
  readonly exclude?: readonly string[] | undefined
  readonly follow?: boolean | undefined
  readonly grep?: readonly string[] | undefined
  readonly level?: LogLevel | undefined
  /** Only the folders. */
  readonly path?: boolean | undefined
  readonly previous?: boolean | undefined
  readonly since?: string | undefined
  readonly 'since-time'?: string | undefined
  readonly tail?: string | undefined
  readonly until?: string | undefined
  readonly verbose?: boolean | undefined
}

export interface LogsRequest {
  /** Undefined where none is named: the daemons of the node. */
  readonly components?: readonly Component[]
  readonly follow: boolean
  readonly previous: boolean
  readonly tail?: number
  /** Of k8s-win the trace in place of the log. */
  readonly verbose: boolean
  /** Times ago are counted from `now`. Throws where the range ends before it begins. */
  wanted(now: number): Wanted
}

/** As many as `tail -f` shows first. */
const FOLLOW_TAIL = 10
/** They are kept in memory. */
const LONGEST_TAIL = 1_000_000

/** What says which lines to show. */
export const OF_LINES = [
  'follow',
  'tail',
  'since',
  'since-time',
  'until',
  'level',
  'grep',
  'exclude',
  'previous',
] as const

type Time = (now: number) => number

export function readLogsRequest(words: readonly string[], flags: LogsFlags, zone: Zone): LogsRequest {
  const problems: K8sWinError[] = []
  const noted = <T>(read: () => T): T | undefined => {
    try {
      return read()
    } catch (error) {
      if (!(error instanceof K8sWinError)) throw error
      problems.push(error)
      return undefined
    }
  }

  const {exclude, follow = false, grep, level, previous = false, since, tail, until, verbose = false} = flags
  const components = words.flatMap((word) => noted(() => component(word)) ?? [])
  const read = <T>(flag: string, text: string | undefined, parse: OptionParser<T>): T | undefined =>
    text === undefined ? undefined : noted(() => parsedFlag(flag, text, parse))
  const from = read('since', since, ago)
  const moment = flags['since-time']
  const fromMoment = read('since-time', moment, time(zone))
  const to = read('until', until, time(zone))
  const last = read('tail', tail, lineCount)
  const included = noted(() => anyOf('grep', grep))
  const excluded = noted(() => anyOf('exclude', exclude))
  const contradicting = (one: string, other: string): void => void problems.push(contradictingFlags({one, other}))
  if (since !== undefined && moment !== undefined) contradicting('--since', '--since-time')
  if (follow && previous) contradicting('--follow', '--previous')
  if (follow && until !== undefined) contradicting('--follow', '--until')
  if (flags.path) for (const name of OF_LINES) if (flags[name]) contradicting('--path', `--${name}`)
  const [problem, ...more] = problems
  if (problem) throw more.length === 0 ? problem : new ProblemsError(problems)

  const begin = from ?? fromMoment
  const shown = tail === undefined && follow && !begin ? FOLLOW_TAIL : last
  return {
    ...(components.length > 0 && {components: COMPONENTS.filter((one) => components.includes(one))}),
    follow,
    previous,
    verbose,
    ...(shown !== undefined && {tail: shown}),
    wanted(now) {
      // Known only now: one may be a time of day, and the other so long ago.
      if (begin && to && begin(now) > to(now)) throw emptyRange(until ?? '')
      return {
        ...(excluded && {exclude: excluded}),
        ...(included && {grep: included}),
        ...(level && {level}),
        ...(begin && {since: begin(now)}),
        ...(to && {until: to(now)}),
      }
    },
  }
}

function component(word: string): Component {
  const known = componentNamed(word)
  if (known) return known
  const meant = nearest(word, COMPONENT_WORDS)
  const suggestion = (meant && componentNamed(meant)) ?? ''
  throw unknownComponent({known: COMPONENTS.join(', '), name: word, suggestion})
}

const ago: OptionParser<Time> = (text) => {
  const ms = parseAge(text)
  if (ms !== undefined) return {value: (now) => now - ms}
  return {reason: whyNoAge(text, 'duration'), wanted: 'a time such as 90s, 10m, 1h30m or 7d'}
}

const time =
  (zone: Zone): OptionParser<Time> =>
  (text) => {
    const moment = parseMoment(text, zone)
    if (moment !== undefined) return {value: () => moment}
    const given = ago(text)
    const wanted = 'a time such as 2026-01-31T14:00:00Z, "2026-01-31 14:00" (of this host) or 10m (ago)'
    return 'value' in given ? given : {reason: whyNoAge(text, 'time'), wanted}
  }

function emptyRange(until: string): K8sWinError {
  const reason = 'It is before the time that the lines begin with (--since or --since-time): there is nothing between.'
  const wanted = 'a later time, or the other flag to an earlier one'
  return badValue({flag: 'until', reason, value: until, wanted, where: '--until'})
}

const whyNoAge = (text: string, what: string): string =>
  isAge(text) ? 'It is too long: at most 100 years.' : `It is not a valid ${what}.`

/** Undefined for all. */
const lineCount: OptionParser<number | undefined> = (text) => {
  if (text === '-1' || text.toLowerCase() === 'all') return {value: undefined}
  const read = wholeNumber(0, LONGEST_TAIL)(text)
  return 'value' in read ? read : {...read, wanted: `${read.wanted}, or all`}
}

function anyOf(flag: string, patterns: readonly string[] = []): Match | undefined {
  if (patterns.length === 0) return undefined
  const expressions = patterns.map((pattern) => regular(flag, pattern))
  const matches = patterns.map((pattern, index) => ({match: openPatternMatch(expressions[index] as RegExp), pattern}))
  const match = (texts: readonly string[]): boolean[] => {
    const found = texts.map(() => false)
    for (const {match, pattern} of matches) {
      try {
        for (const [index, isFound] of match(texts).entries()) found[index] ||= isFound
      } catch (error) {
        if (error instanceof SlowPatternError) {
          throw slowPattern({flag: `--${flag}`, pattern: shortened(pattern)}, {cause: error})
        }
        throw isUncompilable(error) ? badPattern(flag, pattern, error) : error
      }
    }
    return found
  }
  return Object.assign(match, {searchable: expressions.every(isSearchable)})
}

/** V8 compiles a pattern by recursion: how long a one it takes depends on the stack that happens to be left. */
const LONGEST_PATTERN = 2000

/** V8 compiles a pattern when it is first used, once per kind of text: Latin-1 and wider. */
const ONE_OF_EACH_KIND = ['', '\u0100']

/** "(?i)" in front is how .NET and Go say that case does not matter; ^ and $ are of lines. */
function regular(flag: string, pattern: string): RegExp {
  const anyCase = pattern.startsWith('(?i)')
  try {
    if (pattern.length > LONGEST_PATTERN) throw new SyntaxError(`longer than ${LONGEST_PATTERN} characters`)
    const expression = new RegExp(anyCase ? pattern.slice('(?i)'.length) : pattern, anyCase ? 'im' : 'm')
    for (const text of ONE_OF_EACH_KIND) expression.test(text)
    return expression
  } catch (error) {
    throw badPattern(flag, pattern, error)
  }
}

/** What compiles here may be too large for what is left of the stack further down. */
const isUncompilable = (error: unknown): boolean => error instanceof SyntaxError || error instanceof RangeError

function badPattern(flag: string, pattern: string, cause: unknown): K8sWinError {
  // "Invalid regular expression: /<the whole pattern>/m: Unterminated group"
  const message = cause instanceof Error ? cause.message : String(cause)
  const reason = `Invalid regular expression: ${message.slice(message.lastIndexOf(': ') + 1).trim()}.`
  const wanted = 'a JavaScript regular expression, such as "error|failed"; \\ before . ( [ * matches them literally'
  return badValue({flag, reason, value: shortened(pattern), wanted, where: `--${flag}`}, {cause})
}

const LONGEST_SHOWN = 100

const shortened = (pattern: string): string =>
  pattern.length <= LONGEST_SHOWN ? pattern : `${pattern.slice(0, LONGEST_SHOWN)}... (${pattern.length} characters)`
