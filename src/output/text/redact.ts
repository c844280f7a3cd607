// Everything that is shown, logged, stored or collected passes here: no secrets, and nothing that controls a terminal.
// Secrets are texts that were registered, values of secret names, and texts with the shape of a secret.
import {remembered} from '../../machine/remembered.js'
import {harmless} from './harmless.js'
import {isSecretName} from './secret-names.js'
import {SECRET_RULES, type SecretRule} from './secret-rules.js'
import {secretValues} from './secret-values.js'
import {matchesOf, type Range} from './value-reader.js'

export type Redact = (text: string) => string

export interface Redactor {
  readonly redact: Redact
  /** From now on this text is hidden: as it is, in base64 (also of a longer text), and as URLs, JSON, HTML and dumps write it. */
  register(secret: string): void
}

const HIDDEN = '***'

/** Shorter ones would hide ordinary words; nothing that short protects anything. */
const SHORTEST_SECRET = 6
/** Base64 of base64 is decoded, and no further. */
const MOST_DECODED = 2
/** A run's log has the same questions to Windows over and over. */
const MOST_KNOWN = 500
const LONGEST_KNOWN = 2000

/** What rules find in a text. `hasSecret`: whether something decoded has a secret inside. */
type FindByRules = (text: string, hasSecret: (decoded: string) => boolean) => readonly Range[]

/** What was registered meanwhile changes the answer only for texts with something encoded: of others it is kept. */
function finderOf(rules: readonly SecretRule[]): FindByRules {
  const textRules = rules.filter((rule) => 'find' in rule)
  const wordRules = rules.filter((rule) => 'read' in rule)
  const find: FindByRules = (text, hasSecret) => [
    ...textRules.flatMap((rule) => rule.find(text, hasSecret)),
    ...secretValues(text, wordRules),
  ]
  const known = remembered((text): readonly Range[] | undefined => {
    let isEncoded = false
    const found = find(text, () => (isEncoded = true))
    return isEncoded ? undefined : found
  }, MOST_KNOWN * 2)
  return (text, hasSecret) => (text.length > LONGEST_KNOWN ? undefined : known(text)) ?? find(text, hasSecret)
}

const findByAllRules = finderOf(SECRET_RULES)

export function createRedactor(rules = SECRET_RULES): Redactor {
  const registered = new Set<string>()
  const forms = new Set<string>()
  const find = rules === SECRET_RULES ? findByAllRules : finderOf(rules)

  const rangesIn = (text: string, depth: number): Range[] => {
    const hasSecret = (decoded: string): boolean => depth < MOST_DECODED && rangesIn(decoded, depth + 1).length > 0
    return [...registeredIn(text, forms), ...find(text, hasSecret)]
  }
  const redactAnew = (text: string): string => {
    const safe = harmless(text)
    return without(safe, rangesIn(safe, 0))
  }
  let redactKnown = remembered(redactAnew, MOST_KNOWN)
  return {
    redact: (text) => (text.length > LONGEST_KNOWN ? redactAnew(text) : redactKnown(text)),
    register(secret) {
      // Kubeconfigs are read again and again: what is known stays known.
      if (secret.length < SHORTEST_SECRET || registered.has(secret)) return
      registered.add(secret)
      const all = [...formsOf(secret), ...formsOf(harmless(secret))]
      // Of a secret of control characters nothing is left to hide, and an empty text is in every text.
      for (const form of all) if (form.length >= SHORTEST_SECRET) forms.add(form)
      redactKnown = remembered(redactAnew, MOST_KNOWN)
    },
  }
}

/** A copy of a document in which every text is redacted, also by the name of its field. What is nested too deeply is cut. */
export function redactAll<T>(document: T, redact: Redact): T {
  return redactValue(document, redact, '', 0) as T
}

function without(text: string, ranges: Range[]): string {
  if (ranges.length === 0) return text
  ranges.sort(([one], [other]) => one - other)
  const parts: string[] = []
  let at = 0
  let hidden = -1
  for (const [from, to] of ranges) {
    if (to <= hidden) continue
    if (from > hidden) {
      parts.push(text.slice(at, from), HIDDEN)
    }
    at = hidden = to
  }
  return [...parts, text.slice(at)].join('')
}

const LINE_BREAK = /\n[^\S\n]*/g

/** Also where a console broke the line inside of one. */
function* registeredIn(text: string, forms: ReadonlySet<string>): Generator<Range> {
  yield* occurrences(text, forms)
  const breaks = forms.size === 0 ? [] : matchesOf(LINE_BREAK, text)
  if (breaks.length === 0) return
  // From one place to the next; another form begins again at the first.
  let [last, next, removed] = [0, 0, 0]
  const placeOf = (index: number): number => {
    if (index < last) [next, removed] = [0, 0]
    last = index
    for (let found = breaks[next]; found && found.index <= index + removed; found = breaks[next]) {
      removed += found[0].length
      next++
    }
    return index + removed
  }
  for (const [from, to] of occurrences(text.replaceAll(LINE_BREAK, ''), forms))
    yield [placeOf(from), placeOf(to - 1) + 1]
}

