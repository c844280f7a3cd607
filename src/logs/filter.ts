// What of the logs is wanted.
import {type LogEntry, type LogLevel, LEVELS} from './entry.js'

/** Which of the texts match. */
export type Match = (texts: readonly string[]) => readonly boolean[]

export interface Wanted {
  readonly exclude?: Match
  readonly grep?: Match
  /** This one and graver. */
  readonly level?: LogLevel
  /** Milliseconds since 1970. */
  readonly since?: number
  readonly until?: number
}

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

/** As it stands in the file and, where that is another one, as it is shown. */
function textOf({lines, message}: LogEntry): string {
  const text = lines.length === 1 ? (lines[0] ?? '') : lines.join('\n')
  return text.endsWith(message) ? text : `${text}\n${message}`
}
