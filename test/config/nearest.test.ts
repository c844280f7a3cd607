// Which name was meant.
import {expect, test} from 'vitest'
import {nearest} from '../../src/config/nearest.js'

test('review P3-5: two exchanged letters are closer than two wrong ones', () => {
  expect(nearest('stauts', ['setup', 'start', 'status', 'stop'])).toBe('status')
  expect(nearest('strat', ['setup', 'start', 'status', 'stop'])).toBe('start')
})
