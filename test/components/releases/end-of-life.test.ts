// The end of upstream's support by minor, judged by a clock.
import {expect, it} from 'vitest'
import {endedSupport} from '../../../src/components/releases/end-of-life.js'
import {OLDEST_MINOR, PREVIEW_MINOR} from '../../../src/config/version.js'

it('is over from the next day on', () => {
  const [before, after] = ['2026-10-27T23:59:59Z', '2026-10-28T00:00:00Z'].map((text) => Date.parse(text))
  expect([endedSupport(34, before ?? 0), endedSupport(34, after ?? 0)]).toEqual([undefined, '2026-10-27'])
})

it('is known of every minor, each later than the one before', () => {
  const end = Date.parse('2100-01-01')
  const days = Array.from({length: PREVIEW_MINOR - OLDEST_MINOR + 1}, (_, index) =>
    endedSupport(OLDEST_MINOR + index, end),
  )
  expect(days).not.toContain(undefined)
  expect([...days].sort()).toEqual(days)
  expect(endedSupport(PREVIEW_MINOR + 1, end)).toBeUndefined()
})
