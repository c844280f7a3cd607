// Entries of logs as people and programs read them.
import {stripVTControlCharacters} from 'node:util'
import type {Component} from '../logs/components.js'
import type {LogEntry, LogLevel} from '../logs/entry.js'
import type {Zone} from '../logs/zone.js'
import type {Redact} from './redact.js'
import type {Theme} from './theme.js'

export type LogFormat = 'json' | 'ndjson' | 'raw' | 'text'

export interface LogTextOptions {
  /** Several are named in front of each entry. */
  readonly components: readonly Component[]
  readonly format: LogFormat
  /** Nothing may steer it. */
  readonly isTerminal: boolean
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
  if (format === 'raw') return (entry) => rawText(entry, options)
  if (format !== 'text') return (entry) => jsonText(entry, options)
  const {components} = options
  const width = components.length > 1 ? Math.max(...components.map((name) => name.length)) : 0
  return (entry) => plainText(entry, width, options)
}

function plainText(entry: LogEntry, nameWidth: number, {redact, theme, zone}: LogTextOptions): string {
  const {component, level, message, source, time} = entry
  const [first = '', ...more] = redact(message).split('\n').map(harmless)
  const name = nameWidth > 0 ? [component.padEnd(nameWidth)] : []
  const told = source === undefined ? first : `${theme.dim(`${source}]`)} ${first}`
  const head = [theme.dim(zone.text(time)), ...name, paint(level, theme)(LETTERS[level]), told].join(' ')
  return [head, ...more.map((line) => `${INDENT}${line}`)].map((line) => `${line}\n`).join('')
}

function rawText({lines}: LogEntry, {isTerminal, redact}: LogTextOptions): string {
  const text = redact(lines.join('\n'))
  return `${isTerminal ? text.split('\n').map(harmless).join('\n') : text}\n`
}

function jsonText(entry: LogEntry, {redact}: LogTextOptions): string {
  const {component, file, level, lines, message, process, source, time} = entry
  const document = {
    time: new Date(time).toISOString(),
    component,
    level,
    message: redact(message),
    ...(source !== undefined && {source}),
    ...(process !== undefined && {process}),
    file,
    raw: redact(lines.join('\n')),
  }
  return `${JSON.stringify(document)}\n`
}

function paint(level: LogLevel, theme: Theme): (text: string) => string {
  if (level === 'error' || level === 'fatal') return theme.bad
  return level === 'warning' ? theme.warn : (text) => text
}

/** Control characters, and those that turn the direction of text, so that it reads as it does not stand there; no tabs. */
const STEERING = /[^\P{Cc}\t]|\p{Bidi_Control}/gu

/** Without what would steer a terminal. */
function harmless(line: string): string {
  return stripVTControlCharacters(line).replaceAll(STEERING, (control) => visible(control.charCodeAt(0)))
}

/** As editors show them: ^@ for a zero, <U+202E> for what turns the direction. */
function visible(code: number): string {
  if (code > 0xff) return `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`
  return code < 0x20 ? `^${String.fromCharCode(code + 0x40)}` : '?'
}
