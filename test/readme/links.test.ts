// Links between the pages of the documentation, and from comments to pages, lead to a file and to a heading in it.
import {execFileSync} from 'node:child_process'
import {existsSync, readdirSync, readFileSync} from 'node:fs'
import {dirname, join, normalize, relative} from 'node:path'
import {fileURLToPath} from 'node:url'
import {describe, expect, it} from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const inFolder = (folder: string): string[] =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name))
const EXAMPLES = readdirSync(join(root, 'examples'), {withFileTypes: true}).filter((entry) => entry.isDirectory())
const PAGES = ['.', 'docs', 'examples', ...EXAMPLES.map(({name}) => join('examples', name))].flatMap(inFolder)

const textOf = (page: string): string => readFileSync(join(root, page), 'utf8')
const withoutCode = (text: string): string => text.replaceAll(/^```[^]*?^```/gm, '')
/** As GitHub makes them from a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
const anchorsOf = (page: string): string[] =>
  [...withoutCode(textOf(page)).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading))

const linksOf = (page: string): string[] =>
  [...withoutCode(textOf(page)).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target))

describe.each(PAGES)('%s', (page) => {
  it('leads to files and headings that exist', () => {
    const broken = linksOf(page).filter((link) => {
      const [file = '', anchor] = link.split('#')
      return !exists(file === '' ? page : normalize(join(dirname(page), file)), anchor)
    })
    expect(broken).toEqual([])
  })
})

describe('comments', () => {
  const cited = ['src', 'test', 'bench'].flatMap((folder) =>
    readdirSync(join(root, folder), {recursive: true, withFileTypes: true})
      .filter((entry) => entry.isFile() && /\.(?:ts|mjs|c)$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .flatMap((file) => citedIn(readFileSync(file, 'utf8')).map((page) => [relative(root, file), page] as const)),
  )

  it('cite pages of this repository and headings that exist', () => {
    const broken = cited.filter(([, page]) => {
      const [file = '', anchor] = page.split('#')
      return !exists(file, anchor)
    })
    expect(broken).toEqual([])
    expect(cited.length).toBeGreaterThan(50)
  })

  it('are searched, and a page that does not exist is found', () => {
    const text =
      "// As in notes.md 5.\n/** docs/facts.md#nothing */\nconst name = 'README.md'\n// See doc/misc.md of koffi."
    expect(citedIn(text)).toEqual(['notes.md', 'docs/facts.md#nothing'])
    expect(exists('notes.md', undefined)).toBe(false)
    expect(exists('docs/facts.md', 'nothing')).toBe(false)
    expect(exists('docs/facts.md', 'hns')).toBe(true)
  })
})

function exists(page: string, anchor: string | undefined): boolean {
  return existsSync(join(root, page)) && (anchor === undefined || anchorsOf(page).includes(anchor))
}

/** Pages in the comments of a source file, without those that are said to be of another repository. */
function citedIn(source: string): string[] {
  return source
    .split('\n')
    .flatMap((line) => /(?:^|\s)(?:\/\/|\/\*|\*)(?!.*\bkoffi\b|.*kubernetes\/kubernetes).*/.exec(line)?.[0] ?? [])
    .flatMap((comment) => comment.match(/(?<![\w/.-])[\w./-]+\.md\b(?:#[\w-]+)?/g) ?? [])
}

it('review D3-4: pages that are packed lead only to what is packed', () => {
  const args = ['pack', '--dry-run', '--json', '--silent', '--ignore-scripts']
  const [packed] = JSON.parse(execFileSync('npm', args, {cwd: root, encoding: 'utf8'})) as [{files: {path: string}[]}]
  const paths = packed.files.map(({path}) => path)
  const pages = paths.filter((path) => path.endsWith('.md'))
  const isPacked = (target: string): boolean =>
    paths.some((path) => path === target || path.startsWith(`${target.replace(/\/$/, '')}/`))
  const broken = pages.flatMap((page) =>
    linksOf(page)
      .map((link) => link.split('#')[0] ?? '')
      .filter((file) => file !== '' && !isPacked(normalize(join(dirname(page), file))))
      .map((file) => `${page}: ${file}`),
  )
  expect(broken).toEqual([])
  expect(pages.length).toBeGreaterThan(20)
})
