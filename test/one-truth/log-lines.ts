// A run's own log, read back: its effects and the beginnings and ends of its steps, in the order they were reported.
import type {TimedEvent} from '../../src/pipeline/run/events.js'

export interface LoggedEffect {
  readonly args: readonly string[]
  readonly kind: 'change' | 'read'
  readonly outcome: string
  readonly via: string
  readonly what: string
}

export type LogLine = {readonly effect: LoggedEffect} | {readonly event: TimedEvent}

const EFFECT = /^\S+ (?<via>\w+) (?<kind>change|read) (?<what>.+?) (?<args>\[.*\]) -> (?<outcome>.*) \([\d.]+ ms\)$/

/** The last run in it: one that begins in the same millisecond as an earlier one, on simulated time, continues in its file. */
export function parseLog(text: string): LogLine[] {
  const lines = text.split('\n').filter((line) => line !== '')
  const begin = lines.findLastIndex((line) => line.includes('"type":"run-started"'))
  return lines.slice(begin).map((line) => {
    const event = /^\S+ event (?<json>\{.*\})$/.exec(line)?.groups?.['json']
    if (event !== undefined) return {event: JSON.parse(event) as TimedEvent}
    const {args = '', kind, outcome = '', via = '', what = ''} = EFFECT.exec(line)?.groups ?? {}
    if (kind !== 'change' && kind !== 'read') throw new Error(`This is no line of a run's log: ${line}`)
    return {effect: {args: JSON.parse(args) as string[], kind, outcome, via, what}}
  })
}

/** As it stands in the log, without time, outcome and duration. */
export const effectText = ({args, kind, via, what}: Omit<LoggedEffect, 'outcome'>): string =>
  `${via} ${kind} ${what} ${JSON.stringify(args)}`
