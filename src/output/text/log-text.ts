// Log entries as text and as JSON.
import type {Component} from '../../logs/components.js'
import type {LogEntry, LogLevel} from '../../logs/entry.js'
import type {Zone} from '../../logs/zone.js'
import type {Count, Timestamp} from '../../pipeline/run/events.js'
import {type Redact, redactAll} from './redact.js'
import type {Theme} from '../screen.js'

export type LogFormat = 'json' | 'ndjson' | 'raw' | 'text'

/** An entry as `logs --output json` writes it, one per line. */
export interface LogLine {
  readonly component: Component
  /** The file it was read from. */
  readonly file: string
  readonly level: LogLevel
  /** Without time and level; further lines, such as a stack trace, follow after line ends. */
  readonly message: string
  /** What klog writes as the thread: the process on Windows. */
  readonly process?: Count
  /** Its lines as they stand in the file, secrets hidden. */
  readonly raw: string
  /** File and line of the program's source, where klog writes them. */
  readonly source?: string
  /** Of lines without a time, that of the line before. */
  readonly time: Timestamp
}

/** A folder as `logs --path --output json` writes it, one per line. */
export interface LogFolderLine {
  readonly component: Component
  readonly path: string
}

export interface LogTextOptions {
  /** Several are named in front of each entry. */
  readonly components: readonly Component[]
  readonly format: LogFormat
  readonly redact: Redact
  readonly theme: Theme
  readonly zone: Zone
}

const LETTERS: Readonly<Record<LogLevel, string>> = {debug: 'D', error: 'E', fatal: 'F', info: 'I', warning: 'W'}
/** What follows the first line of an entry. */
const INDENT = '    '

/** The text of an entry, with the end of its last line. */
export function logText(options: LogTextOptions): (entry: LogEntry) => string {
  const {format} = options
  // Also in a file, which is shown on a terminal later.
  if (format === 'raw') return ({lines}) => `${options.redact(lines.join('\n'))}\n`
  if (format !== 'text') return (entry) => jsonText(entry, options)
  const {components} = options
  const width = components.length > 1 ? Math.max(...components.map((name) => name.length)) : 0
  return (entry) => plainText(entry, width, options)
}

function plainText(entry: LogEntry, nameWidth: number, {redact, theme, zone}: LogTextOptions): string {
  const {component, level, message, source, time} = entry
  const [first = '', ...more] = redact(message).split('\n')
  const name = nameWidth > 0 ? [component.padEnd(nameWidth)] : []
  const firstLine = source === undefined ? first : `${theme.dim(`${redact(source)}]`)} ${first}`
  const head = [theme.dim(zone.text(time)), ...name, paint(level, theme)(LETTERS[level]), firstLine].join(' ')
  return [head, ...more.map((line) => `${INDENT}${line}`)].map((line) => `${line}\n`).join('')
}

function jsonText(entry: LogEntry, {redact}: LogTextOptions): string {
  const {component, file, level, lines, message, process, source, time} = entry
  const document: LogLine = {
    time: new Date(time).toISOString(),
    component,
    level,
    message,
    ...(source !== undefined && {source}),
    ...(process !== undefined && {process}),
    file,
    raw: lines.join('\n'),
  }
  return `${JSON.stringify(redactAll(document, redact))}\n`
}

function paint(level: LogLevel, theme: Theme): (text: string) => string {
  if (level === 'error' || level === 'fatal') return theme.bad
  return level === 'warning' ? theme.warn : (text) => text
}
