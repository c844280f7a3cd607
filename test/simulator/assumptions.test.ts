// The list of assumptions: complete entries, each with its own id.
import {expect, it} from 'vitest'

import {readdirSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import {ASSUMPTIONS} from '../lab/windows/assumptions/list.js'

it('every assumption can be named and settled', () => {
  expect(new Set(ASSUMPTIONS.map(({id}) => id)).size).toBe(ASSUMPTIONS.length)
  for (const {id, settledBy, statement} of ASSUMPTIONS) {
    expect(id).toMatch(/^[a-z]+(-[a-z]+)*$/)
    expect(statement).toMatch(/^[A-Z].*\.$/)
    expect(settledBy.length).toBeGreaterThan(10)
  }
})

it('every assumption that the code names is open: settled ones are facts, and are cited as such', () => {
  const source = new URL('../../src', import.meta.url).pathname
  const named = readdirSync(source, {recursive: true, withFileTypes: true})
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .flatMap(({name, parentPath}) => {
      const text = readFileSync(join(parentPath, name), 'utf8').replaceAll(/\n\s*(?:\*|\/\/)\s*/g, ' ')
      return [...text.matchAll(/\bassumption ([a-z]+(?:-[a-z]+)+)\b/g)].map(([, id = '']) => id)
    })
  expect(named.length).toBeGreaterThan(5)
  expect(named.filter((id) => !ASSUMPTIONS.some((one) => one.id === id))).toEqual([])
})
