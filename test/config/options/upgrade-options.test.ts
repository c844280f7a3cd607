// upgrade's options: those of setup that concern one upgrade, and whether the node is drained.
import {expect, it} from 'vitest'
import {OPTIONS} from '../../../src/config/options/options.js'
import {DRAIN_OPTIONS, resolveDrain} from '../../../src/config/options/reset-options.js'
import {UPGRADE_OPTIONS} from '../../../src/config/options/upgrade-options.js'
import {ProblemsError} from '../../../src/errors/k8s-win-error.js'

it('each is an option of setup, or about draining', () => {
  const known = [...OPTIONS, ...DRAIN_OPTIONS].map(({flag}) => flag as string)
  expect(UPGRADE_OPTIONS.filter(({flag}) => !known.includes(flag))).toEqual([])
  expect(new Set(UPGRADE_OPTIONS.map(({flag}) => flag)).size).toBe(UPGRADE_OPTIONS.length)
})

it('a node is drained only where it is asked for', () => {
  expect(resolveDrain({}, {})).toBeUndefined()
  expect(resolveDrain({drain: true}, {})).toBe(300_000)
  expect(resolveDrain({drain: true, 'drain-timeout': '90s'}, {})).toBe(90_000)
  expect(resolveDrain({}, {K8S_WIN_DRAIN: 'true', K8S_WIN_DRAIN_TIMEOUT: '1h'})).toBe(3_600_000)
  expect(resolveDrain({drain: false}, {K8S_WIN_DRAIN: 'true'})).toBeUndefined()
  expect(resolveDrain({}, {K8S_WIN_DRAIN_TIMEOUT: '1h'})).toBeUndefined()
})

it.each([{'drain-timeout': '90s'}, {drain: true, 'drain-timeout': 'soon'}, {drain: 'perhaps'}])(
  '%o is refused',
  (typed) => {
    expect(() => resolveDrain(typed, {})).toThrow(ProblemsError)
  },
)
