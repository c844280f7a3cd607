// Reads the header of a line: of klog, of shawl, of k8s-win's run log, or any that begins with a date and a time.
import type {LogLevel, Opening} from './entry.js'
import {ownLine} from './own-line.js'
import type {Zone} from './zone.js'

/** A line that begins an entry, or continues the one before. `timeless`: its time is only the reference. */
export type ReadLine = {readonly continues: string} | (Opening & {readonly time: number; readonly timeless?: true})

export const saysTime = (read: ReadLine): read is Opening & {readonly time: number; readonly timeless?: never} =>
  !('continues' in read) && read.timeless !== true

/**
 * `I1115 06:04:02.823958    1116 flags.go:59] message` (klog, formatHeader), without a year. The source is the name of a file
 * and a line: letters, digits, dots and dashes.
 */
const KLOG =
  /^[DEFIW]\d{4} \d\d:\d\d:\d\d\.(\d{1,9}) {1,8}(\d{1,10}) ([\w.\u00C0-\u024F\u0370-\u052F\u3040-\u9FFF-]{1,100}:\d{1,7})\] ?/
/** ISO 8601 and similar: k8s-win's lines, shawl's (a blank, no zone), Go's log package (slashes). */
const STAMP = /^(\d{4})([-/])(\d\d)\2(\d\d)[ T](\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9}))?(Z|[+-]\d\d:?\d\d)?(?=\s|$)/
const KLOG_HEADER = 'Log file created at: '
const SHAWL = /^ \[(TRACE|DEBUG|INFO|WARN|ERROR)\] ([^]*)$/
const SHAWL_OUTPUT = /^(?:stdout|stderr): "([^]*)"$/
/** The stack of a Go program that ended badly, line by line. */
const STACK = /^(?:\s|goroutine \d{1,10} |created by |exit status |\[signal |r\d{1,2} {1,8}0x|rip {1,8}0x)/
const isCall = (text: string): boolean => text.endsWith(')') && text.includes('(') && !text.includes(' ')
const LAST_WORDS = /^(?:panic|fatal error): /
/** If the clocks of a program and of its wrapper differ by more, one of them is wrong. */
const SAME_MOMENT_MS = 3_600_000
const HALF_YEAR_MS = 182 * 86_400_000

/** containerd: `time="2026-11-15T02:41:07.123456789Z" level=warning msg="..." error="..."` (logrus, text_formatter.go). */
const LOGRUS =
  /^time="([^"]{1,40})" level=(trace|debug|info|warning|error|fatal|panic) msg=(?:"((?:[^"\\]|\\[^]){0,65536})"|(\S{0,1024}))([^]*)$/

const KLOG_LEVELS: Readonly<Record<string, LogLevel>> = {D: 'debug', E: 'error', F: 'fatal', I: 'info', W: 'warning'}
const LOGRUS_LEVELS: Readonly<Record<string, LogLevel>> = {
  debug: 'debug',
  error: 'error',
  fatal: 'fatal',
  info: 'info',
  panic: 'fatal',
  trace: 'debug',
  warning: 'warning',
}
const SHAWL_LEVELS: Readonly<Record<string, LogLevel>> = {
  DEBUG: 'debug',
  ERROR: 'error',
  INFO: 'info',
  TRACE: 'debug',
  WARN: 'warning',
}

/** `reference` is a time near the line's: a missing year is the one nearest to it. */
export function readLine(line: string, reference: number, zone: Zone): ReadLine {
  const first = line.charCodeAt(0)
  const isDigit = first >= 0x30 && first <= 0x39
  if (isDigit) return readStamped(line, zone) ?? {continues: line}
  const timed = readKlog(line, reference, zone) ?? readLogrus(line, zone) ?? readHeader(line, zone)
  if (timed) return timed
  const last = readLastWords(line, reference)
  return last ? {...last, timeless: true} : {continues: line}
}

function readKlog(line: string, reference: number, zone: Zone): ReadLine | undefined {
  const match = KLOG.exec(line)
  if (!match) return undefined
  // One by one, not as lists: there are millions.
  const fraction = match[1] ?? ''
  const month = two(line, 1)
  const day = two(line, 3)
  const hour = two(line, 6)
  const minute = two(line, 9)
  const second = two(line, 12)
  if (!isMoment(month, day, hour, minute, second)) return undefined
  const at = nearest(reference, (year) => zone.at(year, month, day, hour, minute, second))
  const time = at + Number(fraction) / 10 ** (fraction.length - 3)
  const level = KLOG_LEVELS[line.charAt(0)] ?? 'info'
  return {level, message: line.slice(match[0].length), process: Number(match[2]), source: match[3], time}
}

function readLogrus(line: string, zone: Zone): ReadLine | undefined {
  const [, stamp = '', level = '', quoted, bare = '', fields = ''] = LOGRUS.exec(line) ?? []
  const time = stampOf(stamp, zone)?.time
  if (time === undefined) return undefined
  const message = quoted === undefined ? bare : quoted.replaceAll(/\\(["\\])/g, '$1')
  return {level: LOGRUS_LEVELS[level] ?? 'info', message: `${message}${fields}`, time}
}

/** The first line of each of klog's files. */
function readHeader(line: string, zone: Zone): ReadLine | undefined {
  if (!line.startsWith(KLOG_HEADER)) return undefined
  const stamp = stampOf(line.slice(KLOG_HEADER.length), zone)
  return stamp && {level: 'info', message: line, time: stamp.time}
}

/** What Go prints when a program panics: without a time. */
function readLastWords(line: string, reference: number): (Opening & {readonly time: number}) | undefined {
  return LAST_WORDS.test(line) ? {level: 'fatal', message: line, time: reference} : undefined
}

function readStamped(line: string, zone: Zone): ReadLine | undefined {
  const stamp = stampOf(line, zone)
  if (!stamp) return undefined
  const {rest, time} = stamp
  const shawl = SHAWL.exec(rest)
  if (shawl) return readShawl(shawl[1] ?? '', shawl[2] ?? '', time, zone)
  return {...ownLine(rest.trimStart()), time}
}

function readShawl(level: string, message: string, time: number, zone: Zone): ReadLine {
  const output = SHAWL_OUTPUT.exec(message)
  if (!output) return {level: SHAWL_LEVELS[level] ?? 'info', message, time}
  const text = fromRustText(output[1] ?? '')
  const inner = readKlog(text, time, zone) ?? readLogrus(text, zone) ?? readLastWords(text, time)
  if (inner && !('continues' in inner)) {
    return {...inner, time: Math.abs(inner.time - time) < SAME_MOMENT_MS ? inner.time : time}
  }
  return STACK.test(text) || isCall(text) ? {continues: text} : {level: 'info', message: text, time}
}

const RUST_ESCAPE = /\\(?:u\{[0-9a-fA-F]{1,6}\}|[^])/g
const NAMED_ESCAPES: Readonly<Record<string, string>> = {'0': '\0', n: '\n', r: '\r', t: '\t'}

/** Undoes Rust's {:?}, in which shawl writes the output of its program. */
export function fromRustText(text: string): string {
  return text.replaceAll(RUST_ESCAPE, (escape) => {
    if (escape.length === 2) return NAMED_ESCAPES[escape.charAt(1)] ?? escape.charAt(1)
    const point = Number.parseInt(escape.slice(3, -1), 16)
    return point <= 0x10_ffff ? String.fromCodePoint(point) : escape
  })
}

/** A date and a time at the beginning, and what follows. */
export function stampOf(text: string, zone: Zone): {readonly rest: string; readonly time: number} | undefined {
  const match = STAMP.exec(text)
  if (!match) return undefined
  const [whole, year, , month, day, hour, minute, second, fraction = '0', offset] = match
  const [mm, dd, h, m, s] = [Number(month), Number(day), Number(hour), Number(minute), Number(second)]
  if (!isMoment(mm, dd, h, m, s)) return undefined
  const time =
    offset === undefined
      ? zone.at(Number(year), mm, dd, h, m, s)
      : Date.UTC(Number(year), mm - 1, dd, h, m, s) - offsetMs(offset)
  return {rest: text.slice(whole.length), time: time + Number(`0.${fraction}`) * 1000}
}

function offsetMs(text: string): number {
  if (text === 'Z') return 0
  const minutes = Number(text.slice(1, 3)) * 60 + Number(text.slice(-2))
  return (text.startsWith('-') ? -minutes : minutes) * 60_000
}

const two = (line: string, at: number): number => (line.charCodeAt(at) - 0x30) * 10 + line.charCodeAt(at + 1) - 0x30

function isMoment(month: number, day: number, hour: number, minute: number, second: number): boolean {
  return month >= 1 && month <= 12 && day >= 1 && day <= 31 && hour < 24 && minute < 60 && second <= 60
}

/** The year of the last time that was asked for: most are in the same one. */
let known = {begins: 0, ends: 0, year: 1970}

function yearOf(time: number): number {
  if (time < known.begins || time >= known.ends) {
    const year = new Date(time).getUTCFullYear()
    known = {begins: Date.UTC(year, 0), ends: Date.UTC(year + 1, 0), year}
  }

  return known.year
}

function nearest(reference: number, at: (year: number) => number): number {
  const year = yearOf(reference)
  const time = at(year)
  if (Math.abs(time - reference) < HALF_YEAR_MS) return time
  const others = [at(year - 1), at(year + 1)]
  return others.reduce((best, one) => (Math.abs(one - reference) < Math.abs(best - reference) ? one : best), time)
}
