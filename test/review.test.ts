// Every finding of the two reviews of version 0.1.0 has a test of its own, named after it, that fails without its fix.
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
} as const
const ids = Object.entries(FINDINGS).flatMap(([letter, count]) =>
  Array.from({length: count}, (_, index) => `${letter}${index + 1}`),
)

const DONE = ['U2-3', 'U2-6', 'U2-12', 'U2-15', 'U2-16', 'U2-18', 'U2-22', 'U2-27', 'U2-28', 'U2-29']

/** Findings that have no test yet. Remove one from here with its fix. */
const OPEN: readonly string[] = ids.filter((id) => id.startsWith('U2-') && !DONE.includes(id))

/** How the name of a test, or of a group of tests, begins: "review W3: …", or of several, "review S5, S6: …". */
const NAMED = /["'`]review ((?:(?:[JKNTVW]|[RSU](?:2-)?)\d+(?:, | and )?)+):/g

const folder = fileURLToPath(new URL('.', import.meta.url))
const named = new Set(
  readdirSync(folder, {recursive: true, withFileTypes: true})
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .flatMap((entry) => [...readFileSync(`${entry.parentPath}/${entry.name}`, 'utf8').matchAll(NAMED)])
    .flatMap(([, list = '']) => list.match(/[A-Z](?:2-)?\d+/g) ?? []),
)

test('every finding that is not open has a test that is named after it', () => {
  expect(ids.filter((id) => !named.has(id) && !OPEN.includes(id))).toEqual([])
})

test('every test that is named after a finding names one there is', () => {
  expect([...named].filter((id) => !ids.includes(id))).toEqual([])
})
