// Every finding of the three reviews of version 0.1.0 has a test of its own, named after it, that fails without its fix.
import {readdirSync, readFileSync} from 'node:fs'
import {fileURLToPath} from 'node:url'
import {expect, test} from 'vitest'

const FINDINGS = {
  J: 15,
  K: 12,
  N: 9,
  R: 6,
  'R2-': 10,
  S: 17,
  'S2-': 15,
  T: 14,
  U: 13,
  'U2-': 38,
  V: 12,
  W: 8,
  'A3-': 10,
  'D3-': 5,
  'K3-': 7,
  'L3-': 9,
  'P3-': 6,
  'R3-': 16,
  'W3-': 10,
} as const
/** The third review counts its findings of the life after setup from 0. */
const ids = [
  'W3-0',
  ...Object.entries(FINDINGS).flatMap(([letter, count]) =>
    Array.from({length: count}, (_, index) => `${letter}${index + 1}`),
  ),
]

/** Findings that have no test yet. Remove one from here with its fix. */
const OPEN: readonly string[] = [
  ...['A3-2', 'A3-4'],
  ...['D3-3', 'D3-5'],
  ...['K3-3', 'K3-4', 'K3-5'],
  ...['L3-1', 'L3-2', 'L3-4', 'L3-5', 'L3-7', 'L3-8', 'L3-9'],
  ...['R3-1', 'R3-2', 'R3-3', 'R3-4', 'R3-5', 'R3-6', 'R3-7', 'R3-8', 'R3-9', 'R3-15', 'R3-16'],
  ...['W3-1', 'W3-2', 'W3-8'],
  // Of the issue that is being worked on: one a line.
]

/** The review has U2-29 to U2-38 in one row: its tests are named after the first. */
const IN_ONE_ROW: ReadonlySet<string> = new Set(Array.from({length: 9}, (_, index) => `U2-${index + 30}`))

/** How the name of a test, or of a group of tests, begins: "review W3: …", or of several, "review S5, S6: …". */
const NAMED = /["'`]review ((?:(?:[JKNTVW]|[RSU](?:2-)?|[ADKLPRW]3-)\d+(?:, | and )?)+):/g

const folder = fileURLToPath(new URL('.', import.meta.url))
const named = new Set(
  readdirSync(folder, {recursive: true, withFileTypes: true})
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .flatMap((entry) => [...readFileSync(`${entry.parentPath}/${entry.name}`, 'utf8').matchAll(NAMED)])
    .flatMap(([, list = '']) => list.match(/[A-Z](?:[23]-)?\d+/g) ?? []),
)

test('every finding that is not open has a test that is named after it', () => {
  expect(ids.filter((id) => !named.has(id) && !OPEN.includes(id) && !IN_ONE_ROW.has(id))).toEqual([])
})

test('every test that is named after a finding names one there is', () => {
  expect([...named].filter((id) => !ids.includes(id))).toEqual([])
})
