// How the pages of the documentation are built: contents first, short paragraphs.
import {readdirSync, readFileSync} from 'node:fs'
import {describe, expect, it} from 'vitest'

const root = new URL('../../', import.meta.url)
const inFolder = (folder: string): string[] =>
  readdirSync(new URL(folder, root)).flatMap((name) => (name.endsWith('.md') ? `${folder}${name}` : []))
const DOCS = inFolder('docs/')
const textOf = (page: string): string => readFileSync(new URL(page, root), 'utf8')
const withoutCode = (text: string): string => text.replaceAll(/^```[^]*?^```/gm, '')

/** Six lines of 120 characters. */
const LONGEST_PARAGRAPH = 720
/** A page with more sections than a screen shows has a list of them. */
const FEW_SECTIONS = 2

/** Paragraphs, items of lists and cells of tables. */
const paragraphsOf = (text: string): string[] =>
  withoutCode(text).split(/\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )|\n(?=\|)| \| |<br>/)

describe.each([...DOCS, 'README.md', 'CONTRIBUTING.md'])('%s', (page) => {
  it('has no paragraph longer than six lines', () => {
    expect(paragraphsOf(textOf(page)).filter((text) => text.length > LONGEST_PARAGRAPH)).toEqual([])
  })
})

describe.each(DOCS)('%s', (page) => {
  const sections = [...withoutCode(textOf(page)).matchAll(/^## (.+)$/gm)].map(([, title = '']) => title)

  it.runIf(sections.length > FEW_SECTIONS)('begins with a list of its sections', () => {
    const [beginning = ''] = textOf(page).split(/^## /m)
    const listed = sections.filter((title) => beginning.includes(`[${title}](#`))
    expect(listed).toEqual(sections)
  })
})

it('a long paragraph is found in text, lists and tables', () => {
  const long = 'x'.repeat(LONGEST_PARAGRAPH + 1)
  expect(DOCS.length).toBeGreaterThan(15)
  for (const text of [`a\n\n${long}\n\nb`, `- a\n- ${long}\n- b`, `| a | ${long} |`]) {
    expect(paragraphsOf(text).map((part) => part.length > LONGEST_PARAGRAPH)).toContain(true)
  }
})
