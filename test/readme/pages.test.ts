// How the pages of the documentation are built: contents first, short paragraphs. And that they name what the program has.
import {readdirSync, readFileSync} from 'node:fs'
import {describe, expect, it} from 'vitest'
import {CHECK_LIMITS} from '../../check-limits.js'
import {KEPT} from '../../packaging/environment.js'
import {FIREWALL_RULES} from '../../src/components/firewall-rules.js'
import {DAEMONS} from '../../src/config/daemons.js'
import {OPTIONS} from '../../src/config/options/options.js'
import {ERRORS} from '../../src/errors/catalogue.js'
import {EXPLANATIONS} from '../../src/runs/explain.js'
import {BROKEN_NODES} from '../hosts/broken-nodes.js'

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

const EXAMPLES = readdirSync(new URL('examples/', root), {recursive: true})
  .map((name) => `examples/${String(name)}`)
  .filter((name) => name.endsWith('/README.md'))

describe.each([...DOCS, ...EXAMPLES, 'README.md', 'CONTRIBUTING.md'])('%s', (page) => {
  it('has no paragraph longer than six lines', () => {
    expect(paragraphsOf(textOf(page)).filter((text) => text.length > LONGEST_PARAGRAPH)).toEqual([])
  })
})

/** Names of other things with the letters of an ID: variables, and a list of phases (CHECK_NODE). */
const NO_ID = /^(?:AWS|CHECK|DOCKER|FORCE|GOVC|HTTPS?|K8S_WIN|NO|NODE|OPENSSL|SSL)_/

describe('IDs on the pages', () => {
  const PAGES = [...DOCS, ...EXAMPLES, 'README.md']
  const idsOn = (page: string): string[] =>
    [...textOf(page).matchAll(/`([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)`/g)].map(([, id = '']) => id)
  const isKnown = (id: string): boolean => EXPLANATIONS.some((one) => one.id === id)

  it('review D3-4: are known to explain', () => {
    const named = PAGES.flatMap((page) => idsOn(page).map((id) => ({id, page})))
    expect(named.filter(({id}) => !NO_ID.test(id) && !isKnown(id))).toEqual([])
    expect(named.filter(({id}) => isKnown(id)).length).toBeGreaterThan(100)
  })

  it('review D3-4: on that of recover are those that users see, not names of fixtures', () => {
    const page = textOf('docs/recover.md')
    expect(BROKEN_NODES.filter(({id}) => page.includes(`\`${id}\``))).toEqual([])
    const ends = BROKEN_NODES.flatMap((row) => (row.ends === 'healthy' ? [] : row.ends))
    expect(ends.filter((id) => !page.includes(`\`${id}\``))).toEqual([])
    expect(idsOn('docs/recover.md').length).toBeGreaterThan(10)
  })
})

it('review D3-4: the service that signs has its present name', () => {
  expect(textOf('docs/security.md')).toContain('Azure Artifact Signing')
})

const sectionsOf = (page: string): string[] =>
  [...withoutCode(textOf(page)).matchAll(/^## (.+)$/gm)].map(([, title = '']) => title)

it.each([...DOCS, 'CONTRIBUTING.md'].filter((page) => sectionsOf(page).length > FEW_SECTIONS))(
  '%s begins with a list of its sections',
  (page) => {
    const [beginning = ''] = textOf(page).split(/^## /m)
    expect(sectionsOf(page).filter((title) => !beginning.includes(`[${title}](#`))).toEqual([])
  },
)

it('a long paragraph is found in text, lists and tables', () => {
  const long = 'x'.repeat(LONGEST_PARAGRAPH + 1)
  expect(DOCS.length).toBeGreaterThan(15)
  for (const text of [`a\n\n${long}\n\nb`, `- a\n- ${long}\n- b`, `| a | ${long} |`]) {
    expect(paragraphsOf(text).map((part) => part.length > LONGEST_PARAGRAPH)).toContain(true)
  }
})

it('the page of security names every service, port and firewall rule, and every variable that k8s-win.exe obeys', () => {
  const page = textOf('docs/security.md')
  const names = [
    ...DAEMONS.flatMap(({ports, service}) => [
      service,
      ...ports.map(({port, protocol}) => `${protocol.toUpperCase()} ${port}`),
    ]),
    ...FIREWALL_RULES.map(({name}) => name),
    ...[...KEPT].filter((name) => !/TEAMCITY|TMUX|TERM_|COLORTERM|CI_NAME|DISABLE_COLORS/.test(name)),
  ]
  expect(names.filter((name) => !page.includes(name))).toEqual([])
  expect(names.length).toBeGreaterThan(15)
})

it('the pages of limits and troubleshooting name errors, options and commands that exist', () => {
  const pages = textOf('docs/limits.md') + textOf('docs/troubleshooting.md')
  const ids = [...pages.matchAll(/`([A-Z]+(?:_[A-Z]+)+)`/g)].map(([, id = '']) => id)
  const flags = [...pages.matchAll(/(?<=[`\s])--([a-z][a-z-]+)/g)].map(([, flag = '']) => flag)
  const known = new Set([
    ...OPTIONS.map(({flag}): string => flag),
    'drain',
    'list',
    'output',
    'watch',
    'allocate-node-cidrs',
  ])
  expect(ids.filter((id) => !ERRORS.some((error) => error.id === id))).toEqual([])
  expect(flags.filter((flag) => !known.has(flag))).toEqual([])
  expect(Math.min(ids.length, flags.length)).toBeGreaterThan(5)
})

it('review U2-18: errors and checks have an index by topic and one by ID', () => {
  const pages = {checks: textOf('docs/checks.md'), errors: textOf('docs/errors.md')}
  for (const id of Object.keys(CHECK_LIMITS)) expect(pages.checks).toMatch(new RegExp(`\\[${id}\\]\\(#`))
  for (const {id} of ERRORS) expect(pages.errors.split(`[${id}](#`)).toHaveLength(3)
})

it('review U2-18: the page of checks names every error that a check raises', async () => {
  const folders = ['src/preflight/', 'src/health/']
  const files = folders.flatMap((folder) =>
    readdirSync(new URL(folder, root), {recursive: true}).flatMap((name) =>
      String(name).endsWith('.ts') ? `${folder}${String(name)}` : [],
    ),
  )
  // These only pass on, or compare, what checks raise.
  const sources = files.filter((file) => !/\/(?:check-health|facts|index|needs|root-cause)\.ts$/.test(file))
  const raised = new Set<string>()
  for (const source of sources) {
    for (const [, names = '', module = ''] of textOf(source).matchAll(
      /^import \{([^}]*)\} from '(?:\.\.\/)+errors\/([\w-]+)\.js'/gm,
    )) {
      const exported = (await import(`../../src/errors/${module}.ts`)) as Record<string, {readonly id?: string}>
      for (const name of names.split(',')) raised.add(exported[name.trim().split(' ')[0] ?? '']?.id ?? '')
    }
  }
  raised.delete('')
  // An HNS that refuses a request is reported by whichever check or step made it.
  raised.delete('HNS_REFUSED')
  const named = new Set(Object.values(CHECK_LIMITS).flatMap(([, errors = '']) => errors.split(' ')))
  expect([...raised].filter((id) => !named.has(id))).toEqual([])
  expect(raised.size).toBeGreaterThan(50)
})
