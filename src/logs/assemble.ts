// Joins lines to entries: a line without a header belongs to the entry before it.
import type {Component} from './components.js'
import type {Line, LogEntry} from './entry.js'
import {type ReadLine, readLine} from './read-line.js'
import type {Zone} from './zone.js'

/** A stack of all goroutines may be long; a longer entry is split. */
const MOST_LINES = 5000
const MOST_CHARACTERS = 1_000_000

export interface Origin {
  readonly component: Component
  readonly file: string
  readonly zone: Zone
}

interface Pending {
  characters: number
  readonly lines: string[]
  readonly message: string[]
  readonly offset: number
  readonly opening: Exclude<ReadLine, {readonly continues: string}>
}

/** Takes lines in their order, and returns each entry as soon as the next one begins. */
export class Assembler {
  readonly #origin: Origin
  #last: Pick<LogEntry, 'level' | 'time'>
  /** Whether any line before had a header. Until then every line is an entry of its own. */
  #knows: boolean
  #pending: Pending | undefined

  /** `before`: the entry in front of the first line. Without it, `reference` is a time near that of the first line. */
  constructor(origin: Origin, reference: number, before?: Pick<LogEntry, 'level' | 'time'>) {
    this.#origin = origin
    this.#last = before ?? {level: 'info', time: reference}
    this.#knows = before !== undefined
  }

  /** The time of the entry that may have more lines. */
  get pending(): number | undefined {
    return this.#pending?.opening.time
  }

  add(line: Line): LogEntry | undefined {
    const read = readLine(line.text, this.#last.time, this.#origin.zone)
    if ('continues' in read && this.#isMore()) {
      const pending = this.#pending as Pending
      pending.lines.push(line.text)
      pending.message.push(read.continues)
      pending.characters += line.text.length
      return undefined
    }

    const done = this.end()
    const isOpening = !('continues' in read)
    const opening: Pending['opening'] = isOpening ? read : {...this.#last, message: read.continues}
    if (isOpening) this.#knows = true
    this.#last = {level: opening.level, time: opening.time}
    const {offset, text} = line
    this.#pending = {characters: text.length, lines: [text], message: [opening.message], offset, opening}
    return done
  }

  /** The entry that may have had more lines. */
  end(): LogEntry | undefined {
    const pending = this.#pending
    if (!pending) return undefined
    this.#pending = undefined
    const {lines, message, offset, opening} = pending
    const {component, file} = this.#origin
    const {level, process, source, time} = opening
    // Written out, so that V8 gives all of them one shape: there are millions.
    return {component, file, level, lines, message: message.join('\n'), offset, process, source, time}
  }

  #isMore(): boolean {
    const {characters, lines} = this.#pending ?? {characters: 0, lines: []}
    return this.#knows && lines.length > 0 && lines.length < MOST_LINES && characters < MOST_CHARACTERS
  }
}
