// Puts lines together to entries: what says nothing of itself belongs to what came before.
import type {Component} from './components.js'
import type {Line, LogEntry} from './entry.js'
import {type ReadLine, readLine} from './read-line.js'
import type {Zone} from './zone.js'

/** A stack of all goroutines may be long; what is longer than this is no entry any more, and goes on as another. */
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

/** Lines in their order in, entries out, each as soon as the next one begins. */
export class Assembler {
  readonly #origin: Origin
  #last: Pick<LogEntry, 'level' | 'time'>
  /** Whether anything before told of itself. Until then every line stands alone. */
  #knows: boolean
  #pending: Pending | undefined

  /** `before`: the entry in front of the first line, where there is one. Else `reference` stands for its time. */
  constructor(origin: Origin, reference: number, before?: Pick<LogEntry, 'level' | 'time'>) {
    this.#origin = origin
    this.#last = before ?? {level: 'info', time: reference}
    this.#knows = before !== undefined
  }

  /** Of the entry whose end was not seen yet. */
  get pending(): number | undefined {
    return this.#pending?.opening.time
  }

  read(line: Line): ReadLine {
    return readLine(line.text, this.#last.time, this.#origin.zone)
  }

  add(line: Line, read = this.read(line)): LogEntry | undefined {
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

  /** The entry whose end was not seen yet. */
  end(): LogEntry | undefined {
    const pending = this.#pending
    if (!pending) return undefined
    this.#pending = undefined
    const {lines, message, offset, opening} = pending
    const {component, file} = this.#origin
    const {level, process, source, time} = opening
    // One shape for all, written out: there are millions.
    return {component, file, level, lines, message: message.join('\n'), offset, process, source, time}
  }

  #isMore(): boolean {
    const {characters, lines} = this.#pending ?? {characters: 0, lines: []}
    return this.#knows && lines.length > 0 && lines.length < MOST_LINES && characters < MOST_CHARACTERS
  }
}
