// Which entries of the logs are wanted.
import {type LogEntry, type LogLevel, LEVELS} from './entry.js'

/** Which of the texts match. */
export interface Match {
  (texts: readonly string[]): readonly boolean[]
  /** A text matches if some whole lines of it do: blocks can be searched before they are parsed. */
  readonly searchable?: boolean
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

/**
 * Not if it looks around or changes its flags: around the lines of an entry are line ends or nothing, which are the same
 * for all else (^ and $ are of lines).
 */
export const isSearchable = ({source}: RegExp): boolean => !/\(\?(?!:|<\w)/.test(source)

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
