// The pictures of the documentation: small, readable by everyone, in both colour schemes, and shown where they belong.
import {readdirSync, readFileSync, statSync} from 'node:fs'
import {describe, expect, it, test} from 'vitest'
import {VXLAN_ID, VXLAN_PORT} from '../../src/config/model.js'
import {words} from './pictures/svg.js'

const root = new URL('../../', import.meta.url)
const read = (file: string): string => readFileSync(new URL(file, root), 'utf8')
/** The picture of a report is a photograph of it (test/lab/report-page.lab.ts). */
const PICTURES = readdirSync(new URL('docs/images', root)).filter((name) => name.endsWith('.svg'))
const PAGES = [
  'README.md',
  ...readdirSync(new URL('docs', root)).flatMap((name) => (name.endsWith('.md') ? `docs/${name}` : [])),
]
const shown = PAGES.flatMap((page) =>
  [...read(page).matchAll(/!\[(.*?)\]\((?:docs\/)?images\/([^)]+)\)/g)].map(([, words = '', file = '']) => ({
    file,
    page,
    words,
  })),
)

const LARGEST = 40_000

describe.each(PICTURES)('%s', (name) => {
  const svg = read(`docs/images/${name}`)

  it('is at most 40 KB, readable at 800 pixels, and shown on a page with words in its place', () => {
    expect(statSync(new URL(`docs/images/${name}`, root)).size).toBeLessThanOrEqual(LARGEST)
    expect(svg).toMatch(/^<svg [^>]*viewBox="0 0 (?:800|960) \d+" width=/)
    expect(shown.filter(({file, words}) => file === name && words.length > 20)).not.toEqual([])
  })

  it('has a title, a description and two colour schemes', () => {
    expect(svg).toMatch(/<title id="(?:tl-)?title">[^<]{10,}<\/title>\n?<desc id="(?:tl-)?desc">[^<]{80,}<\/desc>/)
    expect(svg).toMatch(/role="img" aria-labelledby="(?:tl-)?title (?:tl-)?desc"/)
    expect(svg).toContain('@media(prefers-color-scheme:dark)')
  })

  it('loads nothing, runs nothing and names no machine', () => {
    expect(svg.replace('http://www.w3.org/2000/svg', '')).not.toMatch(
      /https?:|url\((?!#)|@import|@font-face|<script|<image|href|\/tmp|\/home/,
    )
    expect(svg).not.toMatch(/\d{4}-\d\d-\d\d/)
  })

  it('is well-formed', () => {
    const open: string[] = []
    for (const [, close, tag = '', empty] of svg.matchAll(/<(\/?)([a-z]+)[^>]*?(\/?)>/g)) {
      if (close) expect(open.pop()).toBe(tag)
      else if (!empty) open.push(tag)
    }
    expect(open).toEqual([])
    expect(svg).not.toMatch(/&(?!amp;|lt;|gt;|#\d+;)/)
  })
})

test('the README shows a run before its first section, and how to choose', () => {
  const [beginning = ''] = read('README.md').split(/^## /m)
  expect(beginning).toContain('docs/images/run.svg')
  expect(shown).toContainEqual(expect.objectContaining({file: 'choices.svg', page: 'README.md'}))
})

test('the picture of the network has the numbers of the program', () => {
  const svg = read('docs/images/network.svg')
  for (const text of [
    `VNI ${VXLAN_ID}`,
    `UDP ${VXLAN_PORT}`,
    'vxlan0',
    'source VIP 10.244.3.2',
    'Services 10.10.0.0/16',
  ]) {
    expect(svg).toContain(text)
  }
})

test('text that is wider than its box is an error of the generator', () => {
  expect(() => words(0, 0, 'x'.repeat(100), {room: 300})).toThrow('300 pixels')
  expect(words(0, 0, 'a < b', {room: 300})).toContain('a &lt; b')
})
