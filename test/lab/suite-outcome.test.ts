import {expect, test} from 'vitest'
import {SUMMARY_MARK, withoutSummary} from './suite-counts.js'
import {countsOf, total} from './suite-outcome.js'

const summary = (counts: object) => `  ok       a test (1 ms)\r\n${SUMMARY_MARK}${JSON.stringify(counts)}\r\n`

test('a suite is what its last line says', () => {
  expect(countsOf(0, summary({failed: 0, passed: 3, skipped: 1}))).toEqual({failed: 0, passed: 3, skipped: 1})
  expect(countsOf(1, summary({failed: 2, passed: 3, skipped: 0}))).toEqual({failed: 2, passed: 3, skipped: 0})
})

test('a suite without its last line has failed, whatever its exit code', () => {
  expect(countsOf(0, '  ok       a test (1 ms)\n')).toEqual({failed: 1, passed: 0, skipped: 0})
})

test('a suite that fails without a failed test has failed', () => {
  expect(countsOf(7, summary({failed: 0, passed: 3, skipped: 0}))).toEqual({failed: 1, passed: 3, skipped: 0})
})

test('the summary is not shown', () => {
  expect(withoutSummary(summary({failed: 0, passed: 0, skipped: 0}))).toBe('  ok       a test (1 ms)\r\n')
})

test('all of them together', () => {
  const outcome = (failed: number, passed: number) => ({counts: {failed, passed, skipped: 1}, durationMs: 1, name: 'x'})
  expect(total([outcome(0, 2), outcome(3, 4)])).toEqual({failed: 3, passed: 6, skipped: 2})
})
