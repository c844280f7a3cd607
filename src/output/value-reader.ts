// Reads a value that begins at a known place of a text: in quotes, up to a blank, the rest of a line, a block of lines.
// Nothing is read twice: every pattern is tried at one place, and is bounded or uses up what it reads.

/** From, to. */
export type Range = readonly [from: number, to: number]
/** Also where they are escaped because the text was put into another. */
export const QUOTE = String.raw`(?:\\{0,8}["'${'`'}]|&quot;|&#3[49];|\\{1,4}u0022)`
export const BLANKS = String.raw`[^\S\n]`
export const OPENING = new RegExp(QUOTE, 'y')
export const SPACE = new RegExp(`${BLANKS}*`, 'y')
/** Up to a blank or what ends a value in a list; such a mark with a letter right behind it may be part of a password. */
export const BARE = new RegExp(
  String.raw`(?:[^\s"'${'`'},;}\])<>&\\]|\\(?!["'${'`'}]|u0026|[nrt][\w.-]{1,60}\s?[:=])|["'${'`'}\]}),;&](?=[\w$!@#%^*+=.-])(?![\w.-]{1,60}[=:])|\](?=\])|&(?![a-z]{2,5};|[\w.-]{1,60}=))+`,
  'y',
)
/** Two that begin a value; before a blank or what ends one they are an empty value. */
const DOUBLED = /""(?=[^\s"',;:)\]}&])/y
export const REFERENCE = /\$\{|\$\(|\$env:|%[a-z]\b|\{\{|<[a-z ]{1,30}>/iy
/** Before the name of what stands alone on its line. */
const LINE_START = /\n(?:[^\S\n]|- |["'`]|#|export |setx? |\$env:|\$)*$/i
const NEXT_PAIR = /[\s,;]\s?["']?[\w.-]{1,60}["']?\s?[=:]|[^\S\n]#/
export const LONGEST_QUOTED = 4000

export class ValueReader {
  protected readonly found: Range[] = []
  /** The end of the line that is being read. */
  protected line: Range = [0, -1]
  protected readonly text: string

  constructor(text: string) {
    this.text = text
  }

  /** The value that is known to stand here: quoted, or up to a blank. A reference to a variable is not a value. */
  value(at: number): Range | undefined {
    if (this.at(REFERENCE, at) !== undefined) return undefined
    const quoted = this.quoted(at)
    if (quoted) return quoted
    const end = this.at(BARE, at)
    return end === undefined ? undefined : [at, end]
  }

  /** The same where the value has the rest of the line to itself. */
  lineValue(at: number): Range | undefined {
    const value = this.value(at)
    return value && [value[0], Math.max(value[1], this.restOfLine(at))]
  }

  /** What is between quotes; a quote that is not closed ends with its line. */
  protected quoted(at: number): Range | undefined {
    const text = this.text
    const from = this.at(OPENING, at)
    if (from === undefined) return undefined
    if (this.at(DOUBLED, at) !== undefined) return this.doubleQuoted(at + 2)
    const opening = text.slice(at, from)
    const triple = opening.repeat(3)
    if (text.startsWith(triple, at)) return this.tripleQuoted(at + triple.length, triple)
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
    return [from, this.lineEnd(from)]
  }

  /** All quotes are doubled in a text that was put into a cell of CSV. */
  protected doubleQuoted(from: number): Range {
    const length = this.text.slice(from, from + LONGEST_QUOTED).indexOf('""')
    return [from, length === -1 ? this.lineEnd(from) : from + length]
  }

  /** TOML and Python; may have several lines. */
  protected tripleQuoted(from: number, triple: string): Range {
    const length = this.text.slice(from, from + LONGEST_QUOTED).indexOf(triple)
    return [from, length === -1 ? this.lineEnd(from) : from + length]
  }

  /** All lines that are further in than the name's. */
  protected indented(at: number, nameStart: number): number {
    const text = this.text
    const begin = text.lastIndexOf('\n', nameStart) + 1
    const depth = /^[^\S\n]*(?:- +)*/.exec(text.slice(begin, nameStart))?.[0].length ?? 0
    let end = at + 1
    for (let line = at + 1; line < text.length;) {
      const next = this.lineEnd(line)
      const indent = this.at(SPACE, line) ?? line
      if (indent < next && indent - line <= depth) break
      if (indent < next) end = next
      line = next + 1
    }
    return end > at + 1 ? this.hide([this.at(SPACE, at + 1) ?? at + 1, end]) : at
  }

  /** Of a value that has its line to itself, blanks included. */
  protected restOfLine(at: number): number {
    const line = this.text.slice(at, this.lineEnd(at))
    const next = line.search(NEXT_PAIR)
    return at + (next === -1 ? line : line.slice(0, next)).trimEnd().replace(/[",;'}\]]{1,4}$/, '').length
  }

  protected startsLine(at: number): boolean {
    return LINE_START.test(at <= 40 ? `\n${this.before(at, 40)}` : this.before(at, 40))
  }

  /** Known until it is passed: many names may stand on one long line. */
  protected lineEnd(at: number): number {
    if (at < this.line[0] || at > this.line[1]) {
      const newline = this.text.indexOf('\n', at)
      this.line = [at, newline === -1 ? this.text.length : newline]
    }
    return this.line[1]
  }

  protected group(pattern: RegExp, index: number): {readonly end: number; readonly text: string} | undefined {
    pattern.lastIndex = index
    const match = pattern.exec(this.text)
    return match ? {end: index + match[0].length, text: match[1] ?? ''} : undefined
  }

  /** Where a pattern ends that is found here; undefined where it is not. */
  protected at(pattern: RegExp, index: number): number | undefined {
    pattern.lastIndex = index
    return pattern.test(this.text) ? pattern.lastIndex : undefined
  }

  protected sticky(pattern: RegExp, at: number, head?: RegExp): number {
    const end = this.at(pattern, at)
    if (end === undefined) return at
    return this.hide([head === undefined ? at : (this.at(head, at) ?? at), end])
  }

  protected before(at: number, length: number): string {
    return this.text.slice(Math.max(0, at - length), at)
  }

  protected hide(range: Range): number {
    if (range[1] > range[0]) this.found.push(range)
    return range[1]
  }
}
