// Everything that goes into a bundle passes here, and only here becomes bytes: no text leaves without being looked at.
import {parseJson} from '../host/document.js'
import type {Content} from './collector.js'

export type Redact = (text: string) => string

const HIDDEN = '***'
const SECRET_NAME =
  /pass(?:word|wd|phrase|code)|pwd|(?:^|[^a-z])(?:pass|pw)$|secret|token$|credential|authorization|(?:api|access|account|private|client|signing)[-_ ]?key/i
/** In a list of arguments the next one is its value. */
const FLAG = /^--?[\w-]+(?<!-(?:file|name|path|ttl))$/
/** Long enough for a secret with a name before it. A path has the same letters: what it decodes to is no text. */
const BASE64 = /[\w+/-]{24,}={0,2}/g
/** In what is no text more than half of the letters are like these; in a password one may be. */
const STRANGE = /[^\t\n\r -~]/g
const MOST_STRANGE = 0.2

export function safeText(content: Content, redact: Redact): string {
  if ('document' in content) return `${JSON.stringify(hideIn(content.document, redact), undefined, 2)}\n`
  if ('text' in content) return hideInText(content.text, redact)
  return hideInLines(content.lines.split('\n'), redact)
}

/** A line of JSON stays one; others are one text with their neighbours, for a key has many lines. */
function hideInLines(lines: readonly string[], redact: Redact): string {
  const safe: string[] = []
  let others: string[] = []
  const flush = (): void => {
    if (others.length > 0) safe.push(hideInText(others.join('\n'), redact))
    others = []
  }
  for (const line of lines) {
    const document = parseJson(line)
    if (document === undefined) {
      others.push(line)
      continue
    }
    flush()
    safe.push(JSON.stringify(hideIn(document, redact)))
  }

  flush()
  return safe.join('\n')
}

/** Also in base64, which hides a secret only from those who search for it. */
export function hideInText(text: string, redact: Redact): string {
  // A text of two bytes a letter that was read as one of one byte.
  const plain = text.replaceAll('\0', '')
  return redact(plain.replaceAll(BASE64, (run) => (isSecretInside(run, redact) ? HIDDEN : run)))
}

/** A run may begin with letters that are not part of it, such as a path's. */
function isSecretInside(run: string, redact: Redact): boolean {
  return [0, 1, 2, 3].some((offset) => {
    const bytes = Buffer.from(run.slice(offset), 'base64')
    const strange = bytes.toString('latin1').match(STRANGE)?.length ?? 0
    if (strange > bytes.length * MOST_STRANGE) return false
    const text = bytes.toString('utf8')
    return redact(text) !== text
  })
}

function hideIn(value: unknown, redact: Redact, name = ''): unknown {
  if (typeof value === 'string') return SECRET_NAME.test(name) && value !== '' ? HIDDEN : hideInText(value, redact)
  if (Array.isArray(value)) {
    return value.map((entry: unknown, index) => {
      const before: unknown = value[index - 1]
      const isValue =
        typeof before === 'string' && FLAG.test(before) && !(typeof entry === 'string' && FLAG.test(entry))
      return hideIn(entry, redact, isValue && SECRET_NAME.test(before) ? before : name)
    })
  }
  if (typeof value !== 'object' || value === null) return value
  // {"name": "TOKEN", "value": "…"}, as Kubernetes writes an environment.
  const {name: called} = value as {readonly name?: unknown}
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      const known = key === 'value' && typeof called === 'string' ? called : key
      return [hideInText(key, redact), hideIn(inner, redact, known)]
    }),
  )
}
