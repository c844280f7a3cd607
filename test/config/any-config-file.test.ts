// Any configuration file: read or reported with a place, by the schema's own rules, and never at a price.
import {Ajv} from 'ajv'
import fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import {stringify} from 'yaml'
import {readConfigFile} from '../../src/config/options/config-file.js'
import {OPTIONS} from '../../src/config/options/options.js'
import {configSchema} from '../../src/config/options/schema.js'
import {OPTION_ROWS} from './option-rows.js'
import {isWhole} from '../sample.js'

const HEAD = 'apiVersion: k8s-win/v1\nkind: NodeConfig\n'
const read = (body: string) => readConfigFile(HEAD + body, 'node.yaml', 'file')

describe('a file made to harm', () => {
  it.each([
    ['nested in brackets', '['.repeat(60_000)],
    ['nested in brackets over many lines', '[\n'.repeat(30_000)],
    ['nested in dashes', '- '.repeat(30_000)],
    ['nested in keys', 'a: '.repeat(20_000)],
    ['nested in steps', Array.from({length: 300}, (_, depth) => `${' '.repeat(depth)}a:`).join('\n')],
    ['a bomb of aliases', bomb(9)],
    ['many aliases', `a: &a x\nskip:\n${'- *a\n'.repeat(10_000)}`],
    ['an alias of itself', 'images: &a\n  registry: *a\n'],
    ['many keys', Array.from({length: 8000}, (_, index) => `k${index}:`).join('\n')],
    ['a key of the prototype', '__proto__: {release: x}\nconstructor: 1\n'],
  ])('%s ends soon, with a problem', (_, text) => {
    const {given, problems} = read(text)
    expect(problems.length).toBeGreaterThan(0)
    expect(Object.getPrototypeOf(given)).toBe(Object.prototype)
  })
})

describe('any file', () => {
  it('is read, or reported with a place', () => {
    fc.assert(
      fc.property(fc.string({unit: 'grapheme'}), fc.boolean(), (text, headed) => {
        const {problems} = readConfigFile(headed ? HEAD + text : text, 'n', 'file')
        for (const {message} of problems) expect(message).toMatch(/^n:\d+:\d+/)
      }),
    )
  })

  const keys = OPTIONS.flatMap(({flag, key, kind}) => (key === undefined ? [] : [{flag, key, kind}]))
  const validate = new Ajv({strict: false}).compile(configSchema())
  const leaf = fc.oneof(
    fc.constantFrom<unknown>('x', '', 7, true, false, null, [], {}, ['docker'], [1], {a: 'b'}, {a: 1}, {a: null}),
    fc.constantFrom(...OPTIONS.map(({flag}) => OPTION_ROWS[flag].valid[0])),
  )

  it('is of the right shape for the program where it is for the schema', () => {
    const document = fc.dictionary(
      fc.constantFrom(...keys.map(({key}) => key), 'other', 'images.other', 'kubelet'),
      leaf,
    )
    fc.assert(
      fc.property(document, (flat) => {
        const tree = nest(flat)
        // Which names exist is the schema's to say, and for the program a matter of the value.
        const namesAt = (value: unknown): string[] =>
          Array.isArray(value) ? value.filter((name) => typeof name === 'string') : []
        fc.pre([tree['skip'], tree['ignoreChecks']].flatMap(namesAt).every((name) => name === 'docker'))
        const {images} = tree
        fc.pre(!isObject(images) || !namesAt((images as {base?: unknown}).base).includes('docker'))
        const {problems} = readConfigFile(stringify(tree, {version: '1.2'}), 'n', 'file')
        expect(problems.length === 0, JSON.stringify([tree, problems])).toBe(validate(tree))
      }),
      {numRuns: isWhole ? 3000 : 100},
    )
  })
})

function bomb(depth: number): string {
  const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x]']
  for (let level = 1; level < depth; level++) {
    lines.push(`a${level}: &a${level} [${Array.from({length: 9}, () => `*a${level - 1}`).join(', ')}]`)
  }

  return `${lines.join('\n')}\nskip: *a${depth - 1}\n`
}

function nest(flat: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const tree: Record<string, unknown> = {apiVersion: 'k8s-win/v1', kind: 'NodeConfig'}
  for (const [path, value] of Object.entries(flat)) {
    const [top = '', below] = path.split('.')
    if (below === undefined) tree[top] = value
    else tree[top] = {...(isObject(tree[top]) ? tree[top] : {}), [below]: value}
  }

  return tree
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
