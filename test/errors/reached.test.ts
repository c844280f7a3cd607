// Every error of the catalogue is raised somewhere in the program, met by some test, and explained on its page.
import {readdirSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {describe, expect, it} from 'vitest'
import type {ErrorDefinition} from '../../src/errors/define.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const ERRORS = join(root, 'src/errors')

const sourcesIn = (folder: string): string[] =>
  readdirSync(join(root, folder), {encoding: 'utf8', recursive: true})
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(root, folder, name))
const textOf = (files: readonly string[]): string => files.map((file) => readFileSync(file, 'utf8')).join('\n')

/** All words of a text, so that each error is one look-up. */
const wordsOf = (text: string): ReadonlySet<string> => new Set(text.match(/\w+/g))
/** Called, or handed to a table or a function that calls it; an import raises nothing. */
const program = textOf(sourcesIn('src').filter((file) => !file.startsWith(ERRORS)))
const raised = new Set(program.replaceAll(/^import [^']*'[^']*'$/gm, '').match(/\w+(?=[(),\]])/g))
const tested = wordsOf(textOf(sourcesIn('test').filter((file) => !file.startsWith(join(root, 'test/errors')))))
const page = readFileSync(join(root, 'docs/errors.md'), 'utf8')

// By the whole path: vite would list the files when it transforms this module, and vitest keeps the result.
const modules = await Promise.all(
  readdirSync(ERRORS).map((name) => import(/* @vite-ignore */ join(ERRORS, name)) as Promise<object>),
)
const DEFINED = modules.flatMap((exported) =>
  Object.entries(exported).flatMap(([name, value]) => {
    const definition = value as Partial<ErrorDefinition<never>>
    return typeof definition.describe === 'function' ? [{definition, id: String(definition.id), name}] : []
  }),
)

describe('every error', () => {
  it('is found here', () => {
    expect(DEFINED.length).toBeGreaterThan(60)
  })

  it.each(DEFINED)('$id is raised by the program', ({name}) => {
    expect(raised).toContain(name)
  })

  it.each(DEFINED)('$id is met by a test', ({id, name}) => {
    expect(tested.has(id) || tested.has(name), `no test outside test/errors names ${id} or ${name}`).toBe(true)
  })

  it.each(DEFINED)('$id has its place in docs/errors.md, where its address leads', ({definition, id}) => {
    const {exitCode} = definition as ErrorDefinition<never>
    expect(page, 'run: npm run generate').toContain(`\n## ${id}\n`)
    const section = page.slice(page.indexOf(`\n## ${id}\n`)).split('\n## ')[1] ?? ''
    for (const part of [`- Exit code: ${exitCode}`, '- Cause: ', '- Fix: ']) expect(section).toContain(part)
  })
})

it('the page has no error that is gone', () => {
  const headings = [...page.matchAll(/^## (\w+)$/gm)].map(([, id]) => id)
  expect(headings.sort()).toEqual(DEFINED.map(({id}) => id).sort())
})
