// Finds the values of secret names in any text: key=value, JSON, YAML, Go's structs, XML, CSV, headers, command lines.
// One pass from word to word, which never goes back: the first rule that fits a word reads its value.
import {isSecretName} from './secret-names.js'
import {SecretReader} from './secret-reader.js'
import type {WordRule} from './secret-rules.js'
import type {Range} from './value-reader.js'

const WORD = /[A-Za-z_\u00C0-\u024F][\w.$\u00C0-\u024F-]*/g
/** Only these words are compared with the rules: most words are none of them. */
const TELLING =
  /pass|pw|pat|secret|token|cred|auth|key|conn|cfg|config|sess|mnemonic|psk|kennwort|contrase|senha|signature|cookie|bearer|negotiate|ntlm|login|user|mysql|maria|mongo|psql|sqlcmd|^(?:name|variable|header|property|field|setting|value|val|content|data|string|text|plaintext|u|r?p)[.-]*$/i
/** Programs and flags that take a password with -p; elsewhere that is a port, a path, a project. */
const LOGIN =
  /^(?:login|(?:mysql|mariadb|mongo|psql)\w{0,10}|sqlcmd|sshpass|sshpass\.exe|user(?:name)?|u|[\w-]{0,30}-(?:user(?:name)?|pass(?:word)?)|password)$/i

/** The ranges of all values that are secret by their names, in their order. */
export function secretValues(text: string, rules: readonly WordRule[]): Range[] {
  const reader = new SecretReader(text)
  const words = new RegExp(WORD)
  let end = 0
  for (let match = words.exec(text); match; match = words.exec(text)) {
    reader.crossGap(end, match.index)
    end = Math.max(match.index + match[0].length, readWord(reader, rules, match[0], match.index))
    words.lastIndex = end
  }
  return reader.found
}

function readWord(reader: SecretReader, rules: readonly WordRule[], word: string, start: number): number {
  const {text} = reader
  const end = start + word.length
  const before = text[start - 1] ?? ''
  if (!TELLING.test(word.length > 120 ? word.slice(-120) : word)) return end
  let after = end
  while (text[after - 1] === '.' || text[after - 1] === '-') after--
  const name = text.slice(start, after)
  if (LOGIN.test(name)) reader.login = true
  const isFlag = before === '-' || (before === '/' && /^$|\s/.test(text[start - 2] ?? ''))
  const read = {after, isFlag, isSecret: isSecretName(name), name, start}
  return rules.find(({is}) => is(read, reader))?.read(reader, read) ?? end
}
