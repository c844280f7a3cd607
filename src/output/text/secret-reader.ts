// Reads the value that belongs to a word of a text, in the notation that the text around it shows: a pair, a flag,
// an element of XML, a cell of CSV, a header.
import {isProse, isSecretName} from './secret-names.js'
import {BLANKS, LONGEST_QUOTED, NEAR, OPENING, QUOTE, type Range, SEPARATOR, ValueReader} from './value-reader.js'

/** Between a flag and its value: blanks, the quotes of a list in JSON, or an item of a list in YAML. Another flag is not a value. */
const FLAG_GAP = new RegExp(
  String.raw`(?:${BLANKS}{1,60}|${QUOTE}(?:,\s{0,100}|${BLANKS}{1,60})(?=${QUOTE})|(?:${QUOTE})?,?\r?\n${BLANKS}{0,100}- )(?!${QUOTE}?--?[A-Za-z])`,
  'y',
)
const PORTS = /(?:[\d.]{7,15}:)?(?:(?:\d{1,5}(?:-\d{1,5})?)?:)?\d{1,5}(?:-\d{1,5})?(?:\/\w{3,4})?(?=[\\"'\s,\]]|$)/y
/** Up to the password; in a URL that is found elsewhere. */
const USER_NAME = /[^\s:]{1,100}:(?!\/\/)/y
const LONGEST_USER = 100
const SHELL_END = /[\];|&]|(?<!,)\n/

/** {"name": "TOKEN", "value": "X"}, as lists of variables have it in JSON, YAML, Go, XML and PowerShell. */
const QUOTED_NAME = new RegExp(String.raw`${BLANKS}{0,60}${QUOTE}([\w.$ -]{1,120})(?=${QUOTE})`, 'y')
const BARE_NAME = /[^\S\n]{0,60}([\w.$-]{1,120})/y
const ELEMENT_NAME = />\s{0,60}([\w.$ -]{1,120})</y
const ELEMENT_END = /[^<>\n]{0,200}>/y
const VALUE_ATTRIBUTE = /\s(?:value|val|content|data|string|text|plaintext)\s{0,8}=\s{0,8}/i
/** Between two cells of a line of CSV, both in quotes. */
const CELL_GAP = /"[,;\t](?=")/y

