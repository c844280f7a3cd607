// Which entries of the logs are wanted.
import {type LogEntry, type LogLevel, LEVELS} from './entry.js'

/** Which of the texts match. */
export interface Match {
  (texts: readonly string[]): readonly boolean[]
  /** No match goes beyond a line, so that a text of many lines matches where one of its lines does. */
  readonly perLine?: boolean
}

export interface Wanted {
  readonly exclude?: Match
  readonly grep?: Match
  /** This level and above. */
  readonly level?: LogLevel
  /** Milliseconds since 1970. */
  readonly since?: number
  readonly until?: number
}

/** Letters, groups, \d \S \t \w \b \B, escaped punctuation and classes of these: nothing that matches a line end, or looks around. */
const PER_LINE =
  // eslint-disable-next-line no-control-regex
  /^(?:[^\u0000-\u001F\\[(]|\\(?:[bBdStw]|[^\w\s])|\((?!\?)|\(\?(?::|<\w+>)|\[(?!\^)(?:[^\u0000-\u001F\\\]]|\\(?:[dSw]|[^\w\s]))*\])*$/

export const isPerLine = ({source}: RegExp): boolean => PER_LINE.test(source)

/** Those of the entries that are wanted, each whole. */
export function wantedOf(entries: readonly LogEntry[], wanted: Wanted): LogEntry[] {
  const {exclude, grep, level = 'debug', since = -Infinity, until = Infinity} = wanted
  const least = LEVELS.indexOf(level)
  const some = entries.filter(
    (entry) => entry.time >= since && entry.time <= until && LEVELS.indexOf(entry.level) >= least,
  )
  if (!grep && !exclude) return some
  const texts = some.map(textOf)
  const included = grep?.(texts)
  const excluded = exclude?.(texts)
  return some.filter((_, index) => (included?.[index] ?? true) && !(excluded?.[index] ?? false))
}

/** As it is written in the file and, where that differs, as it is shown. */
function textOf({lines, message}: LogEntry): string {
  const text = lines.length === 1 ? (lines[0] ?? '') : lines.join('\n')
  return text.endsWith(message) ? text : `${text}\n${message}`
}
