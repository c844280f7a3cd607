// Finds the values of names that are secret in any text: key=value, JSON, YAML, Go's structs, XML, headers, command lines.
// It reads from word to word and never steps back.
import {isProse, isSecretName, isSecretParameter} from './secret-names.js'
import {FlagReader} from './secret-flags.js'
import {FLAG_GAP} from './secret-pairs.js'
import {SEPARATOR} from './value-of-name.js'
import {OPENING, type Range, SPACE} from './value-reader.js'

const WORD = /[A-Za-z_\u00C0-\u024F][\w.$\u00C0-\u024F-]*/g
/** The value of a parameter in a URL. */
const PARAMETER = /[^&#\s"'<>\\]+/y
const AUXILIARY =
  /(?:\bcheck [\w-]{1,40}:|\b(?:can|cannot|could|did|do|does|may|might|must|not|shall|should|will|would)|n't) $/i
/** Who asks for a password with -p; elsewhere that is a port, a path, a project. */
const LOGIN =
  /^(?:login|(?:mysql|mariadb|mongo|psql)\w{0,10}|sqlcmd|sshpass|sshpass\.exe|user(?:name)?|u|[\w-]{0,30}-(?:user(?:name)?|pass(?:word)?)|password)$/i
const SHELL_END = /[\];|&]|(?<!,)\n/
const NAMES_A_VALUE = /^(?:name|key|variable|header|property|field|setting)$/i
const IS_THE_VALUE = /^(?:value|val|content|data|string|text|plaintext)$/i
const HEADER = /^(?:proxy-|x-forwarded-)?authorization$|^(?:set-)?cookie2?$/i
const BEARER = /[^\S\n]{1,8}["']?(?!(?:token|auth|scheme|header|realm|challenge)\w*\b)[\w.~+/=-]{6,}/iy
const IS_PROSE_OF = /[^\S\n](?:is|was|is now|set to|changed to)[^\S\n]{1,4}:?[^\S\n]{0,4}(?=["'`]|(?=\S{0,40}\d)\S{6})/y
/** Their next word is the name of an object, or they are verbs. */
const NAMES_AN_OBJECT = /(?<!(?:client|app|shared)[-_.]?)secrets?$|^(?:pass|pw|pat)$|\.key$/i
const IS_PASSWORD = /passw(?:or)?d$|passphrase$|pwd$/i
const UNUSUAL_WORD = /[\w!@#$%^*+~.-]{8,4000}={0,2}(?=[\s"'`,;)\]}<\\]|$)/y
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
  return new SecretReader(text).read()
}

class SecretReader extends FlagReader {
  read(): Range[] {
    const word = new RegExp(WORD)
    let end = 0
    for (let match = word.exec(this.text); match; match = word.exec(this.text)) {
      const [name] = match
      this.crossGap(end, match.index)
      end = Math.max(match.index + name.length, this.word(name, match.index))
      word.lastIndex = end
    }
    return this.found
  }

  /** What stands between two words ends a command line, or a pair of name and value. */
  protected crossGap(from: number, to: number): void {
    const gap = this.text.slice(from, to)
    if (this.login >= 0 && SHELL_END.test(gap)) this.login = -1
    if (this.unnamed && /\}|\n[^\S\n]{0,200}-|<\//.test(gap)) this.unnamed = undefined
  }

  /** Returns where to read on. */
  protected word(word: string, start: number): number {
    const end = start + word.length
    const before = this.text[start - 1] ?? ''
    const isParameter = this.isParameter(before, start)
    if (!isParameter && !TELLING.test(word.length > 120 ? word.slice(-120) : word)) return end
    let after = end
    while (this.text[after - 1] === '.' || this.text[after - 1] === '-') after--
    const name = this.text.slice(start, after)
    if (isParameter && this.text[after] === '=' && isSecretParameter(name)) {
      return this.sticky(PARAMETER, after + 1)
    }
    if (NAMES_A_VALUE.test(name)) return this.readName(after)
    // What "netsh wlan show profile key=clear" prints.
    if (/^content$/i.test(name) && /\bkey $/i.test(this.before(start, 5)))
      return this.secret(name, start - 4, after, false)
    if (IS_THE_VALUE.test(name)) return this.readValue(after)
    if (HEADER.test(name)) return this.header(start, after, /cookie/i.test(name))
    if (/^(?:bearer|negotiate|ntlm)$/i.test(name)) return this.sticky(BEARER, after, /[^\S\n]{1,8}["']?/y)
    const isFlag = before === '-' || (before === '/' && /^$|\s/.test(this.text[start - 2] ?? ''))
    if (isFlag && (name === 'p' || name === 'P' || name === 'rp') && this.login >= 0) return this.flagValue(after, true)
    if (isFlag && /^(?:u|user|proxy-user)$/i.test(name)) {
      this.login = end
      return this.userAndPassword(after)
    }
    if (LOGIN.test(name)) this.login = end
    if (name.toLowerCase() === 'auth') return this.auth(after)
    return isSecretName(name) || this.isSpacedKey(name, start) ? this.secret(name, start, after, isFlag) : end
  }

  /** "access key: X" */
  protected isSpacedKey(name: string, start: number): boolean {
    return (
      /^keys?$/i.test(name) && /(?:access|account|api|private|secret|shared|signing) $/i.test(this.before(start, 10))
    )
  }

  /** Also where the "&" is escaped. */
  protected isParameter(before: string, start: number): boolean {
    if (before === '?' || before === '&') return true
    if (before === ';') return this.text.startsWith('&amp;', start - 5)
    return before === '6' && this.text.startsWith(String.raw`\u0026`, start - 6)
  }

  protected secret(name: string, start: number, after: number, isFlag: boolean): number {
    const separated = this.at(SEPARATOR, after)
    if (separated === undefined) {
      if (isFlag) return this.flagValue(after, false)
      if (this.isElement(start)) return this.element(after)
      const cell = this.cell(start, after)
      if (cell) return this.hide(cell)
      const isTold = this.at(IS_PROSE_OF, after)
      if (isTold !== undefined) return this.valueAt(isTold, start)
      // A line of netrc: login bob password X.
      return this.login >= 0 && /^password$/i.test(name) && this.before(start, 60).includes('login ')
        ? this.flagValue(after, false)
        : this.wordAfter(name, start, after)
    }
    const space = this.at(SPACE, separated) ?? separated
    if (/pass$/i.test(name) && this.isVerdict(start, separated, space)) return separated
    if (/s$/i.test(name) && /^\d{1,6}(?![\w.-])/.test(this.text.slice(space, space + 8))) return separated
    return this.valueAt(space, start)
  }

  /** "using token "X"", "password X", and the next item of a list: only what no ordinary word or name looks like. */
  protected wordAfter(name: string, start: number, after: number): number {
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

  /** "pass: 3 checks" counts; "check disk: pass: 96 GB free", as our own logs say it, and "did pass: ok" are no passwords. */
  protected isVerdict(start: number, separated: number, space: number): boolean {
    if (/^\d{1,3}(?:[\s,;.)]|$)/.test(this.text.slice(space, space + 4))) return true
    return this.text[separated - 1] === ':' && space > separated && AUXILIARY.test(this.before(start, 60))
  }
}
