// Finds the value of a name that is secret, where something between them says that it is one: key=value, JSON, YAML, Go's
// structs, headers, cells of CSV.
import {isProse} from './secret-names.js'
import {BARE, BLANKS, LONGEST_QUOTED, QUOTE, type Range, REFERENCE, SPACE, ValueReader} from './value-reader.js'

export const SEPARATOR = new RegExp(String.raw`(?:${QUOTE}){0,2}\]?${BLANKS}{0,60}(?::=|=>|={1,3}|:)(?!//)`, 'y')
const TYPED_LIST = /\[\]\w{2,10}[({]/y
/** YAML: "|", ">-" and so on, perhaps after a tag or an anchor, and nothing else on the line. */
export const BLOCK = /(?:[!&][\w!:/.-]{0,60}[^\S\n]+){0,2}[|>][-+\d]{0,3}[^\S\n]*(?:#[^\n]*)?(?=\n)/y
/** The same in a text that was put into another: its line ends are escaped. */
const ESCAPED_BLOCK = /[|>][-+\d]{0,3}(?:\\{1,4}r)?\\{1,4}n {1,40}/y
const ESCAPED_LINE = /[^\\"\n]*/y
const ESCAPED_MORE = /(?:\\{1,4}r)?\\{1,4}n {2,40}/y
/** Between two cells of a line, both in quotes. */
const CELL_GAP = /"[,;\t](?=")/y
const SCHEME = /[A-Za-z][\w-]{1,20}[^\S\n]{1,8}(?=[^\s"'\\\]])/y
const HEADER_LINE = /(?:[^\n\\]|\\(?![nr]))+/y
const IN_SINGLE = /(?:[^'\n\]\\]|\\(?![nr'"]))+/y
const IN_DOUBLE = /(?:[^"`\n\]\\]|\\(?![nr'"]))+/y
const EMPTY_LINES = /(?:[^\S\n]{0,100}\n){1,3}/y
/** A value belongs to a name that stands so near before or after it. */
export const NEAR = 400

export class NamedValueReader extends ValueReader {
  /** Up to here a "value" belongs to the secret name before it. */
  protected named = -1

  protected valueAt(at: number, nameStart: number): number {
    const text = this.text
    const block = this.at(BLOCK, at)
    if (block !== undefined) return this.indented(block, nameStart)
    if (at >= text.length || text[at] === '\n') return this.nextLine(at, nameStart)
    const escaped = this.escapedBlock(at)
    if (escaped !== undefined) return escaped
    if (this.at(REFERENCE, at) !== undefined) return at
    const quoted = this.quoted(at)
    if (quoted) return this.hide(quoted)
    const typed = this.at(TYPED_LIST, at)
    if (typed !== undefined || text[at] === '[') return this.list(typed ?? at + 1)
    if (text[at] === '{' || text[at] === '<') {
      this.named = at + NEAR
      return at
    }
    const end = this.at(BARE, at)
    if (end === undefined) return at
    const isAlone = this.startsLine(nameStart)
    const to = isAlone ? Math.max(end, this.restOfLine(at)) : end
    // "password: correct horse battery" is one, "password: is empty" is not.
    const words = text.slice(at, Math.min(isAlone ? to : end, at + 80)).split(/\s{1,80}/)
    return words.every((word) => isProse(word)) ? at : this.hide([at, to])
  }

  /** A value on the line below, further in; a mapping there has names of its own. */
  protected nextLine(at: number, nameStart: number): number {
    const text = this.text
    const line = this.at(EMPTY_LINES, at + 1) ?? at + 1
    const begin = this.at(SPACE, line) ?? line
    const first = text.slice(begin, Math.min(this.lineEnd(begin), begin + 100))
    // A sentence or a command may follow "with this token:" after an empty line.
    if (line > at + 1 && /\S\s+\S/.test(first)) return at
    if (begin === line || first === '' || /^[^"'][^"']{0,80}:(?:\s|$)/.test(first)) return at
    return this.indented(line - 1, nameStart)
  }

  protected escapedBlock(at: number): number | undefined {
    const begin = this.at(ESCAPED_BLOCK, at)
    if (begin === undefined) return undefined
    const more = new RegExp(ESCAPED_MORE)
    for (let line = begin; ;) {
      const end = this.at(ESCAPED_LINE, line) ?? line
      more.lastIndex = end
      const isMore = more.test(this.text)
      line = more.lastIndex
      if (!isMore || /^[\w.-]{1,60}: /.test(this.text.slice(line, line + 64))) return this.hide([begin, end])
    }
  }

  protected list(at: number): number {
    const stretch = this.text.slice(at, at + LONGEST_QUOTED)
    const length = stretch.search(/[\]})\n]/)
    if (length > 0) return this.hide([at, at + length])
    const newline = stretch.indexOf('\n')
    return length === 0 ? at : this.hide([at, newline === -1 ? at + stretch.length : at + newline])
  }

  /** "password","X" of CSV: where the two have the line to themselves, or the value has a quote in it. Else it is a list of names. */
  protected cell(start: number, after: number): Range | undefined {
    const at = this.at(CELL_GAP, after)
    const value = at === undefined ? undefined : this.quoted(at)
    if (!value) return undefined
    const isLine =
      /^\n?"$/.test(this.before(start, 2)) && /^(?:\r?\n|$)/.test(this.text.slice(value[1] + 1, value[1] + 3))
    return isLine || this.text.slice(...value).includes('""') ? value : undefined
  }

  /** The value of Authorization without its scheme; of a cookie all of it. Both end with the line, or what they are quoted in. */
  protected header(start: number, after: number, isCookie: boolean): number {
    const separated = this.at(SEPARATOR, after)
    if (separated === undefined) return after
    const text = this.text
    const space = this.at(/[^\S\n]*\[?\\{0,8}["'`]?/y, separated) ?? separated
    const from = (isCookie ? undefined : this.at(SCHEME, space)) ?? space
    if (isProse(/^[^\s"']{0,40}/.exec(text.slice(space, space + 40))?.[0] ?? '')) return from
    const enclosing = /["'`]/.exec(text[from - 1] ?? '')?.[0] ?? /["'`]/.exec(text[start - 1] ?? '')?.[0]
    const isDigest = !isCookie && /^digest/i.test(text.slice(space, from))
    const end = this.at(
      isDigest && enclosing === undefined ? HEADER_LINE : enclosing === "'" ? IN_SINGLE : IN_DOUBLE,
      from,
    )
    return end === undefined ? from : this.hide([from, end])
  }

  /** Docker's config.json. */
  protected auth(after: number): number {
    const separated = this.at(SEPARATOR, after)
    const quoted = separated === undefined ? undefined : this.quoted(this.at(SPACE, separated) ?? separated)
    return quoted && /^[\w+/=-]{4,}$/.test(this.text.slice(...quoted)) ? this.hide(quoted) : after
  }
}