function* occurrences(text: string, forms: ReadonlySet<string>): Generator<Range> {
  for (const form of forms) {
    for (let at = text.indexOf(form); at !== -1; at = text.indexOf(form, at + form.length)) yield [at, at + form.length]
  }
}

/** JSON.stringify fails on what is nested thousands deep; no document of Windows, Kubernetes or Docker comes near this. */
const DEEPEST = 100
const TOO_DEEP = '[nested too deeply]'
const VALUE_FIELD = /^(?:value|val|content|data|text|plaintext)$/i
const NAME_FIELD = /^(?:name|key|variable|header|property|field)$/i
/** Fields of an object with a secret name that say which secret it is. */
const REFERENCE_FIELD = /(?:name|namespace|kind|type|id|path|file|mode|optional|version|key|at|ttl|count)$/i
const FLAG = /^--?[\w-]+$/

function redactValue(value: unknown, redact: Redact, name: string, depth: number): unknown {
  if (typeof value === 'string') return value !== '' && isSecretName(name) ? HIDDEN : redact(value)
  if (typeof value === 'number')
    return String(value).length > 3 && isSecretName(name) && !/s$/i.test(name) ? HIDDEN : value
  if (typeof value !== 'object' || value === null) return value
  if (depth > DEEPEST) return TOO_DEEP
  if (Array.isArray(value)) return redactList(value as unknown[], redact, name, depth)
  const {toJSON} = value as {readonly toJSON?: unknown}
  if (typeof toJSON === 'function') return redactValue((toJSON as () => unknown).call(value), redact, name, depth + 1)
  const entries = Object.entries(value)
  const called = entries.find(
    ([key, inner]) => NAME_FIELD.test(key) && typeof inner === 'string' && isSecretName(inner),
  )
  const isSecret = entries.some(([key, inner]) => key === 'kind' && inner === 'Secret')
  return Object.fromEntries(
    entries.map(([key, inner]) => {
      const isValue = called !== undefined && VALUE_FIELD.test(key)
      const isInside = isSecretName(name) && !REFERENCE_FIELD.test(key)
      const isData = isSecret && /^(?:stringD|d)ata$/.test(key)
      return [redact(key), redactValue(inner, redact, isValue || isInside || isData ? SECRET : key, depth + 1)]
    }),
  )
}

/** A name that hides whatever has it. */
const SECRET = 'secret'

/** In a list of arguments the one after a flag is its value. */
function redactList(list: readonly unknown[], redact: Redact, name: string, depth: number): unknown[] {
  const isLogin = list.some(
    (item) => typeof item === 'string' && /^(?:login|-u|--user(?:name)?|mysql\w*|sqlcmd)$/i.test(item),
  )
  return list.map((item, index) => {
    const before = list[index - 1]
    const isValue = typeof before === 'string' && FLAG.test(before) && !(typeof item === 'string' && FLAG.test(item))
    if (!isValue) return redactValue(item, redact, name, depth + 1)
    return redactValue(item, redact, isLogin && before.toLowerCase() === '-p' ? SECRET : before, depth + 1)
  })
}

function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret, 'utf8')
  // A lone surrogate, which has no URL form, becomes the replacement character on the way through UTF-8.
  const wellFormed = bytes.toString('utf8')
  const encodedText = encodeURIComponent(wellFormed)
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    bytes.toString('base64').replace(/(?<!=)=+$/, ''),
    bytes.toString('base64url'),
    ...[0, 1, 2].flatMap((before) => base64Inside(bytes, before)),
    ...asBytes(bytes),
    secret.replaceAll(/[&<>"']/g, (letter) => HTML[letter] ?? letter),
    encodeURI(wellFormed),
    encodedText,
    encodedText.replaceAll('%20', '+'),
    encodedText.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
  ]
}

const HTML: Readonly<Record<string, string>> = {'"': '&quot;', '&': '&amp;', "'": '&#39;', '<': '&lt;', '>': '&gt;'}

/** As dumps and Go's formats %x, %X, %v and %#v show bytes. */
function asBytes(bytes: Buffer): string[] {
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0'))
  const numbers = [...bytes].map(String)
  const literals = [...bytes].map((byte) => `0x${byte.toString(16)}`)
  const small = [hex.join(''), hex.join(' '), literals.join(', ')]
  return [...small, hex.join('').toUpperCase(), hex.join(' ').toUpperCase(), numbers.join(' '), numbers.join(', ')]
}

/** Fewer letters would turn up by chance. */
const SHORTEST_INSIDE = 8

/** In the base64 of a longer text, with so many bytes before it: the letters that do not depend on their neighbours. */
function base64Inside(bytes: Buffer, before: number): string[] {
  const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64')
  const inner = text.slice(Math.ceil((before * 4) / 3), Math.floor(((before + bytes.length) * 4) / 3))
  if (inner.length < SHORTEST_INSIDE) return []
  return [inner, inner.replaceAll('+', '-').replaceAll('/', '_')]
}
