// HTML and SVG as text. Every text of a page passes here, and is escaped nowhere else.
import {harmless} from '../text/harmless.js'

/** Made by `markup` only, so that no text gets into a page as it is. */
export class Markup {
  private constructor(readonly text: string) {}

  static of(strings: TemplateStringsArray, parts: readonly Part[]): Markup {
    return new Markup(strings.map((text, index) => text + textOf(parts[index])).join(''))
  }
}

export type Part = Markup | number | string | readonly Part[] | undefined

/** A template: what stands in it is markup, what is filled in is text. */
export const markup = (strings: TemplateStringsArray, ...parts: readonly Part[]): Markup => Markup.of(strings, parts)

function textOf(part: Part): string {
  if (part === undefined) return ''
  if (part instanceof Markup) return part.text
  if (typeof part === 'object') return part.map((one) => textOf(one)).join('')
  return typeof part === 'number' ? String(Math.round(part * 100) / 100) : escaped(part)
}

/** What neither XML nor HTML allows, not even as a number. */
const INVALID = /[\p{Cs}\uFFFE\uFFFF]/gu

/** Pure ASCII: a page stays the same in whatever encoding a console, a mail or a server hands it on. */
const escaped = (text: string): string =>
  harmless(text)
    .replaceAll(INVALID, '\uFFFD')
    .replaceAll(/[&<>"'`]|[^\n\t -~]/gu, (character) => `&#${character.codePointAt(0)};`)
