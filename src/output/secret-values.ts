// Finds the values of names that are secret in any text: key=value, JSON, YAML, Go's structs, XML, headers, command lines.
// It reads from word to word and never steps back: every pattern is tried at one place, and is bounded or uses up what it reads.
import {isProse, isSecretName, isSecretParameter} from './secret-names.js'

/** From, to. */
export type Range = readonly [from: number, to: number]

const WORD = /[A-Za-z_\u00C0-\u024F][\w.$\u00C0-\u024F-]*/g
/** Also where they are escaped because the text was put into another. */
const QUOTE = String.raw`(?:\\{0,8}["'${'`'}]|&quot;|&#3[49];|\\{1,4}u0022)`
const BLANKS = String.raw`[^\S\n]`
const SEPARATOR = new RegExp(String.raw`(?:${QUOTE}){0,2}\]?${BLANKS}{0,60}(?::=|=>|={1,3}|:)(?!//)`, 'y')
const OPENING = new RegExp(QUOTE, 'y')
const SPACE = new RegExp(`${BLANKS}*`, 'y')
/** Between a flag and its value: blanks, the quotes of a list in JSON, or an item of a list in YAML. Another flag is no value. */
const FLAG_GAP = new RegExp(
  String.raw`(?:${BLANKS}{1,60}|${QUOTE}(?:,\s{0,100}|${BLANKS}{1,60})(?=${QUOTE})|(?:${QUOTE})?,?\r?\n${BLANKS}{0,100}- )(?!${QUOTE}?--?[A-Za-z])`,
  'y',
)
/** Up to a blank or what ends a value in a list; such a mark with a letter right behind it may be part of a password. */
const BARE = new RegExp(
  String.raw`(?:[^\s"'${'`'},;}\])<>&\\]|\\(?!["'${'`'}]|u0026|[nrt][\w.-]{1,60}\s?[:=])|["'${'`'}\]}),;&](?=[\w$!@#%^*+=.-])(?![\w.-]{1,60}[=:])|\](?=\])|&(?![a-z]{2,5};|[\w.-]{1,60}=))+`,
  'y',
)
/** Two that begin a value; before a blank or what ends one they are an empty value. */
const DOUBLED = /""(?=[^\s"',;:)\]}&])/y
/** The value of a parameter in a URL. */
const PARAMETER = /[^&#\s"'<>\\]+/y
const TYPED_LIST = /\[\]\w{2,10}[({]/y
const REFERENCE = /\$\{|\$\(|\$env:|%[a-z]\b|\{\{|<[a-z ]{1,30}>/iy
/** YAML: "|", ">-" and so on, perhaps after a tag or an anchor, and nothing else on the line. */
const BLOCK = /(?:[!&][\w!:/.-]{0,60}[^\S\n]+){0,2}[|>][-+\d]{0,3}[^\S\n]*(?:#[^\n]*)?(?=\n)/y
/** The same in a text that was put into another: its line ends are escaped. */
const ESCAPED_BLOCK = /[|>][-+\d]{0,3}(?:\\{1,4}r)?\\{1,4}n {1,40}/y
const ESCAPED_LINE = /[^\\"\n]*/y
const ESCAPED_MORE = /(?:\\{1,4}r)?\\{1,4}n {2,40}/y
/** Before the name of what stands alone on its line. */
const LINE_START = /\n(?:[^\S\n]|- |["'`]|#|export |setx? |\$env:|\$)*$/i
const NEXT_PAIR = /[\s,;]\s?["']?[\w.-]{1,60}["']?\s?[=:]|[^\S\n]#/
const AUXILIARY =
  /(?:\bcheck [\w-]{1,40}:|\b(?:can|cannot|could|did|do|does|may|might|must|not|shall|should|will|would)|n't) $/i
const PORTS = /(?:[\d.]{7,15}:)?(?:(?:\d{1,5}(?:-\d{1,5})?)?:)?\d{1,5}(?:-\d{1,5})?(?:\/\w{3,4})?(?=[\\"'\s,\]]|$)/y
/** Who asks for a password with -p; elsewhere that is a port, a path, a project. */
const LOGIN =
  /^(?:login|(?:mysql|mariadb|mongo|psql)\w{0,10}|sqlcmd|sshpass|sshpass\.exe|user(?:name)?|u|[\w-]{0,30}-(?:user(?:name)?|pass(?:word)?)|password)$/i
/** Up to the password, which a URL does not have here. */
const USER_NAME = /[^\s:]{1,100}:(?!\/\/)/y
const LONGEST_USER = 100
/** Between two cells of a line, both in quotes. */
const CELL_GAP = /"[,;\t](?=")/y
const SHELL_END = /[\];|&]|(?<!,)\n/
const NAMES_A_VALUE = /^(?:name|key|variable|header|property|field|setting)$/i
const IS_THE_VALUE = /^(?:value|val|content|data|string|text|plaintext)$/i
const HEADER = /^(?:proxy-|x-forwarded-)?authorization$|^(?:set-)?cookie2?$/i
const SCHEME = /[A-Za-z][\w-]{1,20}[^\S\n]{1,8}(?=[^\s"'\\\]])/y
const HEADER_LINE = /(?:[^\n\\]|\\(?![nr]))+/y
const IN_SINGLE = /(?:[^'\n\]\\]|\\(?![nr'"]))+/y
const IN_DOUBLE = /(?:[^"`\n\]\\]|\\(?![nr'"]))+/y
/** A name that is the value of "name". */
const QUOTED_NAME = new RegExp(String.raw`${BLANKS}{0,60}${QUOTE}([\w.$ -]{1,120})(?=${QUOTE})`, 'y')
const BARE_NAME = /[^\S\n]{0,60}([\w.$-]{1,120})/y
const ELEMENT_NAME = />\s{0,60}([\w.$ -]{1,120})</y
const ELEMENT_END = /[^<>\n]{0,200}>/y
const BEARER = /[^\S\n]{1,8}["']?(?!(?:token|auth|scheme|header|realm|challenge)\w*\b)[\w.~+/=-]{6,}/iy
const IS_PROSE_OF = /[^\S\n](?:is|was|is now|set to|changed to)[^\S\n]{1,4}:?[^\S\n]{0,4}(?=["'`]|(?=\S{0,40}\d)\S{6})/y
const VALUE_ATTRIBUTE = /\s(?:value|val|content|data|string|text|plaintext)\s{0,8}=\s{0,8}/i
const EMPTY_LINES = /(?:[^\S\n]{0,100}\n){1,3}/y
/** Their next word is the name of an object, or they are verbs. */
const NAMES_AN_OBJECT = /(?<!(?:client|app|shared)[-_.]?)secrets?$|^(?:pass|pw|pat)$|\.key$/i
const IS_PASSWORD = /passw(?:or)?d$|passphrase$|pwd$/i
const UNUSUAL_WORD = /[\w!@#$%^*+~.-]{8,4000}={0,2}(?=[\s"'`,;)\]}<\\]|$)/y
const LONGEST_QUOTED = 4000
/** A value belongs to a name that stands so near before or after it. */
const NEAR = 400

/** Words that are worth a closer look: most are not. */
const TELLING =
  /pass|pw|pat|secret|token|cred|auth|key|conn|cfg|config|sess|mnemonic|psk|kennwort|contrase|senha|signature|cookie|bearer|negotiate|ntlm|login|user|mysql|maria|mongo|psql|sqlcmd|^(?:name|variable|header|property|field|setting|value|val|content|data|string|text|plaintext|u|r?p)[.-]*$/i

/** Letters and digits, but not a name in DNS, a file, a number with its unit or an address in memory. */
const isUnusual = (word: string): boolean =>
  /\d/.test(word) &&
  /[A-Za-z]/.test(word) &&
  !/^(?:[a-z][a-z\d]*(?:[-._][a-z\d]+)+|[\d.]+(?:[num]?s|m|h|seconds?|minutes?|hours?|bytes|[KMG]i?B)|0x[\da-f]+)\.?$/.test(
    word,
  )

/** The ranges of all values that are secret by their names, in their order. */
export function secretValues(text: string): Range[] {
  return new Reader(text).read()
}

export class Reader {
  readonly #found: Range[] = []
  /** Of the last word that asks for a password on this command line. */
  #login = -1
  /** Up to here a "value" belongs to the secret name before it. */
  #named = -1
  /** The first colon from the place where one was looked for. */
  #colon = -1
  /** The end of the line that is being read. */
  #line: Range = [0, -1]
  /** Where the last word "value" ends that had no name before it. */
  #unnamed: number | undefined
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  read(): Range[] {
    const word = new RegExp(WORD)
    let end = 0
    for (let match = word.exec(this.#text); match; match = word.exec(this.#text)) {
      const [name] = match
      this.#crossGap(end, match.index)
      end = Math.max(match.index + name.length, this.#word(name, match.index))
      word.lastIndex = end
    }
    return this.#found
  }

  /** The value that is known to stand here: quoted, or up to a blank. A reference to a variable is not a value. */
  value(at: number): Range | undefined {
    if (this.#at(REFERENCE, at) !== undefined) return undefined
    const quoted = this.#quoted(at)
    if (quoted) return quoted
    const end = this.#at(BARE, at)
    return end === undefined ? undefined : [at, end]
  }

  /** The same where the value has the rest of the line to itself. */
  lineValue(at: number): Range | undefined {
    const value = this.value(at)
    return value && [value[0], Math.max(value[1], this.#restOfLine(at))]
  }

  /** What stands between two words ends a command line, or a pair of name and value. */
  #crossGap(from: number, to: number): void {
    const gap = this.#text.slice(from, to)
    if (this.#login >= 0 && SHELL_END.test(gap)) this.#login = -1
    if (this.#unnamed && /\}|\n[^\S\n]{0,200}-|<\//.test(gap)) this.#unnamed = undefined
  }

  /** Returns where to read on. */
  #word(word: string, start: number): number {
    const end = start + word.length
    const before = this.#text[start - 1] ?? ''
    const isParameter = this.#isParameter(before, start)
    if (!isParameter && !TELLING.test(word.length > 120 ? word.slice(-120) : word)) return end
    let after = end
    while (this.#text[after - 1] === '.' || this.#text[after - 1] === '-') after--
    const name = this.#text.slice(start, after)
    if (isParameter && this.#text[after] === '=' && isSecretParameter(name)) {
      return this.#sticky(PARAMETER, after + 1)
    }
    if (NAMES_A_VALUE.test(name)) return this.#readName(after)
    // What "netsh wlan show profile key=clear" prints.
    if (/^content$/i.test(name) && /\bkey $/i.test(this.#before(start, 5)))
      return this.#secret(name, start - 4, after, false)
    if (IS_THE_VALUE.test(name)) return this.#readValue(after)
    if (HEADER.test(name)) return this.#header(start, after, /cookie/i.test(name))
    if (/^(?:bearer|negotiate|ntlm)$/i.test(name)) return this.#sticky(BEARER, after, /[^\S\n]{1,8}["']?/y)
    const isFlag = before === '-' || (before === '/' && /^$|\s/.test(this.#text[start - 2] ?? ''))
    if (isFlag && (name === 'p' || name === 'P' || name === 'rp') && this.#login >= 0)
      return this.#flagValue(after, true)
    if (isFlag && /^(?:u|user|proxy-user)$/i.test(name)) {
      this.#login = end
      return this.#userAndPassword(after)
    }
    if (LOGIN.test(name)) this.#login = end
    if (name.toLowerCase() === 'auth') return this.#auth(after)
    return isSecretName(name) || this.#isSpacedKey(name, start) ? this.#secret(name, start, after, isFlag) : end
  }

  /** "access key: X" */
  #isSpacedKey(name: string, start: number): boolean {
    return (
      /^keys?$/i.test(name) && /(?:access|account|api|private|secret|shared|signing) $/i.test(this.#before(start, 10))
    )
  }

  /** Also where the "&" is escaped. */
  #isParameter(before: string, start: number): boolean {
    if (before === '?' || before === '&') return true
    if (before === ';') return this.#text.startsWith('&amp;', start - 5)
    return before === '6' && this.#text.startsWith(String.raw`\u0026`, start - 6)
  }

  #secret(name: string, start: number, after: number, isFlag: boolean): number {
    const separated = this.#at(SEPARATOR, after)
    if (separated === undefined) {
      if (isFlag) return this.#flagValue(after, false)
      if (this.#isElement(start)) return this.#element(after)
      const cell = this.#cell(start, after)
      if (cell) return this.#hide(cell)
      const isTold = this.#at(IS_PROSE_OF, after)
      if (isTold !== undefined) return this.#valueAt(isTold, start)
      // A line of netrc: login bob password X.
      return this.#login >= 0 && /^password$/i.test(name) && this.#before(start, 60).includes('login ')
        ? this.#flagValue(after, false)
        : this.#wordAfter(name, start, after)
    }
    const space = this.#at(SPACE, separated) ?? separated
    if (/pass$/i.test(name) && this.#isVerdict(start, separated, space)) return separated
    if (/s$/i.test(name) && /^\d{1,6}(?![\w.-])/.test(this.#text.slice(space, space + 8))) return separated
    return this.#valueAt(space, start)
  }

  /** "password","X" of CSV: where the two have the line to themselves, or the value has a quote in it. Else it is a list of names. */
  #cell(start: number, after: number): Range | undefined {
    const at = this.#at(CELL_GAP, after)
    const value = at === undefined ? undefined : this.#quoted(at)
    if (!value) return undefined
    const isLine =
      /^\n?"$/.test(this.#before(start, 2)) && /^(?:\r?\n|$)/.test(this.#text.slice(value[1] + 1, value[1] + 3))
    return isLine || this.#text.slice(...value).includes('""') ? value : undefined
  }

  /** "using token "X"", "password X", and the next item of a list: only what no ordinary word or name looks like. */
  #wordAfter(name: string, start: number, after: number): number {
    const at = NAMES_AN_OBJECT.test(name) ? undefined : this.#at(FLAG_GAP, after)
    if (at === undefined) return after
    if (this.#text.slice(after, at).includes('\n') && !/- \\{0,8}["']?$/.test(this.#before(start, 12))) return after
    const from = this.#at(OPENING, at) ?? at
    const end = this.#at(UNUSUAL_WORD, from)
    if (end === undefined) return after
    const word = this.#text.slice(from, end)
    const isQuoted = from > at && IS_PASSWORD.test(name) && this.#text.slice(after, at).trim() === '' && !isProse(word)
    return isQuoted || isUnusual(word) ? this.#hide([from, end]) : after
  }

  /** "pass: 3 checks" counts; "check disk: pass: 96 GB free", as our own logs say it, and "did pass: ok" are no passwords. */
  #isVerdict(start: number, separated: number, space: number): boolean {
    if (/^\d{1,3}(?:[\s,;.)]|$)/.test(this.#text.slice(space, space + 4))) return true
    return this.#text[separated - 1] === ':' && space > separated && AUXILIARY.test(this.#before(start, 60))
  }

  #valueAt(at: number, nameStart: number): number {
    const text = this.#text
    const block = this.#at(BLOCK, at)
    if (block !== undefined) return this.#indented(block, nameStart)
    if (at >= text.length || text[at] === '\n') return this.#nextLine(at, nameStart)
    const escaped = this.#escapedBlock(at)
    if (escaped !== undefined) return escaped
    if (this.#at(REFERENCE, at) !== undefined) return at
    const quoted = this.#quoted(at)
    if (quoted) return this.#hide(quoted)
    const typed = this.#at(TYPED_LIST, at)
    if (typed !== undefined || text[at] === '[') return this.#list(typed ?? at + 1)
    if (text[at] === '{' || text[at] === '<') {
      this.#named = at + NEAR
      return at
    }
    const end = this.#at(BARE, at)
    if (end === undefined) return at
    const isAlone = this.#startsLine(nameStart)
    const to = isAlone ? Math.max(end, this.#restOfLine(at)) : end
    // "password: correct horse battery" is one, "password: is empty" is not.
    const words = text.slice(at, Math.min(isAlone ? to : end, at + 80)).split(/\s{1,80}/)
    return words.every((word) => isProse(word)) ? at : this.#hide([at, to])
  }

  /** Of a value that has its line to itself, blanks included. */
  #restOfLine(at: number): number {
    const line = this.#text.slice(at, this.#lineEnd(at))
    const next = line.search(NEXT_PAIR)
    return at + (next === -1 ? line : line.slice(0, next)).trimEnd().replace(/[",;'}\]]{1,4}$/, '').length
  }

  /** All lines that are further in than the name's. */
  #indented(at: number, nameStart: number): number {
    const text = this.#text
    const begin = text.lastIndexOf('\n', nameStart) + 1
    const depth = /^[^\S\n]*(?:- +)*/.exec(text.slice(begin, nameStart))?.[0].length ?? 0
    let end = at + 1
    for (let line = at + 1; line < text.length;) {
      const next = this.#lineEnd(line)
      const indent = this.#at(SPACE, line) ?? line
      if (indent < next && indent - line <= depth) break
      if (indent < next) end = next
      line = next + 1
    }
    return end > at + 1 ? this.#hide([this.#at(SPACE, at + 1) ?? at + 1, end]) : at
  }

  /** A value on the line below, further in; a mapping there has names of its own. */
  #nextLine(at: number, nameStart: number): number {
    const text = this.#text
    const line = this.#at(EMPTY_LINES, at + 1) ?? at + 1
    const begin = this.#at(SPACE, line) ?? line
    const first = text.slice(begin, Math.min(this.#lineEnd(begin), begin + 100))
    // A sentence or a command may follow "with this token:" after an empty line.
    if (line > at + 1 && /\S\s+\S/.test(first)) return at
    if (begin === line || first === '' || /^[^"'][^"']{0,80}:(?:\s|$)/.test(first)) return at
    return this.#indented(line - 1, nameStart)
  }

  #escapedBlock(at: number): number | undefined {
    const begin = this.#at(ESCAPED_BLOCK, at)
    if (begin === undefined) return undefined
    const more = new RegExp(ESCAPED_MORE)
    for (let line = begin; ;) {
      const end = this.#at(ESCAPED_LINE, line) ?? line
      more.lastIndex = end
      const isMore = more.test(this.#text)
      line = more.lastIndex
      if (!isMore || /^[\w.-]{1,60}: /.test(this.#text.slice(line, line + 64))) return this.#hide([begin, end])
    }
  }

  #list(at: number): number {
    const stretch = this.#text.slice(at, at + LONGEST_QUOTED)
    const length = stretch.search(/[\]})\n]/)
    if (length > 0) return this.#hide([at, at + length])
    const newline = stretch.indexOf('\n')
    return length === 0 ? at : this.#hide([at, newline === -1 ? at + stretch.length : at + newline])
  }

  /** "--token X", "-Password X" */
  #flagValue(after: number, isShort: boolean): number {
    const at = this.#at(FLAG_GAP, after) ?? (isShort && this.#text[after] === ':' ? after + 1 : undefined)
    if (at === undefined) return after
    const quoted = this.#quoted(at)
    const from = quoted?.[0] ?? at
    if (isShort && this.#at(PORTS, from) !== undefined) return after
    if (quoted) return isProse(this.#text.slice(...quoted)) ? after : this.#hide(quoted)
    const end = this.#at(BARE, at)
    if (end === undefined || this.#at(REFERENCE, at) !== undefined) return after
    return isProse(this.#text.slice(at, Math.min(end, at + 40))) ? after : this.#hide([at, end])
  }

  /** curl -u bob:X; of numbers it is a user and a group. */
  #userAndPassword(after: number): number {
    const at = this.#at(FLAG_GAP, after) ?? (this.#text[after] === '=' ? after + 1 : undefined)
    if (at === undefined) return after
    const [from = at, quotedTo] = this.#quoted(at) ?? []
    const password = this.#colonNear(from) ? this.#at(USER_NAME, from) : undefined
    if (password === undefined || (quotedTo !== undefined && password > quotedTo)) return after
    const end = quotedTo ?? this.#at(BARE, at) ?? password
    if (/^(?:\d+:\d+$|system:)/.test(this.#text.slice(from, Math.min(end, from + 200)))) return after
    return this.#hide([password, end])
  }

  /** The value of Authorization without its scheme; of a cookie all of it. Both end with the line, or what they are quoted in. */
  #header(start: number, after: number, isCookie: boolean): number {
    const separated = this.#at(SEPARATOR, after)
    if (separated === undefined) return after
    const text = this.#text
    const space = this.#at(/[^\S\n]*\[?\\{0,8}["'`]?/y, separated) ?? separated
    const from = (isCookie ? undefined : this.#at(SCHEME, space)) ?? space
    if (isProse(/^[^\s"']{0,40}/.exec(text.slice(space, space + 40))?.[0] ?? '')) return from
    const enclosing = /["'`]/.exec(text[from - 1] ?? '')?.[0] ?? /["'`]/.exec(text[start - 1] ?? '')?.[0]
    const isDigest = !isCookie && /^digest/i.test(text.slice(space, from))
    const end = this.#at(
      isDigest && enclosing === undefined ? HEADER_LINE : enclosing === "'" ? IN_SINGLE : IN_DOUBLE,
      from,
    )
    return end === undefined ? from : this.#hide([from, end])
  }

  /** Docker's config.json. */
  #auth(after: number): number {
    const separated = this.#at(SEPARATOR, after)
    const quoted = separated === undefined ? undefined : this.#quoted(this.#at(SPACE, separated) ?? separated)
    return quoted && /^[\w+/=-]{4,}$/.test(this.#text.slice(...quoted)) ? this.#hide(quoted) : after
  }

  /** "<password", "<w:password" */
  #isElement(start: number): boolean {
    const before = this.#text[start - 1]
    return before === '<' || (before === ':' && /<[\w-]{1,30}:$/.test(this.#before(start, 32)))
  }

  /** <password>X</password>, also with another element inside, as in an answer file of Windows. */
  #element(after: number): number {
    const at = this.#at(ELEMENT_END, after)
    // Up to here an attribute "value" is the secret.
    this.#named = at ?? after + NEAR
    if (at === undefined || this.#text[at - 2] === '/') return after
    const attribute = VALUE_ATTRIBUTE.exec(this.#text.slice(after, at))
    const range = attribute && this.#quoted(after + attribute.index + attribute[0].length)
    if (range) this.#hide(range)
    const end = this.#text.indexOf('<', at)
    const to = end === -1 ? Math.min(this.#text.length, at + LONGEST_QUOTED) : end
    this.#named = at + NEAR
    return this.#text.slice(at, Math.min(to, at + 200)).trim() === '' ? at : this.#hide([at, to])
  }

  /** {"name": "TOKEN", "value": "X"}, as lists of variables have it in JSON, YAML, Go and XML; also the other way round. */
  #readName(after: number): number {
    const separated = this.#at(SEPARATOR, after) ?? this.#afterParameter(after)
    const found =
      separated === undefined
        ? this.#group(ELEMENT_NAME, after)
        : (this.#group(QUOTED_NAME, separated) ?? this.#group(BARE_NAME, separated))
    if (!found) return after
    this.#named = -1
    if (!isSecretName(found.text.trim())) return after
    this.#named = found.end + NEAR
    if (this.#unnamed !== undefined && after - this.#unnamed < NEAR) {
      const range = this.#pairValue(this.#unnamed)
      if (range) this.#hide(range)
    }
    this.#unnamed = undefined
    return found.end
  }

  #readValue(after: number): number {
    const range = this.#pairValue(after)
    // "-PropertyType String" has a word for a value, and none.
    if (!range) return after
    this.#unnamed = after > this.#named ? after : undefined
    if (after > this.#named || range[0] === range[1]) return after
    const block = this.#at(BLOCK, range[0])
    return block === undefined ? this.#hide(range) : this.#indented(block, after - 1)
  }

  /** Set-ItemProperty -Name DefaultPassword -Value X */
  #afterParameter(after: number): number | undefined {
    return this.#text[this.#wordStart(after) - 1] === '-' ? this.#at(FLAG_GAP, after) : undefined
  }

  #wordStart(after: number): number {
    let start = after
    while (start > 0 && /\w/.test(this.#text[start - 1] ?? '') && after - start < 20) start--
    return start
  }

  #pairValue(after: number): Range | undefined {
    const parameter = this.#afterParameter(after)
    if (parameter !== undefined) return this.value(parameter)
    const separated = this.#at(SEPARATOR, after)
    if (separated === undefined) {
      const at = this.#at(ELEMENT_END, after)
      const end = at === undefined || this.#text[at - 2] === '/' ? -1 : this.#text.indexOf('<', at)
      return at === undefined || end === -1 || end - at > LONGEST_QUOTED ? undefined : [at, end]
    }
    const at = this.#at(SPACE, separated) ?? separated
    const quoted = this.#quoted(at)
    if (quoted) return quoted
    const end = this.#at(BARE, at)
    if (end === undefined) return undefined
    return [at, this.#startsLine(this.#wordStart(after)) ? Math.max(end, this.#restOfLine(at)) : end]
  }

  /** What is between quotes; a quote that is not closed ends with its line. */
  #quoted(at: number): Range | undefined {
    const text = this.#text
    const from = this.#at(OPENING, at)
    if (from === undefined) return undefined
    if (this.#at(DOUBLED, at) !== undefined) return this.#doubleQuoted(at + 2)
    const opening = text.slice(at, from)
    const triple = opening.repeat(3)
    if (text.startsWith(triple, at)) return this.#tripleQuoted(at + triple.length, triple)
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

  /** All quotes are doubled in a text that was put into a cell of CSV. */
  #doubleQuoted(from: number): Range {
    const length = this.#text.slice(from, from + LONGEST_QUOTED).indexOf('""')
    return [from, length === -1 ? this.#lineEnd(from) : from + length]
  }

  /** TOML and Python; may have several lines. */
  #tripleQuoted(from: number, triple: string): Range {
    const length = this.#text.slice(from, from + LONGEST_QUOTED).indexOf(triple)
    return [from, length === -1 ? this.#lineEnd(from) : from + length]
  }

  #startsLine(at: number): boolean {
    return LINE_START.test(at <= 40 ? `\n${this.#before(at, 40)}` : this.#before(at, 40))
  }

  /** Known until it is passed: many names may stand on one long line. */
  #lineEnd(at: number): number {
    if (at < this.#line[0] || at > this.#line[1]) {
      const newline = this.#text.indexOf('\n', at)
      this.#line = [at, newline === -1 ? this.#text.length : newline]
    }
    return this.#line[1]
  }

  /** Known until it is passed. */
  #colonNear(at: number): boolean {
    if (at > this.#colon) {
      const colon = this.#text.indexOf(':', at)
      this.#colon = colon === -1 ? Infinity : colon
    }
    return this.#colon - at <= LONGEST_USER
  }

  #group(pattern: RegExp, index: number): {readonly end: number; readonly text: string} | undefined {
    pattern.lastIndex = index
    const match = pattern.exec(this.#text)
    return match ? {end: index + match[0].length, text: match[1] ?? ''} : undefined
  }

  /** Where a pattern ends that is found here; undefined where it is not. */
  #at(pattern: RegExp, index: number): number | undefined {
    pattern.lastIndex = index
    return pattern.test(this.#text) ? pattern.lastIndex : undefined
  }

  #sticky(pattern: RegExp, at: number, head?: RegExp): number {
    const end = this.#at(pattern, at)
    if (end === undefined) return at
    return this.#hide([head === undefined ? at : (this.#at(head, at) ?? at), end])
  }

  #before(at: number, length: number): string {
    return this.#text.slice(Math.max(0, at - length), at)
  }

  #hide(range: Range): number {
    if (range[1] > range[0]) this.#found.push(range)
    return range[1]
  }
}
