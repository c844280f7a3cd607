// The names that --skip and --ignore-check take are those of the steps and checks there are.
import {expect, it} from 'vitest'
import {CHECK_IDS} from '../../src/config/check-ids.js'
import {STEP_IDS} from '../../src/config/step-ids.js'
import {CHECKS} from '../../src/preflight/index.js'
import {STEPS} from '../../src/steps/index.js'

it('every step, in order', () => {
  expect(STEPS.map(({id}) => id)).toEqual(STEP_IDS)
})

it('every check', () => {
  expect(CHECKS.map(({id}) => id).sort()).toEqual([...CHECK_IDS].sort())
})
