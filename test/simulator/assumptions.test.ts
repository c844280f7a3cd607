// The list of assumptions: complete entries, each with its own id.
import {expect, it} from 'vitest'

import {ASSUMPTIONS} from '../lab/windows/assumptions/list.js'

it('every assumption can be named and settled', () => {
  expect(new Set(ASSUMPTIONS.map(({id}) => id)).size).toBe(ASSUMPTIONS.length)
  for (const {id, settledBy, statement} of ASSUMPTIONS) {
    expect(id).toMatch(/^[a-z]+(-[a-z]+)*$/)
    expect(statement).toMatch(/^[A-Z].*\.$/)
    expect(settledBy.length).toBeGreaterThan(10)
  }
})
