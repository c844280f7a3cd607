// An entry of a log: its first line, and the lines that belong to it.
import type {Component} from './components.js'

/** From the lowest to the highest. */
export const LEVELS = ['debug', 'info', 'warning', 'error', 'fatal'] as const
export type LogLevel = (typeof LEVELS)[number]

/** What the header of a line says. */
export interface Opening {
  readonly level: LogLevel
  readonly message: string
  readonly process?: number | undefined
  /** File and line of the program's source. */
  readonly source?: string | undefined
}

export interface LogEntry extends Opening {
  readonly component: Component
  readonly file: string
  /** As they are in the file. */
  readonly lines: readonly string[]
  /** Where its first line begins in the file, in bytes. */
  readonly offset: number
  /** Milliseconds since 1970, with fractions. */
  readonly time: number
}

/** A line of a file. */
export interface Line {
  readonly offset: number
  readonly text: string
}