const HEADER_GAP = /[^\S\n]*\[?\\{0,8}["'`]?/y
const SCHEME = /[A-Za-z][\w-]{1,20}[^\S\n]{1,8}(?=[^\s"'\\\]])/y
const HEADER_LINE = /(?:[^\n\\]|\\(?![nr]))+/y
const IN_SINGLE = /(?:[^'\n\]\\]|\\(?![nr'"]))+/y
const IN_DOUBLE = /(?:[^"`\n\]\\]|\\(?![nr'"]))+/y

const AUXILIARY =
  /(?:\bcheck [\w-]{1,40}:|\b(?:can|cannot|could|did|do|does|may|might|must|not|shall|should|will|would)|n't) $/i
const IS_PROSE_OF = /[^\S\n](?:is|was|is now|set to|changed to)[^\S\n]{1,4}:?[^\S\n]{0,4}(?=["'`]|(?=\S{0,40}\d)\S{6})/y
/** Their next word is the name of an object, or they are verbs. */
const NAMES_AN_OBJECT = /(?<!(?:client|app|shared)[-_.]?)secrets?$|^(?:pass|pw|pat)$|\.key$/i
const IS_PASSWORD = /passw(?:or)?d$|passphrase$|pwd$/i
const UNUSUAL_WORD = /[\w!@#$%^*+~.-]{8,4000}={0,2}(?=[\s"'`,;)\]}<\\]|$)/y
/** Letters and digits, but not a name in DNS, a file, a number with its unit or an address in memory. */
const isUnusual = (word: string): boolean =>
  /\d/.test(word) &&
  /[A-Za-z]/.test(word) &&
  !/^(?:[a-z][a-z\d]*(?:[-._][a-z\d]+)+|[\d.]+(?:[num]?s|m|h|seconds?|minutes?|hours?|bytes|[KMG]i?B)|0x[\da-f]+)\.?$/.test(
    word,
  )

export interface Word {
  /** Behind the name; the word may have dots and dashes there. */
  readonly after: number
  /** "--token", "/token". */
  readonly isFlag: boolean
  /** The name is one of a secret. */
  readonly isSecret: boolean
  readonly name: string
  readonly start: number
}

export class SecretReader extends ValueReader {
  /** Whether a word before, on this command line, asks for a password. */
  login = false
  /** The first colon from the place where one was looked for. */
  #colon = -1
  /** Where the last word "value" ends that had no name before it. */
  #unnamed: number | undefined

  /** What is between two words may end a command line, or a pair of name and value. */
  crossGap(from: number, to: number): void {
    const gap = this.text.slice(from, to)
    if (this.login && SHELL_END.test(gap)) this.login = false
    if (this.#unnamed && /\}|\n[^\S\n]{0,200}-|<\//.test(gap)) this.#unnamed = undefined
  }

  /** The value of a secret name. */
  secret({after, isFlag, name, start}: Word): number {
    const separated = this.at(SEPARATOR, after)
    if (separated === undefined) {
      if (isFlag) return this.flagValue(after, false)
      if (this.#isElement(start)) return this.#element(after)
      const cell = this.#cell(start, after)
      if (cell) return this.hide(cell)
      const said = this.at(IS_PROSE_OF, after)
      if (said !== undefined) return this.valueAt(said, start)
      // A line of netrc: login bob password X.
      return this.login && /^password$/i.test(name) && this.before(start, 60).includes('login ')
        ? this.flagValue(after, false)
        : this.#wordAfter(name, start, after)
    }
    const space = this.space(separated)
    if (/pass$/i.test(name) && this.#isVerdict(start, separated, space)) return separated
    if (/s$/i.test(name) && /^\d{1,6}(?![\w.-])/.test(this.text.slice(space, space + 8))) return separated
    return this.valueAt(space, start)
  }

  /** "using token "X"", "password X", and the next item of a list: only what no ordinary word or name looks like. */
  #wordAfter(name: string, start: number, after: number): number {
    const at = NAMES_AN_OBJECT.test(name) ? undefined : this.at(FLAG_GAP, after)
    if (at === undefined) return after
    if (this.text.slice(after, at).includes('\n') && !/- \\{0,8}["']?$/.test(this.before(start, 12))) return after
    const from = this.at(OPENING, at) ?? at
    const end = this.at(UNUSUAL_WORD, from)
    if (end === undefined) return after
    const word = this.text.slice(from, end)
    const isQuoted = from > at && IS_PASSWORD.test(name) && this.text.slice(after, at).trim() === '' && !isProse(word)
    return isQuoted || isUnusual(word) ? this.hide([from, end]) : after
  }

  /** "pass: 3 checks" counts; "check disk: pass: 96 GB free", as k8s-win logs it, and "did pass: ok" are no passwords. */
  #isVerdict(start: number, separated: number, space: number): boolean {
    if (/^\d{1,3}(?:[\s,;.)]|$)/.test(this.text.slice(space, space + 4))) return true
    return this.text[separated - 1] === ':' && space > separated && AUXILIARY.test(this.before(start, 60))
  }

  /** "--token X", "-Password X" */
  flagValue(after: number, isShort: boolean): number {
    const at = this.at(FLAG_GAP, after) ?? (isShort && this.text[after] === ':' ? after + 1 : undefined)
    if (at === undefined) return after
    const quoted = this.quoted(at)
    if (isShort && this.at(PORTS, quoted?.[0] ?? at) !== undefined) return after
    const range = quoted ?? this.value(at)
    if (!range || isProse(this.text.slice(range[0], quoted ? range[1] : Math.min(range[1], at + 40)))) return after
    return this.hide(range)
  }

  /** curl -u bob:X; of numbers it is a user and a group. */
  userAndPassword(after: number): number {
    const at = this.at(FLAG_GAP, after) ?? (this.text[after] === '=' ? after + 1 : undefined)
    if (at === undefined) return after
    const [from = at, quotedTo] = this.quoted(at) ?? []
    const password = this.#colonNear(from) ? this.at(USER_NAME, from) : undefined
    if (password === undefined || (quotedTo !== undefined && password > quotedTo)) return after
    const end = quotedTo ?? this.bare(at) ?? password
    if (/^(?:\d+:\d+$|system:)/.test(this.text.slice(from, Math.min(end, from + 200)))) return after
    return this.hide([password, end])
  }

  /** Remembered until it is passed. */
  #colonNear(at: number): boolean {
    if (at > this.#colon) {
      const colon = this.text.indexOf(':', at)
      this.#colon = colon === -1 ? Infinity : colon
    }
    return this.#colon - at <= LONGEST_USER
  }

  /** The "name" of a pair; its value may come before or after. */
  nameOfPair(after: number): number {
    const separated = this.at(SEPARATOR, after) ?? this.#afterParameter(after)
    const found =
      separated === undefined
        ? this.#group(ELEMENT_NAME, after)
        : (this.#group(QUOTED_NAME, separated) ?? this.#group(BARE_NAME, separated))
    if (!found) return after
    this.named = -1
    if (!isSecretName(found.text.trim())) return after
    this.named = found.end + NEAR
    if (this.#unnamed !== undefined && after - this.#unnamed < NEAR) {
      const range = this.#pairValue(this.#unnamed)
      if (range) this.hide(range)
    }
    this.#unnamed = undefined
    return found.end
  }

  valueOfPair(after: number): number {
    // "-PropertyType String" has a word for a value, and none.
    if ((this.at(SEPARATOR, after) ?? this.#afterParameter(after) ?? this.at(ELEMENT_END, after)) === undefined)
      return after
    this.#unnamed = after > this.named ? after : undefined
    if (after > this.named) return after
    const range = this.#pairValue(after)
    if (!range || range[0] === range[1]) return after
    return this.block(range[0], after) ?? this.hide(range)
  }

  #group(pattern: RegExp, index: number): {readonly end: number; readonly text: string} | undefined {
    pattern.lastIndex = index
    const match = pattern.exec(this.text)
    return match ? {end: index + match[0].length, text: match[1] ?? ''} : undefined
  }

  /** Set-ItemProperty -Name DefaultPassword -Value X */
  #afterParameter(after: number): number | undefined {
    return this.text[this.#wordStart(after) - 1] === '-' ? this.at(FLAG_GAP, after) : undefined
  }

  #wordStart(after: number): number {
    let start = after
    while (start > 0 && /\w/.test(this.text[start - 1] ?? '') && after - start < 20) start--
    return start
  }

  #pairValue(after: number): Range | undefined {
    const parameter = this.#afterParameter(after)
    if (parameter !== undefined) return this.value(parameter)
    const separated = this.at(SEPARATOR, after)
    if (separated === undefined) {
      const at = this.at(ELEMENT_END, after)
      const end = at === undefined || this.text[at - 2] === '/' ? -1 : this.text.indexOf('<', at)
      return at === undefined || end === -1 || end - at > LONGEST_QUOTED ? undefined : [at, end]
    }
    const at = this.space(separated)
    const quoted = this.quoted(at)
    if (quoted) return quoted
    const end = this.bare(at)
    if (end === undefined) return undefined
    return [at, this.startsLine(this.#wordStart(after)) ? Math.max(end, this.restOfLine(at)) : end]
  }

  /** "<password", "<w:password" */
  #isElement(start: number): boolean {
    const before = this.text[start - 1]
    return before === '<' || (before === ':' && /<[\w-]{1,30}:$/.test(this.before(start, 32)))
  }

  /** <password>X</password>, also with another element inside, as in an answer file of Windows. */
  #element(after: number): number {
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

  /** "password","X" of CSV: where the two have the line to themselves, or the value has a quote in it. Else it is a list of names. */
  #cell(start: number, after: number): Range | undefined {
    const at = this.at(CELL_GAP, after)
    const value = at === undefined ? undefined : this.quoted(at)
    if (!value) return undefined
    const isLine =
      /^\n?"$/.test(this.before(start, 2)) && /^(?:\r?\n|$)/.test(this.text.slice(value[1] + 1, value[1] + 3))
    return isLine || this.text.slice(...value).includes('""') ? value : undefined
  }

  /** The value of Authorization without its scheme; of a cookie all of it. Both end with the line, or what they are quoted in. */
  header({after, name, start}: Word): number {
    const separated = this.at(SEPARATOR, after)
    if (separated === undefined) return after
    const {text} = this
    const isCookie = /cookie/i.test(name)
    const space = this.at(HEADER_GAP, separated) ?? separated
    const from = (isCookie ? undefined : this.at(SCHEME, space)) ?? space
    if (isProse(/^[^\s"']{0,40}/.exec(text.slice(space, space + 40))?.[0] ?? '')) return from
    const enclosing = /["'`]/.exec(text[from - 1] ?? '')?.[0] ?? /["'`]/.exec(text[start - 1] ?? '')?.[0]
    const isDigest = !isCookie && enclosing === undefined && /^digest/i.test(text.slice(space, from))
    return this.hideMatch(isDigest ? HEADER_LINE : enclosing === "'" ? IN_SINGLE : IN_DOUBLE, from)
  }

  /** Docker's config.json. */
  auth(after: number): number {
    const separated = this.at(SEPARATOR, after)
    const quoted = separated === undefined ? undefined : this.quoted(this.space(separated))
    return quoted && /^[\w+/=-]{4,}$/.test(this.text.slice(...quoted)) ? this.hide(quoted) : after
  }
}
