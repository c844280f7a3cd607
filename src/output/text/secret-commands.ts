// Finds the secrets of well-known Windows commands, whose passwords have no name of their own before them.
// Each pattern begins with a rare word and is bounded; the text before that word is searched only within LOOK_BACK.
import {isProse, isSecretName} from './secret-names.js'
import {type Range, ValueReader} from './value-reader.js'

const LOOK_BACK = 200
/** At the beginning of a word, also where the line end before it is escaped. */
const START = String.raw`(?:\b|(?<=\\[nrt]))`
const GAP = String.raw`[^\S\n]{1,8}`
/** In a list of arguments in JSON too. */
const ARGUMENT_GAP = String.raw`(?:${GAP}|\\{0,8}["'],?[^\S\n]{0,8}(?=\\{0,8}["']))`

/** setx TOKEN X */
const SETX = new RegExp(
  String.raw`${START}setx(?:\.exe)?["']?${GAP}(?:/m${GAP})?\\{0,8}["']?([\w.$-]{1,120})(?:\\{0,8}["'])?${GAP}`,
  'gi',
)
/** What "reg query" prints, and what "reg add" is given. */
const REGISTRY = new RegExp(String.raw`\bREG_(?:(?:EXPAND_|MULTI_)?SZ|BINARY)[^\S\n]{1,60}(/d${GAP})?`, 'gi')
/** The value may be before or after -AsPlainText. Without quotes or a parameter it is a sentence about the command. */
const SECURE_STRING = new RegExp(
  String.raw`${START}ConvertTo-SecureString((?:${GAP}-(?:AsPlainText|Force|String)\b){0,3})${GAP}(?![$(|)-])`,
  'gi',
)
const PARAMETER_NEXT = new RegExp(String.raw`["']?${GAP}-(?:AsPlainText|Force|Key|SecureKey)\b`, 'iy')
/** schtasks /RU bob /RP X; "*" prompts. */
const RUN_AS = new RegExp(String.raw`[\s"']/rp${ARGUMENT_GAP}(?![/*])`, 'gi')
const NET_USE = new RegExp(String.raw`${START}net1?(?:\.exe)?["']?${GAP}use[^\S\n]([^\n]{0,400})`, 'gi')
const NET_USER = new RegExp(
  String.raw`${START}net1?(?:\.exe)?["']?${GAP}user${GAP}[^\s/]{1,100}${GAP}(?=[^\s/*]\S{0,200}${GAP}/)`,
  'gi',
)
/** These take a password right behind -p; a port of Docker has a colon. */
const ATTACHED = /[\s"']-p(?![\s,\]-]|\\|["'][\s,\]]|[\d-]{1,11}:\d)/g
const TAKES_ATTACHED = /mysql|mariadb|sshpass/i

/** The ranges of the values, in any order. A pattern is tried where its rare word is: most texts have none of them. */
export function commandSecrets(text: string): Range[] {
  const small = text.toLowerCase()
  const reader = new ValueReader(text)
  const found: Range[] = []
  const hide = (range: Range | undefined): void => {
    if (range && range[1] > range[0] && !isProse(text.slice(range[0], Math.min(range[1], range[0] + 40)))) {
      found.push(range)
    }
  }
  if (small.includes('setx')) {
    for (const [match, end] of matches(SETX, text)) if (isSecretName(match[1] ?? '')) hide(reader.value(end))
  }
  // A value may be a long line, which is not read again for what is in it.
  let passed = 0
  for (const [match, end] of small.includes('reg_') ? matches(REGISTRY, text) : []) {
    if (match.index < passed || !isRegistrySecret(text, match.index)) continue
    const value = match[1] === undefined ? lineValue(reader, end) : reader.value(end)
    passed = value?.[1] ?? end
    hide(value)
  }
  for (const [match, end] of small.includes('convertto-securestring') ? matches(SECURE_STRING, text) : []) {
    const value = reader.value(end)
    const isQuoted = value !== undefined && value[0] > end
    if (isQuoted || match[1] !== '' || reader.at(PARAMETER_NEXT, value?.[1] ?? end) !== undefined) hide(value)
  }
  if (small.includes('/rp')) for (const [, end] of matches(RUN_AS, text)) hide(reader.value(end))
  if (small.includes('net') && small.includes('use')) {
    for (const [, end] of matches(NET_USER, text)) hide(reader.value(end))
    for (const [match, end] of matches(NET_USE, text)) {
      const rest = match[1] ?? ''
      const at = passwordOfNetUse(rest)
      if (at !== undefined) hide(reader.value(end - rest.length + at))
    }
  }
  for (const [match, end] of TAKES_ATTACHED.test(text) ? matches(ATTACHED, text) : []) {
    if (takesAttached(text, match.index)) hide(reader.value(end))
  }
  return found
}

/** Of "reg query": the rest of the line. */
function lineValue(reader: ValueReader, at: number): Range | undefined {
  const value = reader.value(at)
  return value && [value[0], Math.max(value[1], reader.restOfLine(at))]
}

function* matches(pattern: RegExp, text: string): Generator<readonly [match: RegExpExecArray, end: number]> {
  for (const match of text.matchAll(pattern)) yield [match, match.index + match[0].length]
}

/** Whether the command before this place, on its line, is one of them. */
function takesAttached(text: string, at: number): boolean {
  const least = Math.max(0, at - LOOK_BACK)
  let from = at
  while (from > least && !endsCommand(text.charCodeAt(from - 1))) from--
  return TAKES_ATTACHED.test(text.slice(from, at))
}

/** "|", ";", "&" and the end of a line. */
const endsCommand = (code: number): boolean => code === 0x7c || code === 0x3b || code === 0x26 || code === 0x0a

/** The word before the type is the name; "reg add" has "/t" between them. */
function isRegistrySecret(text: string, type: number): boolean {
  const last = wordBefore(text, type)
  const name = last.word.toLowerCase() === '/t' ? wordBefore(text, last.from).word : last.word
  return isSecretName(name.replaceAll(/["'\\]/g, ''))
}

function wordBefore(text: string, at: number): {readonly from: number; readonly word: string} {
  const least = Math.max(0, at - LOOK_BACK)
  let to = at
  while (to > least && /[^\S\n]/.test(text[to - 1] ?? '')) to--
  let from = to
  while (from > least && /\S/.test(text[from - 1] ?? '')) from--
  return {from, word: text.slice(from, to)}
}

/** After a drive or a share: what is neither of them, nor an option. */
function passwordOfNetUse(rest: string): number | undefined {
  const words = [.../"[^"]*"|[^\s|&;>]+|[|&;>]/g[Symbol.matchAll](rest)]
  if (
    !words.some(([word]) => /^\/u(?:ser)?:/i.test(word)) ||
    !/^(?:\*$|[a-z]:$|["']?\\\\)/i.test(words[0]?.[0] ?? '')
  ) {
    return undefined
  }
  const first = words.find(([word]) => !/^(?:\*$|[a-z]:$|["']?\\\\|\/)/i.test(word))
  return first === undefined || /^[|&;>]/.test(first[0]) ? undefined : first.index
}
