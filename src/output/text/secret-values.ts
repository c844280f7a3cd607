// Finds the values of secret names in any text: key=value, JSON, YAML, Go's structs, XML, CSV, headers, command lines.
// One pass from word to word, which never goes back: the first rule that fits a word reads its value.
import {isSecretName, isSecretParameter} from './secret-names.js'
import {SecretReader, type Word} from './secret-reader.js'
import type {Range} from './value-reader.js'

const WORD = /[A-Za-z_\u00C0-\u024F][\w.$\u00C0-\u024F-]*/g
/** Only these words are compared with the rules: most words are none of them. */
const TELLING =
  /pass|pw|pat|secret|token|cred|auth|key|conn|cfg|config|sess|mnemonic|psk|kennwort|contrase|senha|signature|cookie|bearer|negotiate|ntlm|login|user|mysql|maria|mongo|psql|sqlcmd|^(?:name|variable|header|property|field|setting|value|val|content|data|string|text|plaintext|u|r?p)[.-]*$/i
/** Programs and flags that take a password with -p; elsewhere that is a port, a path, a project. */
const LOGIN =
  /^(?:login|(?:mysql|mariadb|mongo|psql)\w{0,10}|sqlcmd|sshpass|sshpass\.exe|user(?:name)?|u|[\w-]{0,30}-(?:user(?:name)?|pass(?:word)?)|password)$/i
/** The value of a parameter in a URL. */
const PARAMETER = /[^&#\s"'<>\\]+/y
const BEARER = /[^\S\n]{1,8}["']?(?!(?:token|auth|scheme|header|realm|challenge)\w*\b)[\w.~+/=-]{6,}/iy
const BEARER_GAP = /[^\S\n]{1,8}["']?/y
const SPACED_KEY = /(?:access|account|api|private|secret|shared|signing) $/i

interface Rule {
  is(word: Word, reader: SecretReader): boolean
  /** Returns where to read on. */
  read(reader: SecretReader, word: Word): number
}

const named =
  (pattern: RegExp) =>
  ({name}: Word): boolean =>
    pattern.test(name)

/** The first one that fits a word is used. */
const RULES: readonly Rule[] = [
  {is: named(/^(?:name|key|variable|header|property|field|setting)$/i), read: (r, {after}) => r.nameOfPair(after)},
  {
    // What "netsh wlan show profile key=clear" prints.
    is: ({name, start}, reader) => /^content$/i.test(name) && /\bkey $/i.test(reader.before(start, 5)),
    read: (reader, word) => reader.secret({...word, isFlag: false, start: word.start - 4}),
  },
  {is: named(/^(?:value|val|content|data|string|text|plaintext)$/i), read: (r, {after}) => r.valueOfPair(after)},
  {
    is: named(/^(?:proxy-|x-forwarded-)?authorization$|^(?:set-)?cookie2?$/i),
    read: (reader, word) => reader.header(word),
  },
  {
    is: named(/^(?:bearer|negotiate|ntlm)$/i),
    read: (reader, {after}) => reader.hideMatch(BEARER, after, reader.at(BEARER_GAP, after)),
  },
  {
    is: ({isFlag, name}, {login}) => isFlag && /^(?:[pP]|rp)$/.test(name) && login,
    read: (reader, {after}) => reader.flagValue(after, true),
  },
  {
    is: ({isFlag, name}) => isFlag && /^(?:u|user|proxy-user)$/i.test(name),
    read: (reader, {after}) => reader.userAndPassword(after),
  },
  {is: named(/^auth$/i), read: (reader, {after}) => reader.auth(after)},
  {is: ({isSecret}) => isSecret, read: (reader, word) => reader.secret(word)},
  {
    is: ({name, start}, reader) => /^keys?$/i.test(name) && SPACED_KEY.test(reader.before(start, 10)),
    read: (reader, word) => reader.secret(word),
  },
]

/** The ranges of all values that are secret by their names, in their order. */
export function secretValues(text: string): Range[] {
  const reader = new SecretReader(text)
  const words = new RegExp(WORD)
  let end = 0
  for (let match = words.exec(text); match; match = words.exec(text)) {
    reader.crossGap(end, match.index)
    end = Math.max(match.index + match[0].length, readWord(reader, match[0], match.index))
    words.lastIndex = end
  }
  return reader.found
}

function readWord(reader: SecretReader, word: string, start: number): number {
  const {text} = reader
  const end = start + word.length
  const before = text[start - 1] ?? ''
  const isParameter = isInQuery(text, before, start)
  if (!isParameter && !TELLING.test(word.length > 120 ? word.slice(-120) : word)) return end
  let after = end
  while (text[after - 1] === '.' || text[after - 1] === '-') after--
  const name = text.slice(start, after)
  if (isParameter && text[after] === '=' && isSecretParameter(name)) return reader.hideMatch(PARAMETER, after + 1)
  if (LOGIN.test(name)) reader.login = true
  const isFlag = before === '-' || (before === '/' && /^$|\s/.test(text[start - 2] ?? ''))
  const read = {after, isFlag, isSecret: isSecretName(name), name, start}
  return RULES.find(({is}) => is(read, reader))?.read(reader, read) ?? end
}

/** Also where the "&" is escaped. */
function isInQuery(text: string, before: string, start: number): boolean {
  if (before === '?' || before === '&') return true
  if (before === ';') return text.startsWith('&amp;', start - 5)
  return before === '6' && text.startsWith(String.raw`\u0026`, start - 6)
}
