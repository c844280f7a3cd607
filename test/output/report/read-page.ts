// The tables of a page, as text: by the title of their section, a list of rows of cells.
import {readMarkup} from './read-markup.js'

export const seconds = (ms: number): string => (ms / 1000).toFixed(1)

export function tablesOf(page: string): Record<string, string[][]> {
  const tables: Record<string, string[][]> = {}
  let section: string[][] = []
  for (const {attributes, name, text} of readMarkup(page)) {
    if (name === 'h2') section = tables[text] = []
    if (name === 'th' && attributes['scope'] === 'row') section.push([text])
    if (name === 'td') section.at(-1)?.push(text)
  }
  return tables
}
