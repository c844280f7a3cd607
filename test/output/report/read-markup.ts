// Reads a page back as a browser does, and more strictly: every element is closed, every attribute quoted, nothing but ASCII.
const VOID: ReadonlySet<string> = new Set(['!doctype', 'meta'])
const TOKEN = /<style>([^<]*)<\/style>|<(\/?)([a-zA-Z!][a-zA-Z0-9]*)((?: [a-zA-Z:-]+(?:="[^"<>]*")?)*)( ?\/?)>|([^<]+)/y

export interface ReadElement {
  readonly attributes: Readonly<Record<string, string>>
  readonly name: string
  /** Of all that is in it, too. */
  text: string
}

/** Throws where the page is not well-formed. */
export function readMarkup(page: string): ReadElement[] {
  if (/[^\n\t -~]/.test(page)) throw new Error('not ASCII')
  const [all, open]: [ReadElement[], ReadElement[]] = [[], []]
  for (TOKEN.lastIndex = 0; TOKEN.lastIndex < page.length;) {
    const at = TOKEN.lastIndex
    const found = TOKEN.exec(page)
    if (!found) throw new Error(`not well-formed: ${page.slice(at, at + 80)}`)
    const [, style, slash, name = '', attributes = '', end = '', text] = found
    if (style !== undefined) all.push({attributes: {}, name: 'style', text: style})
    else if (text !== undefined) for (const element of open) element.text += decoded(text)
    else if (slash === '/') {
      const closed = open.pop()
      if (closed?.name !== name) throw new Error(`</${name}> closes <${closed?.name}>`)
    } else {
      const element = {attributes: attributesOf(attributes), name, text: ''}
      all.push(element)
      if (!end.includes('/') && !VOID.has(name)) open.push(element)
    }
  }
  if (open.length > 0) throw new Error(`not closed: ${open.map(({name}) => name).join(' ')}`)
  return all
}

const attributesOf = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(/ ([a-zA-Z:-]+)(?:="([^"]*)")?/g)].map(([, key = '', value = '']) => [key, decoded(value)]),
  )

function decoded(text: string): string {
  const read = text.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))
  if (/&(?!#\d+;)/.test(text)) throw new Error(`an ampersand that is not escaped: ${text.slice(0, 80)}`)
  return read
}
