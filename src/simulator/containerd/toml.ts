// Reads TOML 1.0 (toml.io/en/v1.0.0) without dates: what containerd's config.toml and hosts.toml hold.

export type TomlValue = TomlTable | TomlValue[] | boolean | number | string
export interface TomlTable {
  [key: string]: TomlValue
}

export class TomlError extends Error {
  constructor(
    readonly row: number,
    readonly column: number,
    message: string,
  ) {
    super(message)
  }
}

const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
}

/** Throws a TomlError. Without a prototype, so that every name can be a key. */
export function parseToml(text: string): TomlTable {
  const root = emptyTable()
  const reader = new Reader(text.replaceAll('\r\n', '\n'))
  let table = root
  for (reader.skipBlank(); !reader.isAtEnd(); reader.skipBlank()) {
    if (reader.takes('[[')) {
      table = listEntry(reader, root, reader.key())
      reader.demand(']]')
    } else if (reader.takes('[')) {
      table = descend(reader, root, reader.key())
      reader.demand(']')
    } else {
      reader.pair(table)
    }

    reader.demandLineEnd()
  }

  return root
}

const emptyTable = (): TomlTable => Object.create(null) as TomlTable
const isTable = (value: TomlValue | undefined): value is TomlTable => typeof value === 'object' && !Array.isArray(value)

/** The table of a header or of a dotted key; the last entry where a list of tables is on the way. */
function descend(reader: Reader, from: TomlTable, path: readonly string[]): TomlTable {
  let table = from
  for (const name of path) {
    const found = (table[name] ??= emptyTable())
    const next = Array.isArray(found) ? found.at(-1) : found
    if (!isTable(next)) throw reader.error(`key ${name} should be a table, not a value`)
    table = next
  }

  return table
}

function listEntry(reader: Reader, root: TomlTable, path: readonly string[]): TomlTable {
  const parent = descend(reader, root, path.slice(0, -1))
  const list = (parent[path.at(-1) ?? ''] ??= [])
  if (!Array.isArray(list)) throw reader.error(`key ${path.join('.')} is already defined`)
  const entry = emptyTable()
  list.push(entry)
  return entry
}

class Reader {
  private at = 0

  constructor(private readonly text: string) {}

  error(message: string): TomlError {
    const before = this.text.slice(0, this.at)
    const start = before.lastIndexOf('\n') + 1
    return new TomlError(before.split('\n').length, this.at - start + 1, message)
  }

  isAtEnd(): boolean {
    return this.at >= this.text.length
  }

  takes(token: string): boolean {
    const found = this.text.startsWith(token, this.at)
    if (found) this.at += token.length
    return found
  }

  demand(token: string): void {
    this.take(/[ \t]*/y)
    if (!this.takes(token)) throw this.error(`expected character ${token} but found ${this.shown()}`)
  }

  demandLineEnd(): void {
    this.take(/[ \t]*(?:#[^\n]*)?/y)
    if (!this.isAtEnd() && !this.takes('\n')) throw this.error(`expected newline but got ${this.shown()}`)
  }

  /** Blanks, line ends and comments. */
  skipBlank(): void {
    this.take(/(?:[ \t\n]|#[^\n]*)*/y)
  }

  key(): string[] {
    const path: string[] = []
    do {
      this.take(/[ \t]*/y)
      const quoted = this.text[this.at] === '"' || this.text[this.at] === "'"
      const name = quoted ? this.string() : this.take(/[\w-]+/y)
      if (!quoted && name === '') throw this.error(`invalid character at start of key: ${this.shown()}`)
      path.push(name)
      this.take(/[ \t]*/y)
    } while (this.takes('.'))
    return path
  }

  pair(table: TomlTable): void {
    const path = this.key()
    this.demand('=')
    this.take(/[ \t]*/y)
    const value = this.value()
    const owner = descend(this, table, path.slice(0, -1))
    const name = path.at(-1) ?? ''
    if (name in owner) throw this.error(`key ${name} is already defined`)
    owner[name] = value
  }

  private value(): TomlValue {
    const [first = ''] = this.text.slice(this.at, this.at + 1)
    if (first === '"' || first === "'") return this.string()
    if (this.takes('[')) return this.list()
    if (this.takes('{')) return this.inlineTable()
    const word = this.take(/[\w.+-]+/y)
    if (word === 'true' || word === 'false') return word === 'true'
    const digits = word.replaceAll('_', '')
    if (/^[+-]?(?:\d+(?:\.\d+)?(?:e[+-]?\d+)?|inf|nan)$|^0x[\da-f]+$|^0o[0-7]+$|^0b[01]+$/i.test(digits)) {
      return Number(digits)
    }

    throw this.error(`incorrect value ${word || this.shown()}`)
  }

  private list(): TomlValue[] {
    const values: TomlValue[] = []
    for (this.skipBlank(); !this.takes(']'); this.skipBlank()) {
      values.push(this.value())
      this.skipBlank()
      if (!this.takes(',') && this.text[this.at] !== ']') throw this.error('array is incomplete')
    }

    return values
  }

  private inlineTable(): TomlTable {
    const table = emptyTable()
    this.take(/[ \t]*/y)
    if (this.takes('}')) return table
    do this.pair(table)
    while (this.take(/[ \t]*,/y) !== '')
    this.demand('}')
    return table
  }

  private string(): string {
    const quote = ['"""', "'''", '"', "'"].find((one) => this.takes(one)) ?? ''
    const isLong = quote.length === 3
    if (isLong) this.takes('\n')
    const start = this.at
    const isLiteral = quote.startsWith("'")
    for (let at = start; at < this.text.length; at++) {
      if (this.text[at] === '\n' && !isLong) break
      if (this.text[at] === '\\' && !isLiteral) at++
      else if (this.text.startsWith(quote, at)) {
        const raw = this.text.slice(start, at)
        const value = isLiteral ? raw : this.unescaped(raw)
        this.at = at + quote.length
        return value
      }
    }

    throw this.error('unterminated string')
  }

  private unescaped(raw: string): string {
    return raw.replaceAll(/\\(u[\da-f]{4}|U[\da-f]{8}|\s*\n\s*|[^])/gi, (_, code: string) => {
      if (/^u[\da-f]{4,8}$/i.test(code)) return String.fromCodePoint(Number.parseInt(code.slice(1), 16))
      if (/^\s*\n/.test(code)) return ''
      const letter = ESCAPES[code]
      if (letter === undefined) throw this.error(`invalid escaped character ${JSON.stringify(code)}`)
      return letter
    })
  }

  private take(pattern: RegExp): string {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.text)?.[0] ?? ''
    this.at += found.length
    return found
  }

  private shown(): string {
    return this.isAtEnd() ? 'end of file' : JSON.stringify(this.text[this.at])
  }
}
