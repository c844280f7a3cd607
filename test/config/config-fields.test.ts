// kubelet.config in the configuration file: read as JSON, every problem with its place, and stored as it was.
import fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import {stringify} from 'yaml'
import {readConfigFile} from '../../src/config/options/config-file.js'
import {storedText} from '../../src/config/options/stored-config.js'

const HEAD = 'apiVersion: k8s-win/v1\nkind: NodeConfig\n'
const read = (body: string, source: 'file' | 'stored' = 'file') => readConfigFile(HEAD + body, 'n', source)
const config = (...lines: string[]) => read(['kubelet:', '  config:', ...lines.map((line) => `    ${line}`)].join('\n'))

describe('the fields', () => {
  it('are read with their types, and each has its place', () => {
    const {given, problems, where} = config('maxPods: 50', 'evictionHard: {memory.available: 1Gi}', 'x: [true, a, 0.5]')
    expect(problems).toEqual([])
    expect(JSON.parse(String(given['kubelet-config']))).toEqual({
      evictionHard: {'memory.available': '1Gi'},
      maxPods: 50,
      x: [true, 'a', 0.5],
    })
    expect(where['kubelet-config']).toEqual([
      'n:5:5 kubelet.config.maxPods',
      'n:6:5 kubelet.config.evictionHard',
      'n:7:5 kubelet.config.x',
    ])
  })

  it.each([
    ['a text', ['x'], 'CONFIG_WRONG_TYPE'],
    ['infinite', ['maxPods: .inf'], 'CONFIG_WRONG_TYPE'],
    ['of control characters', [String.raw`tlsCertFile: "a\u0000"`], 'CONFIG_WRONG_TYPE'],
    ['set twice', ['maxPods: 5', 'maxPods: 6'], 'CONFIG_REPEATED_KEY'],
    ['set twice inside of another', ['logging: {verbosity: 1, verbosity: 2}'], 'CONFIG_REPEATED_KEY'],
    ['an alias of itself', ['a: &a', '  b: *a'], 'CONFIG_WRONG_TYPE'],
    ['a key that is a list', ['? [a]', ': b'], 'CONFIG_WRONG_TYPE'],
  ])('cannot be %s', (_, lines, id) => {
    const {problems} = config(...lines)
    expect(problems.map((problem) => problem.id)).toEqual([id])
    expect(problems[0]?.message).toMatch(/^n:\d+:\d+: kubelet\.config/)
  })

  it('cannot be a bomb of aliases', () => {
    const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x]']
    for (let level = 1; level < 9; level++)
      lines.push(`a${level}: &a${level} [${Array.from({length: 9}, () => `*a${level - 1}`).join(', ')}]`)
    expect(config(...lines).problems.map(({id}) => id)).toEqual(['CONFIG_WRONG_TYPE'])
  })

  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      {depthSize: 'small'},
      fc.string({unit: 'grapheme-ascii'}),
      fc.integer(),
      fc.boolean(),
      fc.double({noDefaultInfinity: true, noNaN: true}),
      tie('list'),
      tie('map'),
    ),
    list: fc.array(tie('any'), {maxLength: 4}),
    map: fc.dictionary(fc.string({unit: 'grapheme-ascii'}), tie('any'), {maxKeys: 4}),
  }))

  it('are stored as they are, and read again', () => {
    fc.assert(
      fc.property(value.map as fc.Arbitrary<object>, (fields) => {
        const text = JSON.stringify(fields)
        const file = read(stringify({kubelet: {config: fields}}))
        expect(file.problems).toEqual([])
        expect(JSON.parse(String(file.given['kubelet-config']))).toEqual(JSON.parse(text))
        const stored = storedText({'kubelet-config': text}, String.raw`C:\k`)
        const again = readConfigFile(stored, 'n', 'stored')
        expect(again.problems).toEqual([])
        expect(again.given['kubelet-config']).toBe(text)
        expect(stored.length).toBeLessThan(2000 + 3 * text.length)
      }),
    )
  })
})
