// Reads the value at a known place of a text: quoted, bare, the rest of a line, a list, a block of lines.
// Nothing is read twice: every pattern is tried at one place, and is bounded or consumes what it reads.
import {isProse} from './secret-names.js'

/** From, to. */
export type Range = readonly [from: number, to: number]
/** Also where they are escaped because the text is part of another. */
export const QUOTE = String.raw`(?:\\{0,8}["'${'`'}]|&quot;|&#3[49];|\\{1,4}u0022)`
export const BLANKS = String.raw`[^\S\n]`
export const OPENING = new RegExp(QUOTE, 'y')
export const SPACE = new RegExp(`${BLANKS}*`, 'y')
/** Between a name and its value. */
export const SEPARATOR = new RegExp(String.raw`(?:${QUOTE}){0,2}\]?${BLANKS}{0,60}(?::=|=>|={1,3}|:)(?!//)`, 'y')
/** Up to a blank or what ends a value in a list; such a mark with a letter right behind it may be part of a password. */
const BARE = new RegExp(
  String.raw`(?:[^\s"'${'`'},;}\])<>&\\]|\\(?!["'${'`'}]|u0026|[nrt][\w.-]{1,60}\s?[:=])|["'${'`'}\]}),;&](?=[\w$!@#%^*+=.-])(?![\w.-]{1,60}[=:])|\](?=\])|&(?![a-z]{2,5};|[\w.-]{1,60}=))+`,
  'y',
)
/** Two quotes that begin a value; before a blank or what ends one they are an empty value. */
const DOUBLED = /""(?=[^\s"',;:)\]}&])/y
/** A variable is not a value. */
const REFERENCE = /\$\{|\$\(|\$env:|%[a-z]\b|\{\{|<[a-z ]{1,30}>/iy
const TYPED_LIST = /\[\]\w{2,10}[({]/y
/** YAML: "|", ">-" and so on, perhaps after a tag or an anchor, and nothing else on the line. */
const BLOCK = /(?:[!&][\w!:/.-]{0,60}[^\S\n]+){0,2}[|>][-+\d]{0,3}[^\S\n]*(?:#[^\n]*)?(?=\n)/y
/** The same in a text that is part of another: its line ends are escaped. */
const ESCAPED_BLOCK = /[|>][-+\d]{0,3}(?:\\{1,4}r)?\\{1,4}n {1,40}/y
const ESCAPED_LINE = /[^\\"\n]*/y
const ESCAPED_MORE = /(?:\\{1,4}r)?\\{1,4}n {2,40}/y
const EMPTY_LINES = /(?:[^\S\n]{0,100}\n){1,3}/y
/** Before a name that has its line to itself. */
const LINE_START = /\n(?:[^\S\n]|- |["'`]|#|export |setx? |\$env:|\$)*$/i
const NEXT_PAIR = /[\s,;]\s?["']?[\w.-]{1,60}["']?\s?[=:]|[^\S\n]#/
export const LONGEST_QUOTED = 4000
/** A value belongs to a name that is at most so far before or after it. */
export const NEAR = 400

/** Where a sticky pattern ends that matches here. */
export function endOf(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : undefined
}

/** All at once, so that a pattern is not in use twice where decoded text is searched too. */
export function matchesOf(pattern: RegExp, text: string): RegExpExecArray[] {
  const found: RegExpExecArray[] = []
  pattern.lastIndex = 0
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) found.push(match)
  return found
}

export class ValueReader {
  readonly found: Range[] = []
  /** Up to here a "value" belongs to the secret name before it. */
  named = -1
  /** The line that is being read. */
  #line: Range = [0, -1]

  constructor(readonly text: string) {}

  /** The value of a name that starts at `nameStart`; hides it, and returns where to read on. */
  valueAt(at: number, nameStart: number): number {
    const {text} = this
    const block = this.at(BLOCK, at)
    if (block !== undefined) return this.indented(block, nameStart)
    if (at >= text.length || text[at] === '\n') return this.#nextLine(at, nameStart)
    const escaped = this.at(ESCAPED_BLOCK, at)
    if (escaped !== undefined) return this.#escapedBlock(escaped)
    if (this.at(REFERENCE, at) !== undefined) return at
    const quoted = this.quoted(at)
    if (quoted) return this.hide(quoted)
    const typed = this.at(TYPED_LIST, at)
    if (typed !== undefined || text[at] === '[') return this.#list(typed ?? at + 1)
    if (text[at] === '{' || text[at] === '<') {
      this.named = at + NEAR
      return at
    }
    const end = this.bare(at)
    if (end === undefined) return at
    const to = this.startsLine(nameStart) ? Math.max(end, this.restOfLine(at)) : end
    // "password: correct horse battery" is one, "password: is empty" is not.
    const words = text.slice(at, Math.min(to, at + 80)).split(/\s{1,80}/)
    return words.every(isProse) ? at : this.hide([at, to])
  }

  /** The value that is known to be here: quoted, or up to a blank. */
  value(at: number): Range | undefined {
    if (this.at(REFERENCE, at) !== undefined) return undefined
    return this.quoted(at) ?? this.upTo(BARE, at)
  }

  bare(at: number): number | undefined {
    return this.at(BARE, at)
  }

  /** What a sticky pattern matches here. */
  upTo(pattern: RegExp, at: number): Range | undefined {
    const end = this.at(pattern, at)
    return end === undefined ? undefined : [at, end]
  }

  /** What is between quotes; a quote that is not closed ends with its line. */
  quoted(at: number): Range | undefined {
    const {text} = this
    const from = this.at(OPENING, at)
    if (from === undefined) return undefined
    // In a cell of CSV all quotes of a text are doubled.
    if (this.at(DOUBLED, at) !== undefined) return this.#until(at + 2, '""')
    const opening = text.slice(at, from)
    const triple = opening.repeat(3)
    // TOML and Python; may have several lines.
    if (text.startsWith(triple, at)) return this.#until(at + triple.length, triple)
    const mark = opening.at(-1) === ';' ? opening : (opening.at(-1) ?? '')
    const escapes = opening.length - mark.length
    const last = Math.min(text.length, from + LONGEST_QUOTED)
    for (let end = text.indexOf(mark, from); end !== -1 && end < last; end = text.indexOf(mark, end + mark.length)) {
      let slashes = 0
      while (text[end - 1 - slashes] === '\\') slashes++
      // As YAML, SQL, PowerShell and CSV write a quote inside quotes.
      if (escapes === 0 && slashes % 2 === 0 && mark !== '`' && text[end + 1] === mark) {
        end++
        continue
      }
      if (mark.length > 1 || (escapes === 0 ? slashes % 2 === 0 : slashes <= escapes))
        return [from, end - Math.min(slashes, escapes)]
    }
    return [from, this.#lineEnd(from)]
  }

  #until(from: number, mark: string): Range {
    const length = this.text.slice(from, from + LONGEST_QUOTED).indexOf(mark)
    return [from, length === -1 ? this.#lineEnd(from) : from + length]
  }

  /** All lines that are indented further than the name's; `at` is the end of the line before them. */
  indented(at: number, nameStart: number): number {
    const {text} = this
    const begin = text.lastIndexOf('\n', nameStart) + 1
    const depth = /^[^\S\n]*(?:- +)*/.exec(text.slice(begin, nameStart))?.[0].length ?? 0
    let end = at + 1
    for (let line = at + 1; line < text.length;) {
      const next = this.#lineEnd(line)
      const indent = this.space(line)
      if (indent < next && indent - line <= depth) break
      if (indent < next) end = next
      line = next + 1
    }
    return end > at + 1 ? this.hide([this.space(at + 1), end]) : at
  }

  /** A block of YAML that begins here, after a "value" that ends at `after`. */
  block(at: number, after: number): number | undefined {
    const block = this.at(BLOCK, at)
    return block === undefined ? undefined : this.indented(block, after - 1)
  }

  /** A value on the line below, further in; a mapping there has names of its own. */
  #nextLine(at: number, nameStart: number): number {
    const line = this.at(EMPTY_LINES, at + 1) ?? at + 1
    const begin = this.space(line)
    const first = this.text.slice(begin, Math.min(this.#lineEnd(begin), begin + 100))
    // A sentence or a command may follow "with this token:" after an empty line.
    if (line > at + 1 && /\S\s+\S/.test(first)) return at
    if (begin === line || first === '' || /^[^"'][^"']{0,80}:(?:\s|$)/.test(first)) return at
    return this.indented(line - 1, nameStart)
  }

  #escapedBlock(begin: number): number {
    for (let line = begin; ;) {
      const end = this.at(ESCAPED_LINE, line) ?? line
      const more = this.at(ESCAPED_MORE, end)
      if (more === undefined || /^[\w.-]{1,60}: /.test(this.text.slice(more, more + 64))) return this.hide([begin, end])
      line = more
    }
  }

  #list(at: number): number {
    const stretch = this.text.slice(at, at + LONGEST_QUOTED)
    const length = stretch.search(/[\]})\n]/)
    return length === 0 ? at : this.hide([at, at + (length === -1 ? stretch.length : length)])
  }

  /** Of a value that has its line to itself, blanks included. */
  restOfLine(at: number): number {
    const line = this.text.slice(at, this.#lineEnd(at))
    const next = line.search(NEXT_PAIR)
    return at + (next === -1 ? line : line.slice(0, next)).trimEnd().replace(/[",;'}\]]{1,4}$/, '').length
  }

  startsLine(at: number): boolean {
    return LINE_START.test(at <= 40 ? `\n${this.before(at, 40)}` : this.before(at, 40))
  }

  /** Remembered until it is passed: many names may be on one long line. */
  #lineEnd(at: number): number {
    if (at < this.#line[0] || at > this.#line[1]) {
      const newline = this.text.indexOf('\n', at)
      this.#line = [at, newline === -1 ? this.text.length : newline]
    }
    return this.#line[1]
  }

  at(pattern: RegExp, index: number): number | undefined {
    return endOf(pattern, this.text, index)
  }

  space(at: number): number {
    return this.at(SPACE, at) ?? at
  }

  before(at: number, length: number): string {
    return this.text.slice(Math.max(0, at - length), at)
  }

  hide(range: Range): number {
    if (range[1] > range[0]) this.found.push(range)
    return range[1]
  }

  /** Hides what the pattern matches here, from `from` on. */
  hideMatch(pattern: RegExp, at: number, from = at): number {
    const end = this.at(pattern, at)
    return end === undefined ? at : this.hide([from, end])
  }
}
