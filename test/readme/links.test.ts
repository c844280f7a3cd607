// Links between the pages of the documentation lead somewhere: to a file, and to a heading in it.
import {existsSync, readdirSync, readFileSync} from 'node:fs'
import {dirname, join, normalize} from 'node:path'
import {fileURLToPath} from 'node:url'
import {describe, expect, it} from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const inFolder = (folder: string): string[] =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name))
const PAGES = [...inFolder('.'), ...inFolder('docs')]

const textOf = (page: string): string => readFileSync(join(root, page), 'utf8')
const withoutCode = (text: string): string => text.replaceAll(/^```[^]*?^```/gm, '')
/** As the code hosts make them of a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
const anchorsOf = (page: string): string[] =>
  [...withoutCode(textOf(page)).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading))

describe.each(PAGES)('%s', (page) => {
  const links = [...withoutCode(textOf(page)).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target))

  it('leads to files and headings that exist', () => {
    const broken = links.filter((link) => {
      const [file = '', anchor] = link.split('#')
      const target = file === '' ? page : normalize(join(dirname(page), file))
      return !existsSync(join(root, target)) || (anchor !== undefined && !anchorsOf(target).includes(anchor))
    })
    expect(broken).toEqual([])
  })
})

it('the README is short, and names every page', () => {
  const readme = textOf('README.md')
  expect(readme.split('\n').length).toBeLessThanOrEqual(250)
  const named = PAGES.filter((page) => !['CHANGELOG.md', 'README.md'].includes(page))
  expect(named.filter((page) => !readme.includes(`](${page.replaceAll('\\', '/')})`))).toEqual([])
})
