// Events of a run in words; and lines of k8s-win's own log and trace: an effect, or an event, which is shown in words instead of JSON.
import type {LogLevel} from './entry.js'

const EVENT = 'event '
const FAILED_EFFECT = /^(?:files|http|net|run|win32) (?:change|read) [^]*-> error \S+ \(\d+ ms\)$/

export interface Shown {
  readonly level: LogLevel
  readonly message: string
}

const LEVELS: Readonly<Record<string, LogLevel>> = {ERROR: 'error', INFO: 'info', WARN: 'warning'}

export function ownLine(text: string): Shown {
  const [head = '', level = ''] = /^(ERROR|INFO|WARN) +/.exec(text) ?? []
  if (LEVELS[level]) return {level: LEVELS[level], message: text.slice(head.length)}
  if (!text.startsWith(`${EVENT}{`)) return {level: FAILED_EFFECT.test(text) ? 'warning' : 'info', message: text}
  try {
    return eventLine(JSON.parse(text.slice(EVENT.length)) as Fields) ?? {level: 'info', message: text}
  } catch {
    // Truncated, or redacted beyond recognition.
    return {level: 'info', message: text}
  }
}

type Fields = Readonly<Record<string, unknown>>

/** Undefined for an event of another version. */
export function eventLine(event: Fields): Shown | undefined {
  switch (event['type']) {
    case 'check':
      return checkLine(inside(event, 'check'))
    case 'log':
      return {level: event['level'] === 'warn' ? 'warning' : 'info', message: words(event['message'])}
    case 'progress':
      return {level: 'info', message: `step ${words(event['id'])}: ${words(event['text'])}`}
    case 'run-finished':
      return resultLine(inside(event, 'result'))
    case 'run-started':
      return {level: 'info', message: `${words(event['command'])} begins`}
    case 'step-finished':
      return stepLine(inside(event, 'step'))
    case 'step-started':
      return {level: 'info', message: `step ${words(event['id'])}: ${words(event['title'])}`}
    default:
      return undefined
  }
}

function checkLine(check: Fields): Shown {
  const level = ({fail: 'error', warn: 'warning'} as const)[words(check['result'])] ?? 'info'
  // No colon: "credentials: x" and "pass: x" would be redacted.
  return {level, message: `check ${words(check['id'])} [${words(check['result'])}] ${words(check['message'])}`}
}

function stepLine(step: Fields): Shown {
  const {changes, durationMs, error, id, state} = step
  const done = Array.isArray(changes) && changes.length > 0 ? `: ${changes.map(words).join('; ')}` : ''
  const seconds = (Number(durationMs) / 1000).toFixed(1)
  const message = `step ${words(id)}: ${words(state)} after ${seconds} s${done}${why(error)}`
  return {level: state === 'failed' ? 'error' : 'info', message}
}

function resultLine(result: Fields): Shown {
  const {command, error, exitCode, outcome, recap} = result
  const counts = Object.entries((recap ?? {}) as Fields).map(([name, count]) => `${name}=${words(count)}`)
  const message = `${words(command)} ends: ${words(outcome)}, exit ${words(exitCode)} (${counts.join(' ')})${why(error)}`
  return {level: outcome === 'failed' ? 'error' : outcome === 'interrupted' ? 'warning' : 'info', message}
}

function why(error: unknown): string {
  if (typeof error !== 'object' || error === null) return ''
  const {cause, fix, id, message} = error as Fields
  return `\n${words(id)}: ${words(message)}\nCause: ${words(cause)}\nFix: ${words(fix)}`
}

function inside(event: Fields, name: string): Fields {
  const value = event[name]
  if (typeof value !== 'object' || value === null) throw new Error(`no ${name}`)
  return value as Fields
}

const words = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : JSON.stringify(value ?? '')
