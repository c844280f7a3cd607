// Finds values whose names stand in another field, parameter or element: {"name": "TOKEN", "value": "X"}, in JSON, YAML, Go,
// XML and PowerShell; and the elements of XML that are named after a secret.
import {isSecretName} from './secret-names.js'
import {BLOCK, NamedValueReader, NEAR, SEPARATOR} from './value-of-name.js'
import {BARE, BLANKS, LONGEST_QUOTED, QUOTE, type Range, SPACE} from './value-reader.js'

/** Between a flag and its value: blanks, the quotes of a list in JSON, or an item of a list in YAML. Another flag is no value. */
export const FLAG_GAP = new RegExp(
  String.raw`(?:${BLANKS}{1,60}|${QUOTE}(?:,\s{0,100}|${BLANKS}{1,60})(?=${QUOTE})|(?:${QUOTE})?,?\r?\n${BLANKS}{0,100}- )(?!${QUOTE}?--?[A-Za-z])`,
  'y',
)
/** A name that is the value of "name". */
const QUOTED_NAME = new RegExp(String.raw`${BLANKS}{0,60}${QUOTE}([\w.$ -]{1,120})(?=${QUOTE})`, 'y')
const BARE_NAME = /[^\S\n]{0,60}([\w.$-]{1,120})/y
const ELEMENT_NAME = />\s{0,60}([\w.$ -]{1,120})</y
const ELEMENT_END = /[^<>\n]{0,200}>/y
const VALUE_ATTRIBUTE = /\s(?:value|val|content|data|string|text|plaintext)\s{0,8}=\s{0,8}/i

export class PairReader extends NamedValueReader {
  /** Where the last word "value" ends that had no name before it. */
  protected unnamed: number | undefined

  /** {"name": "TOKEN", "value": "X"}, as lists of variables have it in JSON, YAML, Go and XML; also the other way round. */
  protected readName(after: number): number {
    const separated = this.at(SEPARATOR, after) ?? this.afterParameter(after)
    const found =
      separated === undefined
        ? this.group(ELEMENT_NAME, after)
        : (this.group(QUOTED_NAME, separated) ?? this.group(BARE_NAME, separated))
    if (!found) return after
    this.named = -1
    if (!isSecretName(found.text.trim())) return after
    this.named = found.end + NEAR
    if (this.unnamed !== undefined && after - this.unnamed < NEAR) {
      const range = this.pairValue(this.unnamed)
      if (range) this.hide(range)
    }
    this.unnamed = undefined
    return found.end
  }

  protected readValue(after: number): number {
    // "-PropertyType String" has a word for a value, and none.
    if ((this.at(SEPARATOR, after) ?? this.afterParameter(after) ?? this.at(ELEMENT_END, after)) === undefined)
      return after
    this.unnamed = after > this.named ? after : undefined
    if (after > this.named) return after
    const range = this.pairValue(after)
    if (!range || range[0] === range[1]) return after
    const block = this.at(BLOCK, range[0])
    return block === undefined ? this.hide(range) : this.indented(block, after - 1)
  }

  /** Set-ItemProperty -Name DefaultPassword -Value X */
  protected afterParameter(after: number): number | undefined {
    return this.text[this.wordStart(after) - 1] === '-' ? this.at(FLAG_GAP, after) : undefined
  }

  protected wordStart(after: number): number {
    let start = after
    while (start > 0 && /\w/.test(this.text[start - 1] ?? '') && after - start < 20) start--
    return start
  }

  protected pairValue(after: number): Range | undefined {
    const parameter = this.afterParameter(after)
    if (parameter !== undefined) return this.value(parameter)
    const separated = this.at(SEPARATOR, after)
    if (separated === undefined) {
      const at = this.at(ELEMENT_END, after)
      const end = at === undefined || this.text[at - 2] === '/' ? -1 : this.text.indexOf('<', at)
      return at === undefined || end === -1 || end - at > LONGEST_QUOTED ? undefined : [at, end]
    }
    const at = this.at(SPACE, separated) ?? separated
    const quoted = this.quoted(at)
    if (quoted) return quoted
    const end = this.at(BARE, at)
    if (end === undefined) return undefined
    return [at, this.startsLine(this.wordStart(after)) ? Math.max(end, this.restOfLine(at)) : end]
  }

  /** "<password", "<w:password" */
  protected isElement(start: number): boolean {
    const before = this.text[start - 1]
    return before === '<' || (before === ':' && /<[\w-]{1,30}:$/.test(this.before(start, 32)))
  }

  /** <password>X</password>, also with another element inside, as in an answer file of Windows. */
  protected element(after: number): number {
    const at = this.at(ELEMENT_END, after)
    // Up to here an attribute "value" is the secret.
    this.named = at ?? after + NEAR
    if (at === undefined || this.text[at - 2] === '/') return after
    const attribute = VALUE_ATTRIBUTE.exec(this.text.slice(after, at))
    const range = attribute && this.quoted(after + attribute.index + attribute[0].length)
    if (range) this.hide(range)
    const end = this.text.indexOf('<', at)
    const to = end === -1 ? Math.min(this.text.length, at + LONGEST_QUOTED) : end
    this.named = at + NEAR
    return this.text.slice(at, Math.min(to, at + 200)).trim() === '' ? at : this.hide([at, to])
  }
}
