// TOML as far as containerd's files use it: what it means, and where it is wrong.
import {expect, it} from 'vitest'

import {parseToml, TomlError} from '../../../src/simulator/containerd/toml.js'

it.each<[string, unknown]>([
  ['', {}],
  ['# nothing\n\n', {}],
  ['version = 3 # of the file\r\n', {version: 3}],
  [String.raw`a = 'C:\k\cni'`, {a: String.raw`C:\k\cni`}],
  [String.raw`a = "C:\\k \"x\" \u0041\t"`, {a: 'C:\\k "x" A\t'}],
  ["a = '''\nC:\\k\n'''", {a: 'C:\\k\n'}],
  ['a = """one \\\n   two"""', {a: 'one two'}],
  ["a = ['x', 'y',\n  'z', # last\n]", {a: ['x', 'y', 'z']}],
  ['a = {b = 1, c.d = true}', {a: {b: 1, c: {d: true}}}],
  ['a.b = 1\na.c = 2', {a: {b: 1, c: 2}}],
  ["[plugins.'io.containerd.cri.v1.images']\n  x = 1", {plugins: {'io.containerd.cri.v1.images': {x: 1}}}],
  ['[a.b]\nx = 1\n[a]\ny = 2', {a: {b: {x: 1}, y: 2}}],
  ['[[a]]\nx = 1\n[[a]]\nx = 2\n[a.b]\ny = 3', {a: [{x: 1}, {b: {y: 3}, x: 2}]}],
  ['a = 1_000\nb = -2.5\nc = 0x1f', {a: 1000, b: -2.5, c: 31}],
  ['__proto__ = 1\nconstructor = 2', {['__proto__']: 1, constructor: 2}],
])('%j', (text, value) => {
  expect(JSON.parse(JSON.stringify(parseToml(text)))).toEqual(JSON.parse(JSON.stringify(value)))
})

it.each([
  ['a', 1, 2],
  ['a = ', 1, 5],
  ['x = 1\na = yes', 2, 8],
  ["x = 1\n\na = 'C:\\k", 3, 6],
  [String.raw`a = "C:\k"`, 1, 6],
  ['a = 1\na = 2', 2, 6],
  ['a = 1 b = 2', 1, 7],
  ['[a\nb = 1', 1, 3],
  ['a = [1 2]', 1, 8],
  ['a = 1\n[a]\nb = 1', 2, 3],
  ['= 1', 1, 1],
])('%j is refused at row %i, column %i', (text, row, column) => {
  const refused = (): unknown => {
    try {
      return parseToml(text)
    } catch (error) {
      return error
    }
  }
  expect(refused()).toBeInstanceOf(TomlError)
  expect(refused()).toMatchObject({column, row})
})
